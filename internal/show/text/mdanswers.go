package text

import (
	"memcost/internal/report/compare"
	"memcost/internal/report/result"
)

// mdAnswers are answers while they are written as Markdown.
type mdAnswers struct {
	mdWriter
	answers  []*result.Answer
	names    []string
	groups   []compare.Suite
	compared []compare.Comparison
}

// data names an arm of an answer.
func (m *mdAnswers) data(answer int, arm string) string {
	switch {
	case len(m.answers) == 1 || arm == m.names[answer]:
		return mdName(arm)
	case len(m.answers[answer].Arms) == 1 && m.answers[answer].Kind == result.File:
		return mdName(m.names[answer])
	}
	return mdName(m.names[answer]) + " · " + mdName(arm)
}
