package session

import (
	"time"

	"memcost/internal/measure/plan"
	"memcost/internal/measure/stacks"
)

// Stacks is the value of plan.Question.Recorded for programs whose stacks were recorded.
// Such a run cannot be resumed: its folder is made when the programs have ended.
const Stacks = "stack"

// KeepStacks makes a run folder of what the study's programs did with their stacks, and
// returns where it is. leftOut are the toolchains that did not run them.
func KeepStacks(t *Tools, from Origin, results string, leftOut []string, runs []*stacks.Run) (dir string, err error) {
	st, err := Study(stacks.Claims)
	if err != nil {
		return "", err
	}
	q, err := NewQuestion(from)
	if err != nil {
		return "", err
	}
	q.Recorded, q.LeftOut = Stacks, leftOut
	q.Plan = plan.Plan{Options: plan.Options{Alpha: plan.Alpha}, Studies: []plan.Study{recordStudy(st)}}
	stacks.Sides(q, runs)
	r := &record{Tools: t, Question: q}
	defer r.Close()
	if err := r.makeFolder(results, time.Now()); err != nil {
		return "", err
	}
	if err := stacks.Keep(r.Folder, q.Header(), runs); err != nil {
		return "", err
	}
	return r.Folder.Dir, r.save()
}
