package sample

import (
	"slices"

	"memcost/internal/measure/plan"
	"memcost/internal/method/series"
)

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

// cellsOf returns those that can still give a result.
func (e *Engine) cellsOf() []cell {
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

// quarters is the number of rounds before one in which a cell had a quarter sample.
func (e *Engine) quarters(at cell, round int) int {
	c := e.Plan.Cases[at.c]
	s := e.set.Get(series.ID{Suite: e.Plan.Suites[c.Suite].Name, Case: c.Name, Arm: e.Plan.Arms[at.arm].Name,
		Role: string(plan.Quarter)})
	if s == nil {
		return 0
	}
	n, _ := slices.BinarySearch(s.Rounds, int32(round))
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
