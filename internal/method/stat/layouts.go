package stat

import (
	"math"
)

const (
	// likelyShare is the share of the variance that links are taken to have before anything is known of it.
	likelyShare = 0.5
	// laterShare is that towards which what few rounds say of it is drawn, with so many degrees of freedom.
	laterShare, priorFreedom = 0.05, 8
)

// PerLink returns how many rounds shall share a link, where drawing one takes as long as so many rounds: the number with
// which the variances of comparisons, times the seconds, are least (Cochran, "Sampling Techniques", 1977, section
// 10.6): √(cost·(1−s)/s), where s is the share of the variance that lies between links, here the mean of those of the
// comparisons.
func PerLink(cost float64, of ...Rounds) float64 {
	sum, known := 0.0, 0.0
	for _, r := range of {
		if s, ok := r.drawnShare(); ok {
			sum, known = sum+s, known+1
		}
	}
	share := likelyShare
	if known > 0 {
		share = sum / known
	}
	return math.Sqrt(cost * (1 - share) / share)
}

// drawnShare returns the share that lies between links, as it is used to draw further ones: an estimate of it that is never 0
// and is not led astray by few rounds of the same link.
func (r Rounds) drawnShare() (share float64, known bool) {
	within := float64(len(r.Links) - len(linksOf(r.Links)))
	if r.Freedom <= 0 || within <= 0 {
		return 0, false
	}
	const most = 10 // links that differ even more need no more of them
	usual := laterShare / (1 - laterShare)
	freedom := r.Freedom * within / (r.Freedom + within)
	return shareOf((freedom*min(r.Share/(1-r.Share), most) + priorFreedom*usual) / (freedom + priorFreedom)), true
}

// linksOf returns how many rounds each link has, in the order of their first rounds.
func linksOf(links []int) []float64 {
	at, of := map[int]int{}, []float64(nil)
	for _, link := range links {
		i, ok := at[link]
		if !ok {
			i, of = len(of), append(of, 0)
			at[link] = i
		}
		of[i]++
	}
	return of
}

// layoutClip is the distance from the median, in robust standard deviations, at which rounds are cut before the
// rounds of a link are averaged.
const layoutClip = 3

// A variation is what the links of a comparison say of the variance between them: one-way analysis of variance with
// random effects (Searle, Casella and McCulloch, "Variance Components", 1992, section 3.6).
type variation struct {
	freedom, freedomWithin float64 // links less one, rounds less links; 0: nothing is known
	f                      float64 // the mean square between links over that within
	size                   float64 // rounds of a link
}

func variationOf(d []float64, link []int) (v variation) {
	if len(d) != len(link) || len(d) == 0 || Check(d) != nil {
		return v
	}
	centre, scale := centreScale(d)
	means, rounds := map[int]float64{}, map[int]float64{}
	var links []int // in the order of first use: sums are then the same each time
	mean, cut := 0.0, make([]float64, len(d))
	for i, x := range d {
		cut[i] = max(centre-layoutClip*scale, min(x, centre+layoutClip*scale))
		mean += cut[i] / float64(len(d))
		if rounds[link[i]]++; rounds[link[i]] == 1 {
			links = append(links, link[i])
		}
		means[link[i]] += (cut[i] - means[link[i]]) / rounds[link[i]]
	}
	n, k := float64(len(d)), float64(len(links))
	if k < 2 || n <= k {
		return v
	}
	var between, within, squares float64
	for _, l := range links {
		between += rounds[l] * (means[l] - mean) * (means[l] - mean)
		squares += rounds[l] * rounds[l]
	}
	for i, x := range cut {
		within += (x - means[link[i]]) * (x - means[link[i]])
	}
	v = variation{freedom: k - 1, freedomWithin: n - k, size: (n - squares/n) / (k - 1)}
	switch v.f = between / (k - 1) / (within / (n - k)); {
	case between == 0:
		v.f = 0
	case within <= 1e-24*between:
		v.f = math.Inf(1)
	}
	return v
}

// ratio returns the variance between links in variances within, below 0 where the links differ less than chance.
func (v variation) ratio() float64 { return (v.f - 1) / v.size }

// shareOf returns the part that lies between links, of what ratio says.
func shareOf(ratio float64) float64 {
	if math.IsInf(ratio, 1) {
		return 1
	}
	return max(0, ratio) / (1 + max(0, ratio))
}

// p returns the p-value of the links differing by no more than usual, in variances within: the F test.
func (v variation) p(usual float64) float64 {
	if math.IsInf(v.f, 1) {
		return 0
	}
	return fSurvival(v.freedom, v.freedomWithin, v.f/(1+v.size*max(usual, 0)))
}

// Between returns the share of the variance of d that lies between the links, and the p-value of there being none.
// link[i] names that of round i: the pair of links that its two sides ran, or the link that they shared. Values are cut
// at ±3 robust standard deviations. Both are NaN for fewer than two links, where no link has two rounds,
// and where [Check] refuses a value.
func Between(d []float64, link []int) (share, p float64) {
	v := variationOf(d, link)
	if v.freedom == 0 {
		return math.NaN(), math.NaN()
	}
	return shareOf(v.ratio()), v.p(0)
}

const (
	// lentFreedom is the degrees of freedom with which the links of the other comparisons of a run count.
	lentFreedom = 12
	// standsOut is the p-value below which the links of a comparison differ so much more than those of the others that
	// it is lent nothing.
	standsOut = 0.05
)

// A Pool holds what the comparisons of one run say together about how rounds depend on each other, and how much links
// differ. One comparison of ten rounds and four links hardly knows its own autocorrelation and the variance between its
// links; twenty of them, measured on the same machine at the same time, know them well. The zero Pool knows nothing.
type Pool struct {
	lags, rounds   float64 // Σ n·lag1, Σ n
	ratios, weight float64 // Σ freedom·ratio of variances, Σ freedom
}

// Add takes the rounds of one comparison with their links; nil: there is one.
func (p *Pool) Add(d []float64, link []int) { p.count(d, link, 1) }

func (p *Pool) count(d []float64, link []int, times float64) {
	n := times * float64(len(d))
	p.lags, p.rounds = p.lags+n*Lag1(d), p.rounds+n
	if v := variationOf(d, link); v.freedom > 0 && !math.IsInf(v.f, 1) {
		// A comparison with links that differ a hundredfold does not speak for the others.
		p.ratios += times * v.freedom * min(v.ratio(), 1)
		p.weight += times * v.freedom
	}
}

// Without returns what the others say, where a comparison is among them.
func (p Pool) Without(d []float64, link []int) Pool {
	p.count(d, link, -1)
	return p
}

// Rounds returns the rounds of a comparison with what it and the others, which the pool is of, say of how much they tell.
func (p Pool) Rounds(d []float64, link []int) Rounds {
	r := Rounds{D: d, Tau: p.tau(d)}
	v := variationOf(d, link)
	if v.freedom == 0 {
		return r
	}
	ratio, lent := v.ratio(), 0.0
	if p.weight >= 1 && !math.IsInf(v.f, 1) {
		if usual := p.ratios / p.weight; v.p(usual) >= standsOut {
			lent = min(lentFreedom, p.weight)
			ratio = (v.freedom*ratio + lent*usual) / (v.freedom + lent)
		}
	}
	r.Links, r.Share, r.Freedom = link, shareOf(ratio), v.freedom+lent
	return r
}
