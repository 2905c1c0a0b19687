package claim

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"memcost/internal/method/stat"
)

// refute asks whether the claim fails. It says that its figure is allowed at each of m places,
// and every place has an e-value against that; their mean is one against all of it, under any
// dependence between the places (Vovk and Wang, "E-values: calibration, combination and
// applications", Annals of Statistics 49, 2021). It reaches 1/alpha where one place
// reaches m/alpha, and where several together do. e-BH then names the places, or, where it
// names none, the one that speaks loudest.
//
// As with what holds, it is asked after every round, and an answer stays.
func refute(elements []Element, alpha float64) {
	var at []*Element
	holds := true
	for i := range elements {
		e := &elements[i]
		if e.basis != nil || e.strict != nil {
			at = append(at, e)
			holds = holds && e.Status == Holds
		}
	}
	if len(at) == 0 || holds {
		return
	}
	places := make([]testimony, len(at))
	for i, e := range at {
		places[i] = newPlace(e, alpha, len(at))
	}
	for _, round := range looksOf(places) {
		logE := make([]float64, len(places))
		for i := range places {
			logE[i] = places[i].most(round)
		}
		if logMean(logE) < -math.Log(alpha) {
			continue
		}
		for i := range places {
			logE[i] = places[i].logE(round)
		}
		if logMean(logE) >= -math.Log(alpha) {
			failed(at, named(places, logE, alpha), alpha)
			return
		}
	}
}

// named returns the e-values that name the places: of all rounds, or of the look where it names more.
func named(places []testimony, decided []float64, alpha float64) []float64 {
	all := make([]float64, len(places))
	for i := range places {
		all[i] = places[i].logE(math.MaxInt32 - 1)
	}
	_, then := stat.EBH(decided, alpha)
	if _, now := stat.EBH(all, alpha); now < max(then, 1) {
		return decided
	}
	return all
}

// failed marks the places at which a claim fails.
func failed(at []*Element, logE []float64, alpha float64) {
	selected, k := stat.EBH(logE, alpha)
	if k == 0 {
		loudest := slices.Index(logE, slices.Max(logE))
		selected[loudest] = true
		at[loudest].Note = "it fails over all sizes together, here most"
	}
	for i, e := range at {
		if selected[i] {
			e.Status = Fails
		}
	}
}

// A testimony is a place of a claim with what its rounds say against the claim.
type testimony struct {
	e      *Element
	lo, hi float64   // what the claim allows, in the scale of the basis
	ends   []float64 // see basis.most
	fixed  float64   // ln of the e-value of a place without a basis, by its interval
}

func newPlace(e *Element, alpha float64, m int) testimony {
	p := testimony{e: e, fixed: math.Inf(-1)}
	switch {
	case e.Doubt != "" || e.Status == Untested: // it says nothing
	case e.basis != nil:
		p.lo, p.hi = e.denied()
		p.ends = e.basis.most(p.lo, p.hi)
	case e.allowed.contradicts(e.strict(alpha / float64(m))):
		p.fixed = math.Log(float64(m) / alpha)
	}
	return p
}

// count returns how many of the place's rounds were taken by a round.
func (p testimony) count(round int32) int {
	n, _ := slices.BinarySearch(p.e.basis.at, round+1)
	return n
}

// most returns what logE does not exceed.
func (p testimony) most(round int32) float64 {
	if p.ends == nil {
		return p.fixed
	}
	n := p.count(round)
	if n == 0 {
		return 0
	}
	return p.ends[n-1]
}

// logE returns ln of the e-value against the claim at the place, after a round.
func (p testimony) logE(round int32) float64 {
	if p.ends == nil {
		return p.fixed
	}
	n := p.count(round)
	if n == 0 {
		return 0
	}
	return p.e.basis.until(n).against(p.lo, p.hi)
}

// looksOf returns the rounds after which it is asked whether the places refute the claim.
func looksOf(places []testimony) []int32 {
	var rounds []int32
	own := false
	for _, p := range places {
		if p.ends != nil {
			rounds, own = append(rounds, p.e.basis.at...), own || p.e.basis.own
		}
	}
	slices.Sort(rounds)
	rounds = slices.Compact(rounds)
	if len(rounds) == 0 {
		return []int32{math.MaxInt32 - 1} // nothing that changes from round to round
	}
	if own {
		return rounds[len(rounds)-1:] // see basis.reached
	}
	var out []int32
	for _, n := range stat.Looks(len(rounds)) {
		out = append(out, rounds[n-1])
	}
	return out
}

// logMean returns ln of the mean of exp(x).
func logMean(x []float64) float64 { return floats.LogSumExp(x) - math.Log(float64(len(x))) }
