package fleet

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Submission is how far that is which was given to a scheduler at once.
type Submission struct {
	Submitted
	Tasks int `json:"tasks"`
	Begun int `json:"begun"` // tasks that began at least one attempt
	// Since is how long ago it was submitted, in nanoseconds.
	Since time.Duration `json:"since_ns"`
}

// submissions returns how far each is.
func (l *listing) submissions(now time.Time) []Submission {
	var out []Submission
	for _, g := range l.submitted {
		s := Submission{Submitted: g.Submitted, Since: max(now.Sub(g.written), 0)}
		for _, j := range g.Jobs {
			s.Tasks += j.Tasks
		}
		var begun []string
		for _, a := range l.attempts {
			if a.begun != nil && strings.HasPrefix(a.begun.Job, strconv.Itoa(g.Number)+"/") {
				begun = append(begun, a.begun.Job)
			}
		}
		slices.Sort(begun)
		s.Begun = len(slices.Compact(begun))
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Submission) int { return a.Number - b.Number })
	return out
}
