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
func (b builder) line(c *Claim, of language.Claim, study string, first *result.Suite) {
	var data []*claim.Data
	from := map[*claim.Data]Machine{}
	for _, m := range b.Machines {
		if s := b.suite(m, study); s != nil && len(s.Judged) > 0 {
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
		f := figures.NoFigure()
		f.Value, f.N = figures.Number(p.Ratio.Centre), p.Ratio.Rounds
		if !p.Data.Single {
			f.Lo, f.Hi = figures.Number(p.Ratio.Interval.Lo), figures.Number(p.Ratio.Interval.Hi)
		}
		l.Points = append(l.Points, Point{Name: m.Name, Kind: m.Kind, Published: !here,
			Strength: figures.Number(p.Strength), Figure: f})
	}
	fit := stat.RegressKinds(boards, plan.Alpha)
	l.fit(fit)
	c.Status = fit.Falls(plan.Alpha)
	c.Says, c.Line = c.Status+": "+units.Plural(fit.Kinds, "kind"), &l
	for i := range c.Cells {
		if c.Cells[i].Status != "" { // no machine has a verdict of its own
			c.Cells[i] = Cell{c.Status, c.Says}
		}
	}
}

// fit takes over what the kinds of machines say.
func (l *Line) fit(f stat.Fit) {
	l.Kinds, l.Boards, l.P = f.Kinds, f.Boards, figures.Number(f.P)
	l.Exponent = figures.NoFigure()
	l.Exponent.Value, l.Exponent.N = figures.Number(f.Slope), f.Kinds
	if !f.Decides {
		l.Says = ofKinds(f.Kinds)
		if f.Kinds < 4 {
			l.Says += ", and fewer than four decide nothing"
		} else {
			l.Says += ", all of one strength"
		}
		return
	}
	l.Exponent.Lo, l.Exponent.Hi = figures.Number(f.Interval.Lo), figures.Number(f.Interval.Hi)
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
func chosen(s *result.Suite, cases []shared) int {
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
