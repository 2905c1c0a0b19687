package session

import (
	"path"
	"slices"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/study/language"
	"memcost/study"
)

// Studies returns the shipped studies.
func Studies() ([]*language.Study, error) { return language.ReadAll(study.FS) }

// Study returns a shipped study by its name; an unknown name is a user's mistake, met with
// the names that there are.
func Study(name string) (*language.Study, error) {
	studies, err := Studies()
	if err != nil {
		return nil, err
	}
	if st := find(studies, name); st != nil {
		return st, nil
	}
	return nil, unknownStudy(name, studies)
}

// find returns a study by its name, or nil. One below another is found by the last part
// of its name, too, which files of before know it by: latency is malloc/latency.
func find(studies []*language.Study, name string) *language.Study {
	named := func(s *language.Study) bool { return s.Name == name }
	last := func(s *language.Study) bool { return path.Base(s.Name) == name }
	for _, is := range []func(*language.Study) bool{named, last} {
		if i := slices.IndexFunc(studies, is); i >= 0 {
			return studies[i]
		}
	}
	return nil
}

func unknownStudy(name string, studies []*language.Study) error {
	var names []string
	for _, s := range studies {
		names = append(names, s.Name)
	}
	advice := "the studies are: " + strings.Join(names, ", ") + "; a package of your own is named by a path, ./..."
	if near := hint.Nearest(name, names); near != "" {
		advice = "did you mean " + near + "? " + advice
	}
	return hint.Usage(advice, "unknown study %q", name)
}
