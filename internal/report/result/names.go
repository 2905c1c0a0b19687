package result

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
)

// Labels name the answers among each other: each by its label, else by the revision of the code
// that it measured, else by the last element of its path. Where two have one name, what tells
// them apart stands beside it: the commit, the day, or the folder.
func Labels(answers []*Answer) []string {
	out := make([]string, len(answers))
	for i, a := range answers {
		out[i] = a.name()
	}
	for _, more := range []func(*Answer) string{commitOf, dayOf, (*Answer).place} {
		out = apart(out, answers, more)
	}
	for i := range out {
		if n := slices.Index(out, out[i]); n < i {
			out[i] += fmt.Sprintf(" (%d)", i+1)
		}
	}
	return out
}

// apart adds to names that several answers have what tells these apart.
func apart(names []string, answers []*Answer, more func(*Answer) string) []string {
	out := slices.Clone(names)
	for i, a := range answers {
		for j, b := range answers {
			if i != j && names[i] == names[j] && more(a) != "" && more(a) != more(b) {
				out[i] = names[i] + more(a)
			}
		}
	}
	return out
}

func (a *Answer) name() string { return cmp.Or(a.Label, a.Source.Name(), filepath.Base(a.Dir)) }

// commitOf returns the commit of an answer with a label.
func commitOf(a *Answer) string {
	if a.Label == "" || a.Source.Name() == "" {
		return ""
	}
	return " at " + a.Source.Name()
}

// dayOf returns the time of an answer that is not called after its folder.
func dayOf(a *Answer) string {
	if a.name() == filepath.Base(a.Dir) || a.Created.IsZero() {
		return ""
	}
	return " of " + a.Created.Format("2006-01-02 15:04")
}

// place returns the folder that the run folder or the file lies in; of one that is called after
// something else, itself.
func (a *Answer) place() string {
	if a.name() != filepath.Base(a.Dir) {
		return " in " + filepath.Base(a.Dir)
	}
	return " in " + cmp.Or(filepath.Dir(a.Dir), ".")
}
