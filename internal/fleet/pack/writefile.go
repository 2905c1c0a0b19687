package pack

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
	"golang.org/x/perf/benchfmt"
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
