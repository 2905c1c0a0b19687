package exchange

import (
	"bytes"
	"slices"

	"golang.org/x/perf/benchfmt"
)

// A merger joins consecutive entries that are the same benchmark in several units into
// one result: the Action and memcost's CSV have one value an entry.
type merger struct {
	rd   *reading
	rec  *record
	tool string
}

// value adds one measurement, to the result at hand if that is of the same
// benchmark.
func (m *merger) value(where, name string, conf []benchfmt.Config, tool string, v float64, u unit, iters int) error {
	if !m.same(name, conf, u.value(v), tool) {
		if err := m.flush(); err != nil {
			return err
		}
		m.rec, m.tool = m.rd.newRecord(where, name, conf), tool
		m.rec.res.Iters = iters
	}
	m.rec.where = where
	m.rec.add(v, u)
	return nil
}

// same reports whether val belongs to the result at hand. One that it has
// already is another measurement, but the Go tool writes the first one twice.
func (m *merger) same(name string, conf []benchfmt.Config, val benchfmt.Value, tool string) bool {
	if m.rec == nil || string(m.rec.res.Name) != name || m.tool != tool || !sameConfig(m.rec.res.Config, conf) {
		return false
	}
	have, twice := m.rec.res.Value(val.Unit)
	return !twice || tool == "go" && have == val.Value
}

func (m *merger) flush() error {
	rec := m.rec
	m.rec = nil
	if rec == nil {
		return nil
	}
	return rec.emit()
}

// sameConfig reports whether a result of configuration a can hold one of b.
func sameConfig(a, b []benchfmt.Config) bool {
	return slices.EqualFunc(a, b, func(a, b benchfmt.Config) bool {
		return a.Key == b.Key && bytes.Equal(a.Value, b.Value)
	})
}
