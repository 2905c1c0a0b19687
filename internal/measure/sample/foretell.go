package sample

import (
	"math"
	"time"

	"memcost/internal/method/claim"
)

// foretell finds out, when it is time, how long the run would take until nothing is left to be
// found out. The figures of tables are asked for only where all else has an end in sight: their
// intervals take time.
func (e *Engine) foretell(now func() time.Time) {
	if !e.end.Due(e.wall) {
		return
	}
	began := now()
	sec := e.need(e.open.questions)
	if !math.IsInf(sec, 1) && !e.Plan.Options.StopWhenDecided && e.wall+sec < e.budget() {
		sec = e.need(append(e.open.questions, e.loose(&openState{})))
	}
	e.end.Foretold(e.wall, sec, now().Sub(began).Seconds())
}

func (e *Engine) budget() float64 {
	if b := e.Plan.Options.Budget; b > 0 {
		return b.Seconds()
	}
	return math.Inf(1)
}

// need is how many seconds questions take together; +Inf if that is not known of one of them.
// Cells that serve several count once.
func (e *Engine) need(all []question) (sec float64) {
	rounds := map[cell]float64{}
	for _, q := range all {
		if q.early || q.blind {
			return math.Inf(1)
		}
		for i, at := range q.cells {
			rounds[at] = max(rounds[at], q.rounds[i])
		}
	}
	for at, n := range rounds {
		sec += n * e.cost(at)
	}
	return sec
}

// inFull judges a suite on its first arm with all intervals.
func (e *Engine) inFull(suite int) *claim.Judged {
	arm := e.Plan.Arms[e.Plan.ArmsOf(suite)[0]].Name
	s := claim.Pooled(e.Suites, e.set)[suite]
	return claim.JudgeArms(s, e.set, []string{arm}, e.Plan.Options.Alpha, nil)[0]
}
