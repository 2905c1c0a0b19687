package session

import (
	"path"
	"slices"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/study/language"
	"memcost/study"
)

// Studies returns the shipped studies. They are part of memcost, so that tests know that they can be read.
func Studies() []*language.Study {
	studies, err := language.ReadAll(study.FS)
	if err != nil {
		panic(err)
	}
	return studies
}

// Study returns a shipped study by its name; an unknown name is a user's mistake, met with
// the names that there are.
func Study(name string) (*language.Study, error) {
	if st := find(Studies(), name); st != nil {
		return st, nil
	}
	return nil, unknownStudy(name)
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

func unknownStudy(name string) error {
	var names []string
	for _, s := range Studies() {
		names = append(names, s.Name)
	}
	advice := "the studies are: " + strings.Join(names, ", ") + "; a package of your own is named by a path, ./..."
	return hint.Usage(hint.Meant(name, names, advice), "unknown study %q", name)
}
