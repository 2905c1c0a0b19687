package sites

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"memcost/internal/base/hint"
)

// Find returns the sites that a user names by rank, by ID, or by file:line, where several may
// stand. The file may be named by the end of its path.
func (r *Report) Find(key string) ([]*Site, error) {
	rank, err := strconv.Atoi(key)
	isRank := err == nil
	var found []*Site
	for i := range r.Sites {
		s := &r.Sites[i]
		switch {
		case s.ID == key:
			return []*Site{s}, nil
		case isRank && rank > 0 && s.Rank == rank, s.isAt(key):
			found = append(found, s)
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	return nil, hint.Usage(r.sitesHint(isRank), "showing a site: there is no site %s (--site)", strconv.QuoteToGraphic(key))
}

// isAt reports whether key is the position of a site.
func (s *Site) isAt(key string) bool {
	colon := strings.LastIndexByte(key, ':')
	return colon > 0 && key[colon+1:] == strconv.Itoa(s.Line) && isFile(s.File, key[:colon])
}

// isFile reports whether name is the end of a path, from a folder on.
func isFile(file, name string) bool {
	name = strings.TrimPrefix(path.Clean(strings.ReplaceAll(name, `\`, "/")), "./")
	return file == name || strings.HasSuffix(file, "/"+name)
}

// sitesHint says which sites there are.
func (r *Report) sitesHint(isRank bool) string {
	ranks := 0
	for i := range r.Sites {
		ranks = max(ranks, r.Sites[i].Rank)
	}
	switch {
	case len(r.Sites) == 0:
		return "the report has no sites"
	case isRank && ranks > 0:
		return "the ranks are 1 to " + strconv.Itoa(ranks)
	}
	return "name a rank, an ID, or a position such as " + at(path.Base(r.Sites[0].File), r.Sites[0].Line) +
		"; --long lists all sites"
}

// files returns the files that have sites and that a user may mean by a name, in the order of
// the report.
func (r *Report) files(name string) []string {
	var out []string
	for i := range r.Sites {
		if f := r.Sites[i].File; !slices.Contains(out, f) && (name == "" || isFile(f, name)) {
			out = append(out, f)
		}
	}
	return out
}

// file returns the one file that a user means by a name.
func (r *Report) file(name string) (string, error) {
	named := func(files []string) string {
		for i, f := range files {
			files[i] = strings.Trim(strconv.QuoteToGraphic(f), `"`)
		}
		return strings.Join(files[:min(len(files), 5)], ", ")
	}
	found := r.files(name)
	switch {
	case slices.Contains(found, name):
		return name, nil
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", hint.Usage("name more of its path: "+named(found),
			"showing the source: %d files are called %s (--source)", len(found), strconv.QuoteToGraphic(name))
	case len(r.Sites) == 0:
		return "", hint.Usage("the report has no sites", "showing the source: no site is in the file %s (--source)",
			strconv.QuoteToGraphic(name))
	}
	return "", hint.Usage("files with sites are "+named(r.files("")),
		"showing the source: no site is in the file %s (--source)", strconv.QuoteToGraphic(name))
}
