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

// A Span is where the samples of a run are in a file.
type RowSpan struct {
	Run   string
	First int64
	Rows  int64
}

// A Writer writes samples to files, one after the other: a file has the same columns from its first row
// on, so that a sample with a figure that was not known begins another.
type FileWriter struct {
	open  func() (io.WriteCloser, error) // the next file
	ended func(spans []RowSpan) error
	block *block

	file    io.WriteCloser
	writer  *parquet.Writer
	columns []*column // of the file, in the order of its schema
	values  []parquet.Value
	rows    int64     // of the file
	spans   []RowSpan // of the file
}

// NewWriter returns a writer to the files that open makes. When one is closed, ended is told what it
// holds.
func NewWriter(open func() (io.WriteCloser, error), ended func([]RowSpan) error) *FileWriter {
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
	w.span()
	w.block.reset()
	return w.writer.Flush()
}

// span notes which runs the rows of the block are of.
func (w *FileWriter) span() {
	runs := w.block.columns[0]
	for i, row := range runs.rows {
		run := runs.word(i)
		if n := len(w.spans); n == 0 || w.spans[n-1].Run != string(run) {
			w.spans = append(w.spans, RowSpan{Run: string(run), First: w.rows + int64(row)})
		}
		w.spans[len(w.spans)-1].Rows++
	}
	w.rows += int64(w.block.rows)
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
	switch c.Kind {
	case text:
		return parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
	case flag:
		return parquet.Leaf(parquet.BooleanType)
	case whole:
		if distinct(c.wholes) <= rows/again {
			return parquet.Encoded(parquet.Int(64), &parquet.RLEDictionary)
		}
		return parquet.Encoded(parquet.Int(64), &parquet.DeltaBinaryPacked)
	}
	if distinct(c.numbers) <= rows/again {
		return parquet.Encoded(parquet.Leaf(parquet.DoubleType), &parquet.RLEDictionary)
	}
	return parquet.Encoded(parquet.Leaf(parquet.DoubleType), &parquet.ByteStreamSplit)
}

func distinct[T comparable](xs []T) int {
	seen := map[T]bool{}
	for _, x := range xs {
		seen[x] = true
	}
	return len(seen)
}

// valuesOf returns the values of a column in all rows of the block.
func (w *FileWriter) valuesOf(c *column, index int) []parquet.Value {
	w.values = slices.Grow(w.values[:0], w.block.rows)[:w.block.rows]
	null := parquet.Value{}.Level(0, 0, index)
	for i := range w.values {
		w.values[i] = null
	}
	for i, row := range c.rows {
		var v parquet.Value
		switch c.Kind {
		case text:
			v = parquet.ByteArrayValue(c.word(i))
		case whole:
			v = parquet.Int64Value(c.wholes[i])
		case flag:
			v = parquet.BooleanValue(c.wholes[i] != 0)
		default:
			v = parquet.DoubleValue(c.numbers[i])
		}
		w.values[row] = v.Level(0, 1, index)
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
		if len(c.Value) > 0 && c.Key != series.KeyStudy { // that is the folder's
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
