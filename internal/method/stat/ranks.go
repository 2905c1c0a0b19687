package stat

import (
	"math"
	"slices"
	"sync"
)

// Rounds are the differences of a comparison, one for each round, with what is known of how much they tell together.
type Rounds struct {
	D []float64
	// Tau is how many rounds tell as much as one independent round: 1 where they do not depend on each other, and
	// of two sides of the same code, whose coin makes the signs fair whatever the machine does. 0 is 1.
	Tau float64
	// Links has the link of each round; nil where there is one, or none is known. Share is the part of
	// the variance of a round that lies between links, and Freedom the degrees of freedom with which it is known.
	Links   []int
	Share   float64
	Freedom float64
	// PerLink is how many of the rounds to come share a link, where further links are drawn; 0: there are none.
	PerLink float64
	// OnePeak says that what the rounds scatter by has one peak, at the truth. It is not asked of sides of the same code.
	OnePeak bool
}

// At returns the interval of the centre of the first n rounds at level 1 − level: that of Wilcoxon's signed ranks, whose
// ends are means of two rounds. It is exact for what scatters symmetrically: for sides that are the same, by
// the coin alone.
//
// Where rounds depend on each other, or share links, it is widened around the Hodges–Lehmann estimate: by the root of
// how many rounds count as one (Kish's design effect for links), and by Student's t of the
// degrees of freedom that this leaves over that of independent rounds. It is (−Inf, +Inf)
// where n rounds cannot decide at this level, and where [Check] refuses a value.
func (r Rounds) At(n int, level float64) Interval {
	if n < 1 || n > len(r.D) || !(level > 0) || Check(r.D[:n]) != nil {
		return Whole()
	}
	sorted := slices.Sorted(slices.Values(r.D[:n]))
	if least := rarest(n); level < least {
		if !r.OnePeak || n < firstLook {
			return Whole()
		}
		beside, iv := r.beside(n, level)*(sorted[n-1]-sorted[0]), r.At(n, least)
		return Interval{min(iv.Lo, sorted[0]-beside), max(iv.Hi, sorted[n-1]+beside)}
	}
	out := criticalSum(n, level)
	all := n * (n + 1) / 2
	iv := Interval{rankedSum(sorted, out+1) / 2, rankedSum(sorted, all-out) / 2}
	f := r.widening(n, level)
	if f == 1 {
		return iv
	}
	centre := HodgesLehmann(sorted)
	far := r.far(madScale * medianAbs(sorted, centre))
	return Interval{centre - widened(centre-iv.Lo, f, far), centre + widened(iv.Hi-centre, f, far)}
}

// beside returns how many times their range the truth may lie beside n rounds at a level that their signs alone cannot reach.
//
// Where rounds scatter symmetrically with one peak, those that lie together and far from it are rarer than their signs
// say: given the furthest, the others fall into the last 1/(1+x) of the way to it with probability 1/(2(1+x)) at
// most each, for the density falls. So all n lie on one side, x times their range away from the truth, with
// probability n (2(1+x))^(1−n) at most, both sides counted. Of rounds that depend on each other those count that tell as much.
func (r Rounds) beside(n int, level float64) float64 {
	_, design := r.design(n)
	freedom := float64(n)/design - 1
	if freedom <= 0 {
		return math.Inf(1)
	}
	return max(0, math.Pow(float64(n)/level, 1/freedom)/2-1)
}

// widened returns f times a distance, and no more than what is far where that is more than the distance.
func widened(distance, f, far float64) float64 {
	if distance == 0 {
		return 0
	}
	return min(f*distance, max(far, distance))
}

// far returns what no rounds that wander reach, if their robust standard deviation is sd.
func (r Rounds) far(sd float64) float64 {
	if r.Share > 0 {
		return math.Inf(1)
	}
	return farSpreads * math.Sqrt(max(r.Tau, 1)) * sd
}

// farSpreads is the distance from the centre, in robust standard deviations and √τ, from which on rounds that wander cannot have
// come by chance: they give many of one sign, but do not agree among themselves so much better than with what is
// so far away. Without it a ratio of 7 with a noise of 5% would wait for the tenth round and more because of a
// correlation that makes no difference.
const farSpreads = 5

// widening returns by how much the interval of n rounds at a level is wider than that of independent rounds.
func (r Rounds) widening(n int, level float64) float64 {
	freedom, design := r.design(n)
	switch {
	case design == 1:
		return 1
	case freedom <= 0 || design >= float64(n):
		return math.Inf(1)
	}
	// Rounds that are alike vary less among themselves than about the truth.
	apart := design / (1 - design/float64(n))
	return math.Sqrt(apart) * student(freedom).upper(level/2) / student(float64(n-1)).upper(level/2)
}

// design returns the design effect of n rounds, which is the variance of their mean in that of a round over n, and the
// degrees of freedom with which it is known.
func (r Rounds) design(n int) (freedom, design float64) {
	tau, kish := max(r.Tau, 1), 1.0
	if r.Share > 0 {
		kish = r.kish(n)
	}
	// What lies within links, and what lies between them.
	within, between := (1-r.Share)*tau, r.Share*max(kish, tau)
	freedom, design = float64(n)/tau-1, within+between
	if r.Share > 0 && freedom > 0 { // Satterthwaite
		freedom = design * design / (within*within/freedom + between*between/(r.Freedom+r.further(n)))
	}
	return freedom, design
}

// kish returns how many rounds a link has, weighed by rounds: Σ n_k² / n. Rounds that are still to come have links of
// their own, or, where no further ones are drawn, are spread over the links as those so far are.
func (r Rounds) kish(n int) float64 {
	counted := min(n, len(r.Links))
	squares := 0.0
	for _, k := range linksOf(r.Links[:counted]) {
		squares += k * k
	}
	if more := float64(n - counted); r.PerLink > 0 && more > 0 {
		return max(1, (squares+more*min(max(r.PerLink, 1), more))/float64(n))
	}
	return max(1, squares/float64(counted)*float64(n)/float64(counted))
}

// further returns how many links are drawn up to a round to come.
func (r Rounds) further(n int) float64 {
	if r.PerLink <= 0 || n <= len(r.Links) {
		return 0
	}
	return float64(n-len(r.Links)) / max(r.PerLink, 1)
}

// LimitedByLinks reports whether more of the interval's width comes from the links that the rounds ran than from what they
// scatter by else: further rounds of the same links then hardly narrow it.
func (r Rounds) LimitedByLinks() bool {
	n := len(r.Links)
	return n > 0 && r.Share > 0 && r.Share*r.kish(n) > (1-r.Share)*max(r.Tau, 1)
}

// SignedRanks returns the two-sided p-value of d being centred on 0, by Wilcoxon's signed ranks: of sums of
// two rounds, i ≤ j, those above 0 and those below it are counted, and the fewer are looked up. Ties can only make it
// larger. It is 1 without rounds and where [Check] refuses a value.
func SignedRanks(d []float64) float64 {
	if len(d) == 0 || Check(d) != nil {
		return 1
	}
	sorted := slices.Sorted(slices.Values(d))
	n := len(sorted)
	all := n * (n + 1) / 2
	below, notAbove := sumsUpTo(sorted, math.Nextafter(0, -1)), sumsUpTo(sorted, 0)
	// Sums that are 0 count for the side that has fewer.
	fewer := all - max(below, all-notAbove)
	return min(1, 2*sumShare(n, fewer))
}

// exactRanks is the number of rounds up to which the distribution of the sum of ranks is counted; the normal
// approximation of more is a tenth too large where it is 0.005, on the safe side.
const exactRanks = 60

// sumShares returns, for each t, the probability that the sum of the ranks 1..n that a fair coin selects is at most t.
func sumShares(n int) []float64 {
	if known, ok := ranks.Load(n); ok {
		return known.([]float64)
	}
	share := make([]float64, n*(n+1)/2+1)
	share[0] = 1
	for rank := 1; rank <= n; rank++ {
		for t := len(share) - 1; t >= 0; t-- {
			share[t] /= 2
			if t >= rank {
				share[t] += share[t-rank] / 2
			}
		}
	}
	for t := 1; t < len(share); t++ {
		share[t] += share[t-1]
	}
	ranks.Store(n, share)
	return share
}

// ranks holds what was counted: by n, a []float64.
var ranks sync.Map

// sumShare returns the probability that the sum of selected ranks is at most t.
func sumShare(n, t int) float64 {
	if n <= exactRanks {
		return sumShares(n)[min(t, n*(n+1)/2)]
	}
	mean, sd := sumOfRanks(n)
	return upperTail((mean - float64(t) - 0.5) / sd)
}

func sumOfRanks(n int) (mean, sd float64) {
	m := float64(n)
	return m * (m + 1) / 4, math.Sqrt(m * (m + 1) * (2*m + 1) / 24)
}

// criticalSum returns the largest t which the sum of selected ranks is at most with probability level/2; there is one from
// level [rarest] on, with t = 0.
func criticalSum(n int, level float64) int {
	if n > exactRanks {
		mean, sd := sumOfRanks(n)
		return max(int(math.Floor(mean-critical(level)*sd-0.5)), 0)
	}
	shares := sumShares(n)
	t := 0
	for t+1 < len(shares) && shares[t+1] <= level/2*(1+1e-12) {
		t++
	}
	return t
}
