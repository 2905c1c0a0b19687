package whytext

import (
	"path"
	"strconv"
	"strings"

	"memcost/internal/hint"
	"memcost/internal/text"
	"memcost/internal/why"
)

// Find returns the sites that a user names by rank, by ID, or by file:line, where several may
// stand. The file may be named by the end of its path.
func Find(r *why.Report, key string) ([]*why.Site, error) {
	rank, err := strconv.Atoi(key)
	isRank := err == nil
	var found []*why.Site
	for i := range r.Sites {
		s := &r.Sites[i]
		switch {
		case s.ID == key:
			return []*why.Site{s}, nil
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
func isAt(s *why.Site, key string) bool {
	colon := strings.LastIndexByte(key, ':')
	return colon > 0 && key[colon+1:] == strconv.Itoa(s.Line) && isFile(s.File, key[:colon])
}

// isFile reports whether name is the end of a path, from a folder on.
func isFile(file, name string) bool {
	name = strings.TrimPrefix(path.Clean(strings.ReplaceAll(name, `\`, "/")), "./")
	return file == name || strings.HasSuffix(file, "/"+name)
}

// sitesHint says which sites there are.
func sitesHint(r *why.Report, isRank bool) string {
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
func files(r *why.Report, name string) []string {
	var out []string
	seen := map[string]bool{}
	for i := range r.Sites {
		if f := r.Sites[i].File; !seen[f] && (name == "" || isFile(f, name)) {
			out, seen[f] = append(out, f), true
		}
	}
	return out
}
