package fleet

import (
	"cmp"
	"fmt"
	"slices"

	"memcost/internal/method/series"

	"golang.org/x/perf/benchfmt"
)

// merged is the samples of several copies of one attempt, of which some may be a part.
type merged struct {
	samples []*benchfmt.Result
	at      map[string]int
	repeats int
}

// add adds a sample unless a copy of it is there. Within an attempt its round and its place in the
// round, with what was measured, say which it is.
func (m *merged) add(r *benchfmt.Result) error {
	round, _ := r.Value(series.UnitRound)
	order, _ := r.Value(series.UnitOrder)
	id := fmt.Sprintf("%v %v %s %s %s %s %s", round, order, r.Name, r.GetConfig(series.KeySuite),
		r.GetConfig(series.KeyToolchain), r.GetConfig(series.KeyArm), r.GetConfig(series.KeyRole))
	if _, there := m.at[id]; there {
		m.repeats++
		return nil
	}
	m.at[id] = len(m.samples)
	m.samples = append(m.samples, r.Clone())
	return nil
}

// each streams the samples by their rounds.
func (m *merged) each(fn func(*benchfmt.Result) error) error {
	slices.SortStableFunc(m.samples, func(a, b *benchfmt.Result) int {
		x, _ := a.Value(series.UnitRound)
		y, _ := b.Value(series.UnitRound)
		return cmp.Compare(x, y)
	})
	for _, r := range m.samples {
		if err := fn(r); err != nil {
			return err
		}
	}
	return nil
}
