package machinespage

import (
	"fmt"
	"math"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/report/across"
	"memcost/internal/report/figures"
)

// The size of a picture, and what is left of it for labels.
const (
	width, height            = 620, 300
	left, right, top, bottom = 70, 20, 12, 28
)

// A picture is a figure over the strength of machines, both axes logarithmic.
type picture struct {
	Title, Says, Axes string
	Width, Height     int
	Band, Line        string
	XTicks, YTicks    []tick
	Dots              []dot
}

// A tick is a line across the picture with its label.
type tick struct {
	At, From, To, Text string
	Label              string
}

type dot struct {
	X, Y, Lo, Hi, Letter, Says string
	Published                  bool
}

// A scale places figures between two ends.
type scale struct{ lo, hi, from, to float64 }

func (s scale) at(v figures.Number) string {
	share := (math.Log(float64(v)) - math.Log(s.lo)) / (math.Log(s.hi) - math.Log(s.lo))
	return fmt.Sprintf("%.1f", s.from+(s.to-s.from)*min(max(share, 0), 1))
}

func draw(title string, l *across.Line, letters map[string]string) picture {
	p := picture{Title: title, Says: l.Says, Axes: "Up: " + l.Figure + ". To the right: " + l.Strength +
		". Both by factors.", Width: width, Height: height}
	var strengths, values []figures.Number
	for _, x := range l.Points {
		strengths, values = append(strengths, x.Strength), append(values, x.Figure.Value, x.Figure.Lo, x.Figure.Hi)
	}
	for _, f := range l.Fitted {
		values = append(values, f.Value)
	}
	x, y := spanning(strengths, left, width-right), spanning(values, height-bottom, top)
	for _, v := range doublings(x) {
		p.XTicks = append(p.XTicks, tick{x.at(v), fmt.Sprint(top), fmt.Sprint(height - bottom),
			fmt.Sprint(height - 8), units.Bytes(float64(v)) + "/s"})
	}
	for _, v := range ticks(y) {
		p.YTicks = append(p.YTicks, tick{y.at(v), fmt.Sprint(left), fmt.Sprint(width - right), fmt.Sprint(left - 6),
			label(v, l)})
	}
	for _, at := range l.Points {
		d := dot{X: x.at(at.Strength), Y: y.at(at.Figure.Value), Letter: letters[at.Kind], Published: at.Published,
			Says: at.Name + ", " + at.Kind + ": " + at.Figure.String()}
		if at.Figure.Bounded() {
			d.Lo, d.Hi = y.at(at.Figure.Lo), y.at(at.Figure.Hi)
		}
		p.Dots = append(p.Dots, d)
	}
	var line, upper, lower []string
	for i, f := range l.Fitted {
		line = append(line, x.at(f.Strength)+","+y.at(f.Value))
		upper = append(upper, x.at(f.Strength)+","+y.at(f.Hi))
		back := l.Fitted[len(l.Fitted)-1-i]
		lower = append(lower, x.at(back.Strength)+","+y.at(back.Lo))
	}
	p.Line, p.Band = strings.Join(line, " "), strings.Join(append(upper, lower...), " ")
	return p
}

// label returns a figure as those of the line are shown.
func label(v figures.Number, l *across.Line) string {
	if unit := l.Points[0].Figure.Unit; unit != "" {
		return units.Brief(float64(v), unit)
	}
	return units.Ratio(float64(v))
}

// spanning returns a scale on which all figures have room.
func spanning(all []figures.Number, from, to float64) scale {
	s := scale{math.Inf(1), 0, from, to}
	for _, v := range all {
		if x := float64(v); x > 0 && !math.IsInf(x, 1) {
			s.lo, s.hi = min(s.lo, x), max(s.hi, x)
		}
	}
	const room = 1.15
	s.lo, s.hi = s.lo/room, s.hi*room
	return s
}

// doublings returns the powers of two on a scale of bytes, at most eight of them; its ends where it has none.
func doublings(s scale) []figures.Number {
	var out []figures.Number
	lo, hi := math.Ceil(math.Log2(s.lo)), math.Floor(math.Log2(s.hi))
	for two, step := lo, math.Ceil((hi-lo+1)/8); two <= hi; two += step {
		out = append(out, figures.Number(math.Exp2(two)))
	}
	if len(out) == 0 {
		return []figures.Number{figures.Number(s.lo), figures.Number(s.hi)}
	}
	return out
}

// ticks returns round figures on a scale: 1, 2, 5 and their tens, or more where it is short.
func ticks(s scale) []figures.Number {
	for _, steps := range [][]float64{{1}, {1, 2, 5}, {1, 1.5, 2, 3, 5, 7}} {
		var out []figures.Number
		for ten := math.Floor(math.Log10(s.lo)); ten <= math.Log10(s.hi); ten++ {
			for _, step := range steps {
				if v := step * math.Pow(10, ten); v >= s.lo && v <= s.hi {
					out = append(out, figures.Number(v))
				}
			}
		}
		if len(out) >= 3 {
			return out
		}
	}
	return []figures.Number{figures.Number(s.lo), figures.Number(s.hi)}
}
