package fleet

import (
	"slices"

	"memcost/internal/measure/plan"
)

// Question returns that of the run that the attempts of a set are together: of the whole plan, on
// the machine as it was at last. What is missing of it shows when its samples are read.
func (s Set) Question() *plan.Question {
	q := *s.Folders[0].Question
	last := s.Folders[len(s.Folders)-1].Question
	q.Machine, q.Certificate, q.Attempt = last.Machine, last.Certificate, nil
	q.Warnings, q.LeftOut = nil, nil
	for _, f := range s.Folders {
		q.Warnings = addNew(q.Warnings, f.Question.Warnings)
		q.LeftOut = addNew(q.LeftOut, f.Question.LeftOut)
		if f.Question.Created.Before(q.Created) {
			q.Created = f.Question.Created
		}
	}
	o := &q.Plan.Options
	o.Shard, o.Shards, o.Draw = 0, 0, 0
	q.Plan.Parts, q.Plan.Missing = nil, nil
	return &q
}

func addNew(to, more []string) []string {
	for _, s := range more {
		if !slices.Contains(to, s) {
			to = append(to, s)
		}
	}
	return to
}
