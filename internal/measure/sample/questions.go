package sample

import (
	"cmp"
	"math"
	"slices"

	"memcost/internal/measure/plan"
	"memcost/internal/method/claim"
	"memcost/internal/method/series"
	"memcost/internal/method/stat"
)

// questions finds out what is still open after the rounds so far, and which cells the next
// round measures for it:
//
//  1. each cell has its first rounds;
//  2. claims that are not decided, and comparisons of arms that are not known to differ or to
//     agree: of them those that the time left suffices for, the quickest first, so that time goes
//     to where a decision is expected soonest; among them, as questions of their own, the
//     intervals of the figures that a study's answer is made of, and, once every claim has had its
//     first look, those of all that fills tables, a comparison each;
//  3. in the time that these leave, the quickest of the claims that look as if they would take
//     longer than there is time;
//  4. when there is nothing else, whatever is still open: all such claims, and figures of tables
//     and costs that are not as precise as asked for.
//
// A run that is to stop when all is decided has no other questions than the first two.
// It depends on the samples and on the time left.
func (e *Engine) questions() openState {
	o := openState{live: map[cell]bool{}}
	cells := e.cellsOf()
	o.groups = len(cells)
	asked := e.ask(&o)
	first := e.upTo(cells, plan.FirstOf(e.Plan))
	interval := e.upTo(cells, e.Plan.LeastRounds())
	o.asked, o.still = len(asked), slices.Clone(asked)
	even := e.Plan.Options.Even && len(asked)+len(first.cells) > 0
	if e.Plan.Options.Rounds > 0 || even {
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
	if !e.Plan.Options.StopWhenDecided {
		asked = append(asked, o.answering...)
	}
	o.questions = append(slices.Clone(asked), first)
	if !e.Plan.Options.StopWhenDecided {
		o.questions = append(o.questions, interval)
	}
	quickestFirst(asked)
	reached, over := asked, overcommitted
	early := len(first.cells) > 0 || slices.ContainsFunc(asked, func(q question) bool { return q.early })
	if !early && !e.Plan.Options.StopWhenDecided && !math.IsInf(left, 1) {
		if batch := e.batch(e.tables(cells), left); len(batch) > 0 {
			reached, over = slices.Concat(asked, batch), 1 // their time is known
		}
	}
	if used := e.within(reached, over*left, o.live); used < spare*left {
		o.addNext(asked)
	}
	switch {
	case len(o.live) > 0:
	case len(interval.cells) > 0 && !e.Plan.Options.StopWhenDecided:
		o.add(interval)
	default:
		for _, q := range asked {
			o.add(q)
		}
		if !e.Plan.Options.StopWhenDecided {
			o.add(e.loose(&o))
		}
	}
	return o
}

// spare is the part of the time left below which what is in reach leaves enough for a question
// that is not.
const spare = 0.7

// overcommitted is how much more is begun than the time left seems to suffice for: forecasts are
// rough, and what is never measured again never gets a better one.
const overcommitted = 1.2

// within makes those questions live that the time left, in seconds, suffices for, and returns
// what they should take together. Cells that serve several questions count once.
func (e *Engine) within(asked []question, left float64, live map[cell]bool) (used float64) {
	quickestFirst(asked)
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

func quickestFirst(asked []question) {
	slices.SortStableFunc(asked, func(a, b question) int { return cmp.Compare(a.sec, b.sec) })
}

// tables are the questions for intervals of all that fills tables: one for the two sides of each
// ratio, which need rounds that both have, and one for each cell that stands in no ratio.
func (e *Engine) tables(cells []cell) (out []question) {
	least, paired := e.Plan.LeastRounds(), map[cell]bool{}
	part := func(rounds int, of ...cell) {
		if rounds <= 0 {
			return
		}
		var q question
		for _, at := range of {
			q.add(at, float64(rounds))
			q.sec += float64(rounds) * e.cost(at)
		}
		out = append(out, q)
	}
	living := map[cell]bool{}
	for _, at := range cells {
		living[at] = true
	}
	for _, pr := range e.Plan.Pairs {
		for _, arm := range e.Plan.SidesOf(e.Plan.Cases[pr[0]].Study) {
			a, b := cell{pr[0], arm}, cell{pr[1], arm}
			if living[a] && living[b] {
				paired[a], paired[b] = true, true
				part(least-e.common(a, b), a, b)
			}
		}
	}
	for _, at := range cells {
		if !paired[at] {
			part(least-e.counted(at), at)
		}
	}
	return out
}

// batch returns the quickest of the questions, as many as a third of the time left, in seconds,
// suffices for. They are answered before the next are begun: were all begun at once, each might
// be one round short when the time is spent, and seven rounds have no interval.
func (e *Engine) batch(tables []question, left float64) []question {
	const part = 3
	quickestFirst(tables)
	sum := 0.0
	for i, q := range tables {
		if sum += q.sec; sum > left/part && (i > 0 || sum > left) {
			return tables[:i]
		}
	}
	return tables
}

// common is the number of rounds that two cells both have.
func (e *Engine) common(a, b cell) (n int) {
	x, y := e.series(a), e.series(b)
	if x == nil || y == nil {
		return 0
	}
	for _, round := range x.Rounds {
		if _, both := slices.BinarySearch(y.Rounds, round); both {
			n++
		}
	}
	return n
}

// upTo are the cells that do not have so many rounds. Of those with a second copy it takes a
// bounded interval at least: the noise floor is what every answer is seen against.
func (e *Engine) upTo(cells []cell, most int) question {
	var q question
	for _, at := range cells {
		rounds := most
		if slices.Contains(e.Plan.Doubles, at.c) {
			rounds = max(rounds, e.Plan.LeastRounds())
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
	var studies [][]*claim.Judged
	e.judge(func(study, k int, judged []*claim.Judged) {
		if k == 0 {
			studies, o.judged = append(studies, judged), append(o.judged, judged[0])
			e.put(&o.answering, e.answering(study, judged[0]))
		}
		j, arm := judged[k], e.Plan.SidesOf(study)[k]
		for _, v := range j.Verdicts {
			if v.Status != claim.Untested {
				o.claims++
			}
			decided := v.Status.Decided()
			if decided {
				o.decided++
			}
			if w, ok := v.Waits(alpha); ok && !(decided && e.Plan.Options.StopWhenDecided) {
				e.put(&asked, e.waiting(study, arm, w))
			}
		}
		for _, p := range j.AtFloor {
			x := j.Ratio(p.Num, p.Den, "sec/op")
			e.put(&asked, e.about(x, e.cell(study, arm, p.Num.Case), e.cell(study, arm, p.Den.Case)))
		}
	})
	if plan.Compared(e.Plan) {
		e.askChanges(o, studies, &asked)
	}
	return asked
}

// answering is the question for the intervals of the figures that a study's answer consists of,
// where it is decided: a sentence shows each figure with its interval, and a claim over several
// places is often decided before any of them has one.
func (e *Engine) answering(study int, j *claim.Judged) question {
	var q question
	for _, id := range e.Studies[study].Written.Answer {
		i := slices.IndexFunc(j.Verdicts, func(v claim.Verdict) bool { return v.Claim == id })
		if i < 0 || !j.Verdicts[i].Status.Decided() {
			continue
		}
		for _, x := range j.Verdicts[i].Elements {
			for _, name := range x.Cases {
				at := e.cell(study, e.Plan.SidesOf(study)[0], name)
				if at.c < 0 || x.Single || x.Status == claim.Untested {
					continue
				}
				if n := e.counted(at); n < e.Plan.LeastRounds() {
					q.add(at, float64(e.Plan.LeastRounds()-n))
				}
			}
		}
		break
	}
	return e.lively(q)
}

// askChanges adds the comparisons of arms of which the answer, in which all that a run reports is
// counted together, would still say nothing. What stood at its own level need not stand there. A change stays until it is
// known to differ or to agree, however precise it is; without a budget, until that is out of reach.
func (e *Engine) askChanges(o *openState, studies [][]*claim.Judged, asked *[]question) {
	claim.Discover(studies, e.Plan.Options.Alpha)
	for study, judged := range studies {
		arms := e.Plan.SidesOf(study)
		for k, j := range judged {
			for _, c := range j.Changes {
				undecided, imprecise := c.Difference == claim.Open, e.imprecise(o, c.Estimate)
				if !undecided && !(e.Plan.Options.Even && imprecise) {
					continue
				}
				if undecided && !slices.Contains(o.undecided, c.Case) {
					o.undecided = append(o.undecided, c.Case)
				}
				q := e.about(c.Estimate, e.cell(study, arms[k], c.Case), e.cell(study, arms[0], c.Case))
				if waits := c.Waits(e.Plan.Options.Alpha); undecided {
					if math.IsInf(waits, 1) && !imprecise && e.Plan.Options.Budget == 0 {
						o.beyond++
						continue
					}
					for i := range q.rounds { // its verdict needs no precision, and what is precise may need more for it
						if !imprecise {
							q.rounds[i] = waits
						}
						q.rounds[i] = max(min(q.rounds[i], waits), 1)
					}
				}
				e.put(asked, q)
			}
		}
	}
}

// loose collects, as one question, the figures that tables show and that are not as precise as
// asked for: ratios, and costs that stand in no ratio.
func (e *Engine) loose(o *openState) (all question) {
	e.judge(func(study, k int, judged []*claim.Judged) {
		j, arm := judged[k], e.Plan.SidesOf(study)[k]
		inRatio := map[*series.Series]bool{}
		for _, p := range claim.RatioPairs(e.Studies[study].Written, j.Cases) {
			inRatio[p.Num], inRatio[p.Den] = true, true
			if x := j.Ratio(p.Num, p.Den, "sec/op"); e.imprecise(o, x) {
				all.join(o, e.about(x, e.cell(study, arm, p.Num.Case), e.cell(study, arm, p.Den.Case)))
			}
		}
		for _, c := range j.Cases {
			if len(judged) == 1 && !inRatio[c] {
				if x := j.Estimate(c, "sec/op"); e.imprecise(o, x) {
					all.join(o, e.about(x, e.cell(study, arm, c.Case)))
				}
			}
		}
	})
	return all
}

// judge judges every study and calls fn for each of its arms, by the arm's place among them.
func (e *Engine) judge(fn func(study, k int, judged []*claim.Judged)) {
	for i, s := range claim.Pooled(e.Studies, e.set) {
		var arms []string
		for _, a := range e.Plan.SidesOf(i) {
			arms = append(arms, e.Plan.Sides[a].Name)
		}
		judged := claim.JudgeArms(s, e.set, arms, e.Plan.Options.Alpha, nil)
		for k := range judged {
			fn(i, k, judged)
		}
	}
}

// put adds a question that some cell can still answer.
func (e *Engine) put(to *[]question, q question) {
	for i, at := range q.cells {
		q.sec += q.rounds[i] * e.cost(at)
	}
	if len(q.cells) > 0 {
		*to = append(*to, q)
	}
}

// waiting is the question that a verdict waits for.
func (e *Engine) waiting(study, arm int, w claim.Wait) question {
	var q question
	for _, p := range w.Places {
		for _, name := range p.Cases {
			q.add(e.cell(study, arm, name), p.Rounds)
		}
	}
	q.early = w.Early
	for _, p := range w.Places {
		if len(p.Rests.D) > 0 {
			q.rests = append(q.rests, p.Rests)
		}
	}
	return e.lively(q)
}

// about is the question for a ratio or a cost that is not as precise as asked for. Its interval
// shrinks with the square root of the rounds, and is made at the next look; one that is not bounded needs the first that
// bounds it.
func (e *Engine) about(x claim.Estimate, cells ...cell) question {
	alpha, least := e.Plan.Options.Alpha, float64(e.Plan.LeastRounds()-x.Counted)
	q := question{blind: math.IsInf(x.Half(), 1), rests: []stat.Rounds{x.Rests()}}
	rounds := max(least, 1)
	if !q.blind {
		rounds = x.Waits(e.Plan.JudgedAt(), e.Plan.Options.Precision, alpha)
	}
	for _, at := range cells {
		q.add(at, rounds)
	}
	return e.lively(q)
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

// A cell is a case on an arm: what is measured or left out.
type cell struct{ c, arm int }

// A question is something that is still to be found out, and how many more rounds of which
// cells that should take.
type question struct {
	cells  []cell
	rounds []float64     // parallel to cells; +Inf: not to be expected
	sec    float64       // what they cost
	early  bool          // nothing is known yet of how many rounds it takes
	blind  bool          // rounds lead to a first interval, and what follows is not known
	rests  []stat.Rounds // what its figures rest on so far
}

type studyCase struct {
	study int
	name  string
}

// join adds the cells of a question that is still to be answered.
func (q *question) join(o *openState, more question) {
	if len(more.cells) > 0 {
		o.still = append(o.still, more)
	}
	q.cells, q.rounds = append(q.cells, more.cells...), append(q.rounds, more.rounds...)
	q.blind = q.blind || more.blind
}

// add adds a cell, or takes the greater number of rounds where it is there.
func (q *question) add(at cell, rounds float64) {
	if i := slices.Index(q.cells, at); i >= 0 {
		q.rounds[i] = max(q.rounds[i], rounds)
		return
	}
	q.cells, q.rounds = append(q.cells, at), append(q.rounds, rounds)
}

// openState is what is still to be found out after some rounds.
type openState struct {
	live            map[cell]bool // what the next round measures
	asked           int           // claims and comparisons of arms that are open
	groups          int           // cells that can be measured at all
	claims, decided int
	undecided       []string        // cases of which a comparison of arms is not decided
	beyond          int             // comparisons of arms that no number of rounds in sight decides
	precision       float64         // widest half-width of an estimate that is not precise enough yet
	judged          []*claim.Judged // the studies, on their first arm
	still           []question      // what is open, with the figures of tables where they are asked for
	answering       []question      // the intervals of the figures that answer the studies
	// what is to be found out in the end: claims, comparisons, and the rounds of each cell
	questions []question
}

func (o openState) add(q question) {
	for _, at := range q.cells {
		o.live[at] = true
	}
}

// addNext makes the quickest of the questions live that is not yet. Their order is theirs.
func (o openState) addNext(sorted []question) {
	for _, q := range sorted {
		rest := slices.DeleteFunc(slices.Clone(q.cells), func(at cell) bool { return o.live[at] })
		if len(rest) > 0 && !math.IsInf(q.sec, 1) {
			o.add(q)
			return
		}
	}
}
