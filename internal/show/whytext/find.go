package whytext

import (
	"path"
	"strconv"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/show/text"
	"memcost/internal/sites"
)

// Find returns the sites that a user names by rank, by ID, or by file:line, where several may
// stand. The file may be named by the end of its path.
func Find(r *sites.Report, key string) ([]*sites.Site, error) {
	rank, err := strconv.Atoi(key)
	isRank := err == nil
	var found []*sites.Site
	for i := range r.Sites {
		s := &r.Sites[i]
		switch {
		case s.ID == key:
			return []*sites.Site{s}, nil
		case isRank && rank > 0 && s.Rank == rank, isAt(s, key):
			found = append(found, s)
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	return nil, hint.Usage(sitesHint(r, isRank), "showing a site: there is no site %s (--site)",
		strconv.Quote(text.Clean(key)))
}

// isAt reports whether key is the position of a site.
func isAt(s *sites.Site, key string) bool {
	colon := strings.LastIndexByte(key, ':')
	return colon > 0 && key[colon+1:] == strconv.Itoa(s.Line) && isFile(s.File, key[:colon])
}

// isFile reports whether name is the end of a path, from a folder on.
func isFile(file, name string) bool {
	name = strings.TrimPrefix(path.Clean(strings.ReplaceAll(name, `\`, "/")), "./")
	return file == name || strings.HasSuffix(file, "/"+name)
}

// sitesHint says which sites there are.
func sitesHint(r *sites.Report, isRank bool) string {
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
func files(r *sites.Report, name string) []string {
	var out []string
	seen := map[string]bool{}
	for i := range r.Sites {
		if f := r.Sites[i].File; !seen[f] && (name == "" || isFile(f, name)) {
			out, seen[f] = append(out, f), true
		}
	}
	return out
}
