package pack

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"memcost/internal/method/series"
)

// groupRows is how many rows a row group has: what a writer and a reader hold in memory of a file.
const groupRows = 1 << 15

// An origin is what of a sample a column holds.
type origin string

const (
	ofIdentity origin = "identity"
	ofKey      origin = "key"  // a key of the configuration
	ofUnit     origin = "unit" // a figure
)

// A kind is the type of a column.
type kind string

const (
	text   kind = "text"
	whole  kind = "whole" // 64 bits
	number kind = "number"
	flag   kind = "flag"
)

// A field says what a column holds.
type field struct {
	Name string `json:"column"`
	From origin `json:"from"`
	Of   string `json:"of"` // the key or the unit
	Kind kind   `json:"kind"`
}

// A column is the values of a field in the rows of a block. Rows ascend; those without a value are
// not among them.
type column struct {
	field
	counting bool // its unit counts something
	rows     []int32
	numbers  []float64
	wholes   []int64
	texts    []int32          // indices into words
	words    [][]byte         // each text once
	at       map[string]int32 // where a text is among them
}

func (c *column) reset() {
	c.rows, c.numbers, c.wholes, c.texts = c.rows[:0], c.numbers[:0], c.wholes[:0], c.texts[:0]
	if len(c.words) > groupRows {
		c.words, c.at = nil, nil
	}
}

// text adds a text, of which many are alike, and most like the one before.
func (c *column) text(row int32, v []byte) {
	c.rows = append(c.rows, row)
	if n := len(c.texts); n > 0 && bytes.Equal(c.words[c.texts[n-1]], v) {
		c.texts = append(c.texts, c.texts[n-1])
		return
	}
	at, known := c.at[string(v)]
	if !known {
		if c.at == nil {
			c.at = map[string]int32{}
		}
		at = int32(len(c.words))
		c.words = append(c.words, slices.Clone(v))
		c.at[string(v)] = at
	}
	c.texts = append(c.texts, at)
}

// word returns a text by its position in the column.
func (c *column) word(i int) []byte { return c.words[c.texts[i]] }

// whole adds a whole number.
func (c *column) whole(row int32, v int64) {
	c.rows, c.wholes = append(c.rows, row), append(c.wholes, v)
}

// figure adds a figure, unless the row has one.
func (c *column) figure(row int32, v float64) {
	switch n := len(c.rows); {
	case n > 0 && c.rows[n-1] == row: // one that occurs twice in a sample counts once
	case c.Kind == whole:
		c.whole(row, int64(v))
	default:
		c.rows, c.numbers = append(c.rows, row), append(c.numbers, v)
	}
}

// takes reports whether a figure belongs into the column of its unit. A count that is none, as of a damaged
// sample, has a column of its own.
func (c *column) takes(v float64) bool { return !c.counting || isWhole(v) == (c.Kind == whole) }

// counts are the units whose values are whole numbers.
var counts = map[string]bool{
	series.UnitRound: true, series.UnitOrder: true, series.UnitLayout: true, series.UnitPadding: true,
	series.UnitMinorFaults: true, series.UnitMajorFaults: true, series.UnitVoluntary: true,
	series.UnitInvoluntary: true, series.UnitRSS: true, series.UnitTimerStarts: true, series.UnitGCCycles: true,
	series.UnitLoopFaults: true, series.UnitGCFreed: true, series.UnitHeapGoal: true,
	series.UnitGoroutinesLeft: true, series.UnitBLoop: true, series.UnitSlices: true, series.UnitFailed: true,
	series.UnitOutput: true, series.UnitOutputHash: true,
}

// exact is the largest number below which every whole one is a float64.
const exact = 1 << 53

func isWhole(v float64) bool { return v == math.Trunc(v) && math.Abs(v) < exact }

// kindOf returns the type of the column of a figure.
func kindOf(unit string, v float64) kind {
	if counts[unit] && isWhole(v) {
		return whole
	}
	return number
}

// names are the columns that are not called after what they hold: the identity has a machine, too,
// which is more than its name, and a sample that failed has the unit failed, too.
var names = map[string]string{"machine": "host", series.KeyFailed: "reason"}

// nameOf returns the name of a column that no other has. Those of SQL do not tell case apart.
func nameOf(from origin, of string, taken map[string]bool) string {
	name := of
	if from == ofKey && names[of] != "" {
		name = names[of]
	}
	for taken[strings.ToLower(name)] {
		name += " (" + string(from) + ")"
	}
	taken[strings.ToLower(name)] = true
	return name
}
