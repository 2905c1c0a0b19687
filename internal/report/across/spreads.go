package across

import (
	"math"
	"slices"

	"memcost/internal/method/stat"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

// A shared case is one that at least two machines have, without GOMAXPROCS, which differs between machines.
type shared struct {
	name string
	of   []*result.Case // by machine, of its first configuration; nil: it has none that counts
}

// cases returns the shared cases of a study, in the order of the first machine that has each.
func (b builder) cases(study string) []shared {
	var out []shared
	for i, m := range b.Machines {
		s := b.suite(m, study)
		if s == nil {
			continue
		}
		for k := range s.Cases {
			c := &s.Cases[k]
			if c.Arm != s.Cases[0].Arm || len(c.Invalid) > 0 || c.Failed != "" || !(c.Time.Value > 0) {
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
