package pack

import (
	"golang.org/x/perf/benchfmt"

	"memcost/internal/method/series"
)

// An ID says which sample of all machines a row is. Of a run that belongs to no plan it has the run and
// the machine.
type ID struct {
	Run      string // a short hash; the question is found by it
	Plan     string
	Machine  string
	Boot     string
	Shard    int
	Attempt  int
	Number   int64 // of the sample within its run, from 0 on, in the order in which they were taken
	Complete bool  // false: of the last round of an attempt that was interrupted, which no report counts
}

// A block is rows in memory, by column.
type block struct {
	rows    int
	columns []*column
	at      map[origin]map[string]map[kind]*column
	taken   map[string]bool
	// Columns of what stood at a place in the sample before, where nearly always the same stands again.
	keys, units []*column
}

func newBlock() *block {
	b := &block{at: map[origin]map[string]map[kind]*column{}, taken: map[string]bool{}}
	for _, f := range identity {
		b.column(ofIdentity, f.Of, f.Kind)
	}
	for _, f := range common {
		b.column(f.From, f.Of, f.Kind)
	}
	return b
}

// common are the columns that every file has besides, so that queries can name them.
var common = []field{
	{From: ofKey, Of: "machine", Kind: text}, {From: ofKey, Of: series.KeyToolchain, Kind: text},
	{From: ofKey, Of: series.KeyArm, Kind: text}, {From: ofKey, Of: series.KeyRole, Kind: text},
	{From: ofKey, Of: series.KeyFailed, Kind: text},
	{From: ofUnit, Of: "ns/op", Kind: number}, {From: ofUnit, Of: "B/op", Kind: number},
	{From: ofUnit, Of: "allocs/op", Kind: number}, {From: ofUnit, Of: series.UnitRound, Kind: whole},
	{From: ofUnit, Of: series.UnitOrder, Kind: whole}, {From: ofUnit, Of: series.UnitFailed, Kind: whole},
	{From: ofUnit, Of: series.UnitWall, Kind: number}, {From: ofUnit, Of: series.UnitUser, Kind: number},
	{From: ofUnit, Of: series.UnitSys, Kind: number}, {From: ofUnit, Of: series.UnitSteal, Kind: number},
	{From: ofUnit, Of: series.UnitForeign, Kind: number},
}

// identity are the columns that every file has, and their types.
var identity = []field{
	{Of: "run", Kind: text}, {Of: "plan", Kind: text}, {Of: "machine", Kind: text}, {Of: "boot", Kind: text},
	{Of: "shard", Kind: whole}, {Of: "attempt", Kind: whole}, {Of: "sample", Kind: whole},
	{Of: "complete", Kind: flag}, {Of: "case", Kind: text}, {Of: "iterations", Kind: whole},
}

// column returns the one of a field, which it makes where there is none.
func (b *block) column(from origin, of string, k kind) *column {
	byName := b.at[from]
	if byName == nil {
		byName = map[string]map[kind]*column{}
		b.at[from] = byName
	}
	byKind := byName[of]
	if byKind == nil {
		byKind = map[kind]*column{}
		byName[of] = byKind
	}
	c := byKind[k]
	if c == nil {
		c = &column{field: field{nameOf(from, of, b.taken), from, of, k}, counting: from == ofUnit && counts[of]}
		byKind[k] = c
		b.columns = append(b.columns, c)
	}
	return c
}

func (b *block) reset() {
	b.rows = 0
	for _, c := range b.columns {
		c.reset()
	}
}

// add adds a sample.
func (b *block) add(id ID, r *benchfmt.Result) {
	row := int32(b.rows)
	b.rows++
	for i, v := range []string{id.Run, id.Plan, id.Machine, id.Boot} {
		if v != "" {
			b.columns[i].text(row, []byte(v))
		}
	}
	if id.Plan != "" {
		b.columns[4].whole(row, int64(id.Shard))
		b.columns[5].whole(row, int64(id.Attempt))
	}
	b.columns[6].whole(row, id.Number)
	b.columns[7].whole(row, bit(id.Complete))
	b.columns[8].text(row, r.Name)
	b.columns[9].whole(row, int64(r.Iters))
	for i, c := range r.Config {
		if len(c.Value) > 0 && c.Key != series.KeySuite { // that is the folder's
			b.key(i, c.Key).text(row, c.Value)
		}
	}
	for i, v := range r.Values {
		printed, unit := v.Value, v.Unit
		if v.OrigUnit != "" {
			printed, unit = v.OrigValue, v.OrigUnit
		}
		b.unit(i, unit, printed).figure(row, printed)
	}
}

// key returns the column of the key at a place in a sample's configuration.
func (b *block) key(i int, key string) *column {
	for len(b.keys) <= i {
		b.keys = append(b.keys, nil)
	}
	if c := b.keys[i]; c == nil || c.Of != key {
		b.keys[i] = b.column(ofKey, key, text)
	}
	return b.keys[i]
}

// unit returns the column of the figure at a place in a sample.
func (b *block) unit(i int, unit string, v float64) *column {
	for len(b.units) <= i {
		b.units = append(b.units, nil)
	}
	if c := b.units[i]; c == nil || c.Of != unit || !c.takes(v) {
		b.units[i] = b.column(ofUnit, unit, kindOf(unit, v))
	}
	return b.units[i]
}

func bit(v bool) int64 {
	if v {
		return 1
	}
	return 0
}
