package result

import (
	"io"
	"slices"

	"memcost/internal/base/units"
	"memcost/internal/study/language"
)

// Joins reports whether two files of a program run by hand are of one machine, with no case in both.
func (a *Answer) Joins(b *Answer) bool {
	if a.origin == "" || a.origin != b.origin || a.Dir == stdin || b.Dir == stdin {
		return false
	}
	for _, s := range a.Suites {
		for _, c := range s.Cases {
			if hasCase(b.Suites, s.Name, c.Name) {
				return false
			}
		}
	}
	return true
}

// stdin is what standard input is called.
const stdin = "standard input"

func hasCase(suites []Suite, suite, name string) bool {
	return slices.ContainsFunc(suites, func(s Suite) bool {
		return s.Name == suite && slices.ContainsFunc(s.Cases, func(c Case) bool { return c.Name == name })
	})
}

// A Named is a file of results and its name.
type Named struct {
	Name string
	io.Reader
}

// joinedName names several files that are one answer.
func joinedName(files []Named) string {
	if len(files) == 1 {
		return files[0].Name
	}
	return files[0].Name + " and " + units.Plural(len(files)-1, "more file")
}

// ownVariants shows a part by the settings that it has, when the study knows none of its
// allocators: its tables would be empty.
func (p *filePart) ownVariants() error {
	var here []language.Variant
	for _, s := range p.set.All() {
		keys := Variant(s.Case)
		same := func(v language.Variant) bool { return v.Keys == keys }
		if keys == "" || slices.ContainsFunc(p.study.Variants, same) {
			return nil
		}
		if !slices.ContainsFunc(here, same) {
			here = append(here, language.Variant{Keys: keys})
		}
	}
	ds, show := language.WithVariants(p.study.Directives, p.study.Show, here)
	st, err := language.Parse(p.study.Name, ds, show)
	if err == nil {
		st.Question = p.study.Question
		p.study = st
	}
	return err
}

// single reports whether no case has more than one sample.
func single(suites []Suite) bool {
	return !slices.ContainsFunc(suites, func(s Suite) bool {
		return slices.ContainsFunc(s.Cases, func(c Case) bool { return c.Time.N > 1 })
	})
}
