package compare

import (
	"math"

	"memcost/internal/method/claim"
	"memcost/internal/method/stat"
	"memcost/internal/report/figures"
)

// A family holds the comparisons of one metric. What changed among them is selected (stat.Discoveries)
// so that of the changes of a family at most the share alpha is expected to be none.
type family struct {
	margin, alpha float64
	all           []member
}

type member struct {
	rounds
	change *Change
	doubt  string // why it decides nothing; "" where it may
}

// add counts a comparison whose change is decided by decide.
func (f *family) add(r rounds, c *Change, doubt string) {
	f.all = append(f.all, member{r, c, doubt})
}

// decide gives each comparison its estimate and its verdict. The intervals of what is selected have the
// level that goes with it.
func (f *family) decide() {
	p := make([]float64, len(f.all))
	for i, m := range f.all {
		p[i] = m.p()
	}
	selected, among := stat.Discoveries(p, f.alpha)
	for i, m := range f.all {
		level := f.alpha
		if selected[i] {
			level = among
		}
		value, iv := m.ratio(level)
		m.change.Ratio, m.change.Rounds = ratioFigure(value, iv, m.looked()), m.looked()
		m.change.Verdict = verdictOf(iv, f.margin, m.looked(), m.doubt)
		m.change.Doubt = m.doubt
		m.change.Stands = selected[i] && m.doubt == ""
		if m.change.Verdict == Changed && !selected[i] {
			m.change.Verdict = Undecided // it does not stand among all that is compared
		}
	}
}

// verdictOf returns what an interval says.
func verdictOf(iv stat.Interval, margin float64, rounds int, doubt string) claim.Difference {
	if iv.IsEmpty() {
		return Undecided
	}
	return claim.Compare(claim.Estimate{Interval: iv, Rounds: rounds, Doubt: claim.Doubt(doubt)}, margin)
}

// ratioFigure returns a ratio as a figure.
func ratioFigure(value float64, iv stat.Interval, rounds int) figures.Figure {
	f := figures.Single(value, rounds, "").Between(iv)
	f.Medians = figures.Number(math.NaN())
	if iv.IsEmpty() {
		f.Lo, f.Hi = figures.Number(0), figures.Number(math.Inf(1))
		f.Note = "not constant over the run"
	}
	return f
}
