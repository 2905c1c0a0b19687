// This part of the package writes samples as Parquet and reads them back: a row a sample, a column for each
// figure and each key of the configuration that a sample has. It knows files, not folders: a writer
// gets an io.Writer and a reader an io.ReaderAt.
//
// A column is called as samples.txt calls what it holds ("ns/op", "toolchain"), but for a few names
// (see nameOf). Figures are kept as they were printed, so that nothing is lost: what is read back is
// what benchfmt.Reader makes of samples.txt.

package pack

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
	"golang.org/x/perf/benchfmt"

	"memcost/internal/method/series"
)

// fieldsKey is the key of the file's metadata under which it says what its columns hold.
const fieldsKey = "memcost.columns"

// A FileWriter writes samples to files, one after the other: a file has the same columns from its first row
// on, so that a sample with a figure that was not known begins another.
type FileWriter struct {
	open  func() (io.WriteCloser, error) // the next file
	ended func(spans []Span) error
	block *block

	file    io.WriteCloser
	writer  *parquet.Writer
	columns []*column // of the file, in the order of its schema
	values  []parquet.Value
	rows    int64  // of the file
	spans   []Span // of the file
}

// NewFileWriter returns a writer to the files that open makes. When one is closed, ended is told what it
// holds.
func NewFileWriter(open func() (io.WriteCloser, error), ended func([]Span) error) *FileWriter {
	return &FileWriter{open: open, ended: ended, block: newBlock()}
}

// Add adds a sample. The Result is not retained.
func (w *FileWriter) Add(id ID, r *benchfmt.Result) error {
	w.block.add(id, r)
	if w.block.rows < groupRows {
		return nil
	}
	return w.flush()
}

// Close writes what is left, and ends the file.
func (w *FileWriter) Close() error {
	if err := w.flush(); err != nil {
		return err
	}
	return w.end()
}

// flush writes the rows in memory as a row group.
func (w *FileWriter) flush() error {
	if w.block.rows == 0 {
		return nil
	}
	if w.writer != nil && len(w.columns) < len(w.block.columns) {
		if err := w.end(); err != nil {
			return err
		}
	}
	if w.writer == nil {
		if err := w.begin(); err != nil {
			return err
		}
	}
	out := w.writer.ColumnWriters()
	for i, c := range w.columns {
		if _, err := out[i].WriteRowValues(w.valuesOf(c, i)); err != nil {
			return fmt.Errorf("writing the column %s: %w", c.Name, err)
		}
	}
	for _, x := range w.block.spans {
		x.First += w.rows
		w.spans = addSpan(w.spans, x)
	}
	w.rows += int64(w.block.rows)
	w.block.reset()
	return w.writer.Flush()
}

// addSpan adds rows behind those that there are.
func addSpan(to []Span, x Span) []Span {
	if n := len(to); n > 0 && to[n-1].Run == x.Run {
		to[n-1].Rows += x.Rows
		return to
	}
	return append(to, x)
}

// begin opens the next file, with the columns that are known.
func (w *FileWriter) begin() (err error) {
	if w.file, err = w.open(); err != nil {
		return err
	}
	group, fields := parquet.Group{}, []field{}
	compression := &zstd.Codec{Level: zstd.DefaultLevel}
	byName := map[string]*column{}
	for _, c := range w.block.columns {
		group[c.Name] = parquet.Optional(parquet.Compressed(c.node(w.block.rows), compression))
		fields = append(fields, c.field)
		byName[c.Name] = c
	}
	says, err := json.Marshal(fields)
	if err != nil {
		return fmt.Errorf("formatting the columns: %w", err)
	}
	schema := parquet.NewSchema("sample", group)
	w.columns = nil
	for _, path := range schema.Columns() {
		w.columns = append(w.columns, byName[path[0]])
	}
	const dictionary = 1 << 20 // bytes from which on a column's values are written as they are
	w.writer = parquet.NewWriter(w.file, schema, parquet.KeyValueMetadata(fieldsKey, string(says)),
		parquet.DictionaryMaxBytes(dictionary), parquet.CreatedBy("memcost", "", ""))
	return nil
}

// end ends the file.
func (w *FileWriter) end() error {
	if w.writer == nil {
		return nil
	}
	err := cmp.Or(w.writer.Close(), w.file.Close())
	if err == nil {
		err = w.ended(w.spans)
	}
	w.writer, w.rows, w.spans = nil, 0, nil
	return err
}

// Abandon closes the file that is open, which is not whole then.
func (w *FileWriter) Abandon() {
	if w.writer != nil {
		w.file.Close()
		w.writer = nil
	}
}

// node returns the type and the encoding of a column, by the values that it begins with: few that come
// again are numbered, others are cut into their bytes, of which the first are alike.
func (c *column) node(rows int) parquet.Node {
	const again = 4
	distinct := map[uint64]bool{}
	for _, x := range c.bits {
		distinct[x] = true
	}
	switch numbered := len(distinct) <= rows/again; {
	case c.Kind == text:
		return parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
	case c.Kind == flag:
		return parquet.Leaf(parquet.BooleanType)
	case c.Kind == whole && numbered:
		return parquet.Encoded(parquet.Int(64), &parquet.RLEDictionary)
	case c.Kind == whole:
		return parquet.Encoded(parquet.Int(64), &parquet.DeltaBinaryPacked)
	case numbered:
		return parquet.Encoded(parquet.Leaf(parquet.DoubleType), &parquet.RLEDictionary)
	}
	return parquet.Encoded(parquet.Leaf(parquet.DoubleType), &parquet.ByteStreamSplit)
}

// valuesOf returns the values of a column in all rows of the block.
func (w *FileWriter) valuesOf(c *column, index int) []parquet.Value {
	w.values = slices.Grow(w.values[:0], w.block.rows)[:w.block.rows]
	null := parquet.Value{}.Level(0, 0, index)
	for i := range w.values {
		w.values[i] = null
	}
	for i, row := range c.rows {
		w.values[row] = c.value(i).Level(0, 1, index)
	}
	return w.values
}

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
	bits     []uint64          // of each value; of a text the index into words
	words    [][]byte          // each text once
	at       map[string]uint64 // where a text is among them
}

func (c *column) reset() {
	c.rows, c.bits = c.rows[:0], c.bits[:0]
	if len(c.words) > groupRows {
		c.words, c.at = nil, map[string]uint64{}
	}
}

func (c *column) add(row int32, bits uint64) {
	c.rows, c.bits = append(c.rows, row), append(c.bits, bits)
}

// text adds a text, of which many are alike, and most like the one before.
func (c *column) text(row int32, v []byte) {
	if n := len(c.bits); n > 0 && bytes.Equal(c.word(n-1), v) {
		c.add(row, c.bits[n-1])
		return
	}
	at, known := c.at[string(v)]
	if !known {
		at = uint64(len(c.words))
		c.words = append(c.words, slices.Clone(v))
		c.at[string(v)] = at
	}
	c.add(row, at)
}

// figure adds a figure, unless the row has one: one that occurs twice in a sample counts once.
func (c *column) figure(row int32, v float64) {
	switch n := len(c.rows); {
	case n > 0 && c.rows[n-1] == row:
	case c.Kind == whole:
		c.add(row, uint64(int64(v)))
	default:
		c.add(row, math.Float64bits(v))
	}
}

// word returns a text by its position in the column, number a figure.
func (c *column) word(i int) []byte { return c.words[c.bits[i]] }

func (c *column) number(i int) float64 {
	if c.Kind == whole {
		return float64(int64(c.bits[i]))
	}
	return math.Float64frombits(c.bits[i])
}

// value returns a value as Parquet has it, and take adds one.
func (c *column) value(i int) parquet.Value {
	switch c.Kind {
	case text:
		return parquet.ByteArrayValue(c.word(i))
	case whole:
		return parquet.Int64Value(int64(c.bits[i]))
	case flag:
		return parquet.BooleanValue(c.bits[i] != 0)
	}
	return parquet.DoubleValue(c.number(i))
}

func (c *column) take(row int32, v parquet.Value) {
	switch {
	case v.IsNull():
	case c.Kind == text:
		c.text(row, v.ByteArray())
	default:
		c.add(row, v.Uint64()) // the bits of any number
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

// Footer returns the hash of the end of a file, which says what and where its columns are, and where
// that end begins. Pages of values have checksums of their own.
func Footer(r io.ReaderAt, size int64) (sum string, at int64, err error) {
	const tail = 8 // the length of what is before it, and the format's name
	var last [tail]byte
	if size < tail {
		return "", 0, fmt.Errorf("it has %d bytes", size)
	}
	if _, err := r.ReadAt(last[:], size-tail); err != nil {
		return "", 0, err
	}
	at = size - tail - int64(binary.LittleEndian.Uint32(last[:]))
	if at < 0 {
		return "", 0, fmt.Errorf("its end is damaged")
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(r, at, size-at)); err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), at, nil
}

// An ID says which sample of all machines a row is. Of a run that belongs to no plan it has the run and
// the machine.
type ID struct {
	Index    int    // of the run in the pack; not in the row
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
	spans   []Span // of the rows
	columns []*column
	at      map[field]*column // by their fields without names
	taken   map[string]bool
	near    []*column // of what stood at a place in the sample before, where nearly always the same stands again
}

func newBlock() *block {
	b := &block{at: map[field]*column{}, taken: map[string]bool{}}
	for _, f := range identity {
		b.column(f)
	}
	for _, key := range commonKeys {
		b.column(fieldOf(ofKey, key, 0))
	}
	for _, unit := range commonUnits {
		b.column(fieldOf(ofUnit, unit, 0))
	}
	return b
}

// identity are the columns that every file has, and their types.
var identity = []field{
	{Of: "run", Kind: text}, {Of: "plan", Kind: text}, {Of: "machine", Kind: text}, {Of: "boot", Kind: text},
	{Of: "shard", Kind: whole}, {Of: "attempt", Kind: whole}, {Of: "sample", Kind: whole},
	{Of: "complete", Kind: flag}, {Of: "case", Kind: text}, {Of: "iterations", Kind: whole},
}

// commonKeys and commonUnits are the columns that every file has besides, so that queries can name them.
var (
	commonKeys  = []string{"machine", series.KeyToolchain, series.KeySide, series.KeyRole, series.KeyFailed}
	commonUnits = []string{"ns/op", "B/op", "allocs/op", series.UnitRound, series.UnitOrder, series.UnitFailed,
		series.UnitWall, series.UnitUser, series.UnitSys, series.UnitSteal, series.UnitForeign}
)

// fieldOf returns what a column holds, without its name: of a unit by the figure.
func fieldOf(from origin, of string, v float64) field {
	switch {
	case from == ofKey:
		return field{From: from, Of: of, Kind: text}
	case counts[of] && isWhole(v):
		return field{From: from, Of: of, Kind: whole}
	}
	return field{From: from, Of: of, Kind: number}
}

// column returns the one of a field, which it makes where there is none.
func (b *block) column(f field) *column {
	f.From, f.Name = cmp.Or(f.From, ofIdentity), ""
	c := b.at[f]
	if c == nil {
		c = &column{field: f, counting: f.From == ofUnit && counts[f.Of], at: map[string]uint64{}}
		c.Name = nameOf(f.From, f.Of, b.taken)
		b.at[f] = c
		b.columns = append(b.columns, c)
	}
	return c
}

func (b *block) reset() {
	b.rows, b.spans = 0, b.spans[:0]
	for _, c := range b.columns {
		c.reset()
	}
}

// add adds a sample.
func (b *block) add(id ID, r *benchfmt.Result) {
	row := int32(b.rows)
	b.spans = addSpan(b.spans, Span{id.Index, int64(row), 1})
	b.rows++
	for i, v := range []string{id.Run, id.Plan, id.Machine, id.Boot} {
		if v != "" {
			b.columns[i].text(row, []byte(v))
		}
	}
	if id.Plan != "" {
		b.columns[4].add(row, uint64(id.Shard))
		b.columns[5].add(row, uint64(id.Attempt))
	}
	b.columns[6].add(row, uint64(id.Number))
	complete := uint64(0)
	if id.Complete {
		complete = 1
	}
	b.columns[7].add(row, complete)
	b.columns[8].text(row, r.Name)
	b.columns[9].add(row, uint64(r.Iters))
	for i, c := range r.Config {
		if len(c.Value) > 0 && c.Key != series.KeyStudy { // that is the folder's
			b.nearly(i, ofKey, c.Key, 0).text(row, c.Value)
		}
	}
	for i, v := range r.Values {
		printed, unit := v.Value, v.Unit
		if v.OrigUnit != "" {
			printed, unit = v.OrigValue, v.OrigUnit
		}
		b.nearly(len(r.Config)+i, ofUnit, unit, printed).figure(row, printed)
	}
}

// nearly returns the column of what stands at a place in a sample.
func (b *block) nearly(place int, from origin, of string, v float64) *column {
	for len(b.near) <= place {
		b.near = append(b.near, nil)
	}
	if c := b.near[place]; c == nil || c.From != from || c.Of != of || !c.takes(v) {
		b.near[place] = b.column(fieldOf(from, of, v))
	}
	return b.near[place]
}
