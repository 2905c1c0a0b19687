package across

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"memcost/internal/base/units"
	"memcost/internal/measure/plan"
	"memcost/internal/method/claim"
	"memcost/internal/method/stat"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

// curvePoints is at how many strengths a line and its band are computed: the band is curved.
const curvePoints = 25

// line judges a claim about machines: by all machines that are there and what others published, a value for each
// kind.
func (b builder) line(c *Claim, of language.Claim, study string, first *result.Study) {
	var data []*claim.Data
	from := map[*claim.Data]Machine{}
	for _, m := range b.Machines {
		if s := b.on(m, study); s != nil && len(s.Judged) > 0 {
			data = append(data, s.Judged[0].Data)
			from[s.Judged[0].Data] = m
		}
	}
	for _, j := range first.Others {
		data = append(data, j.Data)
	}
	l := Line{Title: of.Prose, Strength: of.Weak.String() + ", " + of.WeakKey + " a second",
		Figure: of.Num.String() + " / " + of.Den.String(), Points: []Point{}, Fitted: []Fitted{}}
	var boards []stat.Board
	for _, p := range claim.Points(of, data) {
		m, here := from[p.Data]
		if !here {
			name := figures.ShortName(p.Data.Name)
			m = Machine{Name: name, Kind: cmp.Or(p.Data.Machine, p.Data.Name), Board: p.Data.Name}
		}
		boards = append(boards, p.Board(m.Kind, m.Board))
		f := figures.Single(p.Ratio.Centre, p.Ratio.Rounds, "")
		if f.Medians = figures.Number(math.NaN()); !p.Data.Single {
			f = f.Between(p.Ratio.Interval)
		}
		l.Points = append(l.Points, Point{Name: m.Name, Kind: m.Kind, Published: !here,
			Strength: figures.Number(p.Strength), Figure: f})
	}
	fit := stat.RegressKinds(boards, plan.Alpha)
	l.fit(fit)
	c.Status = claim.Status(fit.Falls(plan.Alpha))
	c.Says, c.Line = string(c.Status)+": "+units.Plural(fit.Kinds, "kind"), &l
	for i := range c.Cells {
		if c.Cells[i].Status != "" { // no machine has a verdict of its own
			c.Cells[i] = Cell{c.Status, c.Says}
		}
	}
}

// fit takes over what the kinds of machines say.
func (l *Line) fit(f stat.Fit) {
	l.Kinds, l.Boards, l.P = f.Kinds, f.Boards, figures.Number(f.P)
	l.Exponent = figures.Single(f.Slope, f.Kinds, "")
	l.Exponent.Medians = figures.Number(math.NaN())
	if !f.Decides {
		l.Says = ofKinds(f.Kinds)
		if f.Kinds < 4 {
			l.Says += ", and fewer than four decide nothing"
		} else {
			l.Says += ", all of one strength"
		}
		return
	}
	l.Exponent = l.Exponent.Between(f.Interval)
	l.Says = fmt.Sprintf("%s, exponent %s %s, p = %.2g by permutation", ofKinds(f.Kinds), units.Digits(f.Slope),
		units.Range(f.Interval.Lo, f.Interval.Hi), f.P)
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, p := range l.Points {
		x := math.Log(float64(p.Strength))
		lo, hi = min(lo, x), max(hi, x)
	}
	for i := range curvePoints {
		x := lo + (hi-lo)*float64(i)/(curvePoints-1)
		band := f.Band(x)
		exp := func(y float64) figures.Number { return figures.Number(math.Exp(y)) }
		l.Fitted = append(l.Fitted, Fitted{exp(x), exp(f.Intercept + f.Slope*x), exp(band.Lo), exp(band.Hi)})
	}
}

func ofKinds(n int) string { return units.Plural(n, "kind") + " of machines" }

// cost draws the time of one case over the machines' own speed of copying. The case is chosen without a look at its
// figures: the last of the numerator of the study's first claim on a ratio, else the first of all.
func (b builder) cost(study string, cases []shared) *Line {
	at := chosen(b.first(study), cases)
	if at < 0 {
		return nil
	}
	c := cases[at]
	l := Line{Strength: "a plain copy of 16 KiB, bytes a second", Figure: c.name, Points: []Point{}, Fitted: []Fitted{},
		Title: c.name + " by the speed of a plain copy"}
	var boards []stat.Board
	for i, m := range b.Machines {
		x := c.of[i]
		if x == nil || m.Busy || !(m.CopyRate > 0) {
			continue
		}
		board := boardFigure(m, x)
		board.X = math.Log(float64(m.CopyRate))
		boards = append(boards, board)
		l.Points = append(l.Points, Point{Name: m.Name, Kind: m.Kind, Strength: m.CopyRate, Figure: x.Time})
	}
	if len(l.Points) < 2 {
		return nil
	}
	l.fit(stat.RegressKinds(boards, plan.Alpha))
	return &l
}

// chosen returns which case is drawn, −1 for none.
func chosen(s *result.Study, cases []shared) int {
	if len(cases) == 0 {
		return -1
	}
	if s == nil || s.Study == nil || len(s.Judged) == 0 {
		return 0
	}
	for _, c := range s.Study.Claims {
		if c.Kind != language.Ratio {
			continue
		}
		num, _ := claim.Sides(c, s.Judged[0].Cases)
		for _, x := range slices.Backward(num) {
			at := slices.IndexFunc(cases, func(have shared) bool { return have.name == figures.TrimProcs(x.Case) })
			if at >= 0 {
				return at
			}
		}
	}
	return 0
}

// A shared case is one that at least two machines have, without GOMAXPROCS, which differs between machines.
type shared struct {
	name string
	of   []*result.Case // by machine, of its first configuration; nil: it has none that counts
}

// cases returns the shared cases of a study, in the order of the first machine that has each.
func (b builder) cases(study string) []shared {
	var out []shared
	for i, m := range b.Machines {
		s := b.on(m, study)
		if s == nil {
			continue
		}
		for k := range s.Cases {
			c := &s.Cases[k]
			if c.Side != s.Cases[0].Side || len(c.Invalid) > 0 || c.Failed != "" || !(c.Time.Value > 0) {
				continue
			}
			name := figures.TrimProcs(c.Name)
			at := slices.IndexFunc(out, func(x shared) bool { return x.name == name })
			if at < 0 {
				at, out = len(out), append(out, shared{name, make([]*result.Case, len(b.Machines))})
			}
			if out[at].of[i] == nil { // of several GOMAXPROCS the first
				out[at].of[i] = c
			}
		}
	}
	return slices.DeleteFunc(out, func(x shared) bool { return b.boardsOf(x) < 2 })
}

// boardsOf counts the machines that have a case.
func (b builder) boardsOf(x shared) int {
	var boards []string
	for i, c := range x.of {
		if c != nil && !slices.Contains(boards, b.Machines[i].Board) {
			boards = append(boards, b.Machines[i].Board)
		}
	}
	return len(boards)
}

func (b builder) spreads(cases []shared) []Spread {
	out := []Spread{}
	for _, x := range cases {
		var boards []stat.Board
		var within []float64
		for i, c := range x.of {
			if c == nil || b.Machines[i].Busy {
				continue
			}
			boards = append(boards, boardFigure(b.Machines[i], c))
			if s := scatter(c.Times); s > 0 {
				within = append(within, s)
			}
		}
		apart := stat.Apart(boards)
		s := Spread{Case: x.name, Kinds: share(apart.OfKinds), Boards: share(apart.OfBoards),
			Samples: figures.Number(math.NaN())}
		if len(within) > 0 {
			s.Samples = share(stat.Median(within))
		}
		out = append(out, s)
	}
	return out
}

// share returns a standard deviation of logarithms as what it means: 0.1 is 10.5% up.
func share(sd float64) figures.Number { return figures.Number(math.Expm1(sd)) }

// scatter returns the standard deviation of the logarithms of samples, by their median distance from their median: one
// sample in ten that is far off does not count.
func scatter(times []float64) float64 {
	if len(times) < 2 {
		return math.NaN()
	}
	y := make([]float64, len(times))
	for i, t := range times {
		y[i] = math.Log(t)
	}
	middle := stat.Median(y)
	for i := range y {
		y[i] = math.Abs(y[i] - middle)
	}
	return 1.4826 * stat.Median(y)
}

// boardFigure returns the time of a case on a machine. Its error is that of a median of so many samples, π/2 times the
// variance of their mean; where samples are not kept, half the width of the interval is two standard errors.
func boardFigure(m Machine, c *result.Case) stat.Board {
	b := stat.Board{Kind: m.Kind, Machine: m.Board, Y: math.Log(float64(c.Time.Value))}
	if s := scatter(c.Times); s >= 0 {
		b.V = math.Pi / 2 * s * s / float64(len(c.Times))
	} else if half := math.Log(float64(c.Time.Hi/c.Time.Lo)) / 2; !math.IsNaN(half) && !math.IsInf(half, 0) {
		b.V = half * half / 4
	}
	return b
}
