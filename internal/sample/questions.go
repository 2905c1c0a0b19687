package sample

import (
	"math"
	"slices"

	"memcost/internal/claim"
	"memcost/internal/plan"
	"memcost/internal/series"
	"memcost/internal/stat"
)

// firstRounds is the number of rounds that every case gets, whatever asks for it: what fills a
// table alone has a figure early, and a median of three is not that of one odd sample.
const firstRounds = 3

// A cell is a case on an arm: what is measured or left out.
type cell struct{ c, arm int }

// A question is something that is still to be found out, and how many more rounds of which
// cells that should take.
type question struct {
	cells  []cell
	rounds []float64 // parallel to cells; +Inf: not to be expected
	sec    float64   // what they cost
}

// questions finds out what is still open after the rounds so far, and which cells the next
// round measures for it:
//
//  1. each cell has its first rounds;
//  2. claims that are not decided, and comparisons of arms that are not known to differ or to
//     agree: of them those that the time left suffices for, the quickest first, so that time goes
//     to where ln E is expected to grow most per second;
//  3. when none of these is left, each cell gets the rounds that an interval takes;
//  4. then whatever is still open: claims that look as if they would take longer than there
//     is time, and figures of tables and costs that are not as precise as asked for.
//
// A run that is to stop when all is decided has no other questions than the first two.
// It depends on the samples and on the time left.
func (e *Engine) questions() openState {
	o := openState{live: map[cell]bool{}}
	cells := e.cells()
	o.groups = len(cells)
	asked := e.ask(&o)
	first := e.upTo(cells, firstRounds)
	interval := e.upTo(cells, stat.MinRounds(e.Plan.Options.Alpha))
	o.asked = len(asked)
	if e.Plan.Options.Rounds > 0 {
		for _, at := range cells {
			o.live[at] = true
		}
		return o
	}
	o.add(first)
	left := math.Inf(1)
	if b := e.Plan.Options.Budget; b > 0 {
		left = b.Seconds() - e.wall - first.sec
	}
	o.need = first.sec + e.within(asked, left, o.live)
	switch {
	case len(o.live) > 0:
	case len(interval.cells) > 0 && !e.Plan.Options.StopWhenDecided:
		o.add(interval)
		o.need += interval.sec
	default:
		for _, q := range asked {
			o.add(q)
		}
		if !e.Plan.Options.StopWhenDecided {
			o.add(e.loose(&o))
		}
		o.need = math.Inf(1)
	}
	return o
}

// within makes those questions live that the time left, in seconds, suffices for, and returns
// what they should take together. Cells that serve several questions count once.
func (e *Engine) within(asked []question, left float64, live map[cell]bool) (used float64) {
	slices.SortStableFunc(asked, func(a, b question) int { return compare(a.sec, b.sec) })
	rounds := map[cell]float64{}
	for _, q := range asked {
		more := 0.0
		for i, at := range q.cells {
			more += max(q.rounds[i]-rounds[at], 0) * e.cost(at)
		}
		if math.IsInf(more, 1) || math.IsNaN(more) || used+more > left {
			continue
		}
		used += more
		for i, at := range q.cells {
			rounds[at] = max(rounds[at], q.rounds[i])
			live[at] = true
		}
	}
	return used
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// cost is what a round of a cell takes in seconds: so far, or as calibration foretells.
func (e *Engine) cost(at cell) float64 {
	if s := e.series(at); s != nil && s.Wall > 0 && len(s.Rounds) > 0 {
		return s.Wall / float64(len(s.Rounds))
	}
	c := e.Plan.Cases[at.c]
	return c.Estimate*float64(c.N) + c.StartUp
}

func (e *Engine) series(at cell) *series.Series {
	c := e.Plan.Cases[at.c]
	return e.set.Get(series.ID{Suite: e.Plan.Suites[c.Suite].Name, Case: c.Name, Arm: e.Plan.Arms[at.arm].Name})
}

// cells are those that can still give a result.
func (e *Engine) cells() []cell {
	var out []cell
	for i, c := range e.Plan.Cases {
		if !e.Plan.Mine(c.Group) {
			continue
		}
		for _, a := range e.Plan.ArmsOf(c.Suite) {
			if s := e.series(cell{i, a}); s == nil || !hopeless(s) {
				out = append(out, cell{i, a})
			}
		}
	}
	return out
}

// tried is the number of rounds before one in which a cell was measured, those that do not count
// among them.
func (e *Engine) tried(at cell, round int) int {
	s := e.series(at)
	if s == nil {
		return 0
	}
	n, _ := slices.BinarySearch(s.Rounds, int32(round))
	for _, f := range s.Failures {
		if f.Round < round {
			n++
		}
	}
	return n
}

// counted is the number of rounds that count for a cell.
func (e *Engine) counted(at cell) int {
	s := e.series(at)
	switch {
	case s == nil:
		return 0
	case !slices.Contains(s.Units(), "sec/op"): // it reports other figures, and no time
		return len(s.Rounds)
	}
	return len(e.set.Valid(s, "sec/op"))
}

// upTo are the cells that do not have so many rounds. Of those with a second copy it takes a
// bounded interval at least: the noise floor is what every answer is seen against.
func (e *Engine) upTo(cells []cell, most int) question {
	var q question
	for _, at := range cells {
		rounds := most
		if slices.Contains(e.Plan.Doubles, at.c) {
			rounds = max(rounds, stat.MinRounds(e.Plan.Options.Alpha))
		}
		if n := e.counted(at); n < rounds {
			q.cells, q.rounds = append(q.cells, at), append(q.rounds, float64(rounds-n))
			q.sec += float64(rounds-n) * e.cost(at)
		}
	}
	return q
}

// ask collects the questions of claims and of comparisons of arms.
func (e *Engine) ask(o *openState) (asked []question) {
	alpha := e.Plan.Options.Alpha
	e.judge(true, func(suite, k int, judged []*claim.Judged) {
		j, arm, first := judged[k], e.Plan.ArmsOf(suite)[k], e.Plan.ArmsOf(suite)[0]
		for _, v := range j.Verdicts {
			if v.Status != claim.Untested {
				o.claims++
			}
			if v.Status == claim.Holds || v.Status == claim.Fails {
				o.decided++
			}
			if w, ok := v.Waits(alpha); ok {
				e.put(&asked, e.waiting(suite, arm, w))
			}
		}
		for _, p := range j.AtFloor {
			x := j.Ratio(p.Num, p.Den, "sec/op")
			e.put(&asked, e.about(x, suite, memberOf(arm, p.Num), memberOf(arm, p.Den)))
		}
		for _, c := range j.Cases {
			if base := judged[0].Find(c.Case); k > 0 && base != nil {
				if x := j.Ratio(c, base, "sec/op"); e.uncompared(o, x) {
					e.put(&asked, e.about(x, suite, memberOf(arm, c), memberOf(first, base)))
				}
			}
		}
	})
	return asked
}

// loose collects, as one question, the figures that tables show and that are not as precise as
// asked for: ratios, and costs that stand in no ratio.
func (e *Engine) loose(o *openState) (all question) {
	e.judge(false, func(suite, k int, judged []*claim.Judged) {
		j, arm := judged[k], e.Plan.ArmsOf(suite)[k]
		inRatio := map[*series.Series]bool{}
		for _, p := range claim.RatioPairs(e.Suites[suite].Study, j.Cases) {
			inRatio[p.Num], inRatio[p.Den] = true, true
			if x := j.Ratio(p.Num, p.Den, "sec/op"); e.imprecise(o, x) {
				all.join(e.about(x, suite, memberOf(arm, p.Num), memberOf(arm, p.Den)))
			}
		}
		for _, c := range j.Cases {
			if len(judged) == 1 && !inRatio[c] {
				if x := j.Estimate(c, "sec/op"); e.imprecise(o, x) {
					all.join(e.about(x, suite, memberOf(arm, c)))
				}
			}
		}
	})
	return all
}

// judge judges every suite and calls fn for each of its arms, by the arm's place among them.
func (e *Engine) judge(terse bool, fn func(suite, k int, judged []*claim.Judged)) {
	for i, s := range claim.Pooled(e.Suites, e.set) {
		var arms []string
		for _, a := range e.Plan.ArmsOf(i) {
			arms = append(arms, e.Plan.Arms[a].Name)
		}
		s.Terse = terse
		judged := claim.JudgeArms(s, e.set, arms, e.Plan.Options.Alpha, nil)
		for k := range judged {
			fn(i, k, judged)
		}
	}
}

// A member is a case of a suite on an arm, by its name.
type member struct {
	arm  int
	name string
}

func memberOf(arm int, s *series.Series) member { return member{arm, s.Case} }

// put adds a question that some cell can still answer.
func (e *Engine) put(to *[]question, q question) {
	for i, at := range q.cells {
		q.sec += q.rounds[i] * e.cost(at)
	}
	if len(q.cells) > 0 {
		*to = append(*to, q)
	}
}

// join adds the cells of a question.
func (q *question) join(more question) {
	q.cells, q.rounds = append(q.cells, more.cells...), append(q.rounds, more.rounds...)
}

// waiting is the question that a verdict waits for.
func (e *Engine) waiting(suite, arm int, w claim.Wait) question {
	var q question
	for _, p := range w.Places {
		for _, name := range p.Cases {
			q.add(e.cell(suite, arm, name), p.Rounds)
		}
	}
	return e.lively(q)
}

// about is the question for a ratio or a cost that is not as precise as asked for. Its interval
// shrinks with the square root of the rounds; one that is not bounded needs the first that
// bound it.
func (e *Engine) about(x claim.Estimate, suite int, members ...member) question {
	rounds := float64(max(stat.MinRounds(e.Plan.Options.Alpha)-x.Rounds, 1))
	if half := x.Half(); x.Rounds > 0 && !math.IsInf(half, 1) && !math.IsNaN(half) {
		ratio := half / e.Plan.Options.Precision
		rounds = max(math.Ceil(float64(x.Rounds)*(ratio*ratio-1)), 1)
	}
	var q question
	for _, m := range members {
		q.add(e.cell(suite, m.arm, m.name), rounds)
	}
	return e.lively(q)
}

// add adds a cell, or takes the greater number of rounds where it is there.
func (q *question) add(at cell, rounds float64) {
	if i := slices.Index(q.cells, at); i >= 0 {
		q.rounds[i] = max(q.rounds[i], rounds)
		return
	}
	q.cells, q.rounds = append(q.cells, at), append(q.rounds, rounds)
}

// lively drops the question of which a cell is past hope or not this shard's.
func (e *Engine) lively(q question) question {
	for _, at := range q.cells {
		if at.c < 0 || !e.Plan.Mine(e.Plan.Cases[at.c].Group) {
			return question{}
		}
		if s := e.series(at); s != nil && hopeless(s) {
			return question{}
		}
	}
	return q
}

// cell finds a case of a suite by its name; its index is −1 where the plan has none.
func (e *Engine) cell(suite, arm int, name string) cell {
	if e.index == nil {
		e.index = map[suiteCase]int{}
		for i, c := range e.Plan.Cases {
			e.index[suiteCase{c.Suite, c.Name}] = i
		}
	}
	if i, ok := e.index[suiteCase{suite, name}]; ok {
		return cell{i, arm}
	}
	return cell{-1, arm}
}

type suiteCase struct {
	suite int
	name  string
}

// imprecise reports whether an estimate needs more rounds, and keeps account of the widest.
func (e *Engine) imprecise(o *openState, x claim.Estimate) bool {
	if x.Rounds == 0 || x.Interval.IsEmpty() {
		return false // nothing to estimate; or a drift that rounds will not mend
	}
	half := x.Half()
	if half <= e.Plan.Options.Precision {
		return false
	}
	if !math.IsInf(half, 1) {
		o.precision = max(o.precision, half)
	}
	return true
}

// uncompared reports whether it is still open if two arms differ: they are
// known to, by more than the margin; or known to be equal within it; or their
// ratio is known as precisely as was asked for.
func (e *Engine) uncompared(o *openState, x claim.Estimate) bool {
	return claim.Compare(x) == claim.Open && e.imprecise(o, x)
}

// state is what the next round is drawn from.
func (e *Engine) state(round int) plan.State {
	return plan.State{
		Live:    func(c, arm int) bool { return e.open.live[cell{c, arm}] },
		Taken:   func(c, arm int) int { return e.tried(cell{c, arm}, round) },
		Suspect: sieved(e),
	}
}
