package across

import (
	"slices"

	"memcost/internal/report/result"
)

// A builder fills a report.
type builder struct {
	*Report
	answers []*result.Answer
}

// inSeveral returns the studies that at least two machines have, in the order of the answers.
func (b builder) inSeveral() []string {
	boards := map[string][]string{}
	var out []string
	for _, a := range b.answers {
		for _, s := range a.Suites {
			if !s.Unnamed && boards[s.Name] == nil {
				out, boards[s.Name] = append(out, s.Name), []string{}
			}
		}
	}
	for _, m := range b.Machines {
		for _, s := range b.answers[m.Run].Suites {
			if of := boards[s.Name]; of != nil && !slices.Contains(of, m.Board) {
				boards[s.Name] = append(of, m.Board)
			}
		}
	}
	return slices.DeleteFunc(out, func(name string) bool { return len(boards[name]) < 2 })
}

// suite returns a machine's part of a study, nil if it has none.
func (b builder) suite(m Machine, name string) *result.Suite {
	for i := range b.answers[m.Run].Suites {
		if s := &b.answers[m.Run].Suites[i]; s.Name == name {
			return s
		}
	}
	return nil
}

// first returns the first machine's part of a study.
func (b builder) first(study string) *result.Suite {
	for _, m := range b.Machines {
		if s := b.suite(m, study); s != nil {
			return s
		}
	}
	return nil
}
