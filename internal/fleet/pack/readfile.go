package pack

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"

	"memcost/internal/method/series"
)

// A Reader reads the samples of a file.
type Reader struct {
	from   io.ReaderAt
	size   int64
	file   *parquet.File
	study  string
	fields []field // in the order of the file's columns
	block  *block  // the row group that was read last
	group  int     // its number, -1: none
	values []parquet.Value
}

// NewReader opens a file with the samples of a study.
func NewReader(r io.ReaderAt, size int64, study string) (*Reader, error) {
	f, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	says, ok := f.Lookup(fieldsKey)
	var fields []field
	if !ok || json.Unmarshal([]byte(says), &fields) != nil {
		return nil, errors.New("it does not say what its columns hold: memcost pack did not write it")
	}
	byName := map[string]field{}
	for _, x := range fields {
		byName[x.Name] = x
	}
	out := &Reader{from: r, size: size, file: f, study: study, group: -1}
	for _, path := range f.Schema().Columns() {
		x, ok := byName[path[0]]
		if !ok {
			return nil, fmt.Errorf("it does not say what its column %s holds", path[0])
		}
		out.fields = append(out.fields, x)
	}
	return out, nil
}

// Len returns how many samples the file has.
func (r *Reader) Len() int64 { return r.file.NumRows() }

// load reads the row group that a row is in, and returns the first row of it.
func (r *Reader) load(row int64) (first int64, err error) {
	groups := r.file.RowGroups()
	for i, g := range groups {
		if row < first+g.NumRows() {
			if i != r.group {
				r.group = -1
				if err := plausible(r.from, r.size, r.file.Metadata().RowGroups[i], pageBytes); err != nil {
					return 0, err
				}
				if err := r.read(g); err != nil {
					return 0, err
				}
				r.group = i
			}
			return first, nil
		}
		first += g.NumRows()
	}
	return 0, fmt.Errorf("it has %d samples, and none of the number %d", r.Len(), row)
}

// read reads a row group into the block.
func (r *Reader) read(g parquet.RowGroup) (err error) {
	defer func() {
		if x := recover(); x != nil { // of the library, where a page is damaged
			err = fmt.Errorf("it is damaged: %v", x)
		}
	}()
	if r.block == nil {
		r.block = newBlock()
	}
	r.block.reset()
	r.block.rows = int(g.NumRows())
	for i, chunk := range g.ColumnChunks() {
		f := r.fields[i]
		if err := r.readColumn(r.block.column(f), chunk); err != nil {
			return fmt.Errorf("its column %s is damaged: %w", f.Name, err)
		}
	}
	return nil
}

func (r *Reader) readColumn(c *column, chunk parquet.ColumnChunk) error {
	pages := chunk.Pages()
	defer pages.Close()
	row := int32(0)
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if row, err = r.readPage(c, page, row); err != nil {
			return err
		}
		parquet.Release(page)
	}
	if int(row) != r.block.rows {
		return fmt.Errorf("%d of %d values", row, r.block.rows)
	}
	return nil
}

// readPage adds the values of a page, which begins with a row, and returns the row behind it.
func (r *Reader) readPage(c *column, page parquet.Page, row int32) (int32, error) {
	if r.values == nil {
		r.values = make([]parquet.Value, 1<<10)
	}
	values := page.Values()
	for {
		n, err := values.ReadValues(r.values)
		for _, v := range r.values[:n] {
			c.take(row, v)
			row++
		}
		if errors.Is(err, io.EOF) {
			return row, nil
		}
		if err != nil {
			return row, err
		}
	}
}

// Rows are some consecutive samples of a file. Of one Reader, Rows are read one after the other.
type Rows struct {
	reader *Reader
	at     int64 // in the file
	end    int64
	block  int64 // behind the last row of the row group at hand
	cursor *cursor
}

// Rows returns so many samples from the first on.
func (r *Reader) Rows(first, rows int64) *Rows { return &Rows{reader: r, at: first, end: first + rows} }

// Next returns a sample and its number within its run, and io.EOF behind the last one. The Result
// belongs to the Reader and changes with the next call.
func (x *Rows) Next() (number int64, s *benchfmt.Result, err error) {
	if x.at >= x.end {
		return 0, nil, io.EOF
	}
	if x.at >= x.block {
		base, err := x.reader.load(x.at)
		if err != nil {
			return 0, nil, err
		}
		x.cursor = newCursor(x.reader.block, x.reader.study, int32(x.at-base))
		x.cursor.base, x.block = base, base+int64(x.reader.block.rows)
	}
	number, s = x.cursor.sample(int32(x.at - x.cursor.base))
	x.at++
	return number, s, nil
}

// A cursor makes samples of the rows of a block, in their order.
type cursor struct {
	block  *block
	base   int64 // the first row of the block in its file
	study  []byte
	next   []int            // of each column, the index of its next value
	units  []benchfmt.Value // of each column, its unit as it is printed and in base units
	keys   []int            // columns whose keys the result has
	found  []int            // the same of the row at hand
	result benchfmt.Result
}

func newCursor(b *block, study string, row int32) *cursor {
	x := &cursor{block: b, study: []byte(study), next: make([]int, len(b.columns)),
		units: make([]benchfmt.Value, len(b.columns))}
	for i, c := range b.columns {
		for x.next[i] < len(c.rows) && c.rows[x.next[i]] < row {
			x.next[i]++
		}
		_, tidy := benchunit.Tidy(1, c.Of)
		x.units[i] = benchfmt.Value{Unit: tidy, OrigUnit: c.Of}
	}
	return x
}

// sample returns the one of a row, which is behind that of the call before.
func (x *cursor) sample(row int32) (number int64, r *benchfmt.Result) {
	r = &x.result
	r.Values, x.found = r.Values[:0], x.found[:0]
	for i, c := range x.block.columns {
		at := x.next[i]
		if at == len(c.rows) || c.rows[at] != row {
			continue
		}
		x.next[i]++
		switch {
		case c.From == ofKey:
			x.found = append(x.found, i)
		case c.From == ofUnit:
			r.Values = append(r.Values, figure(c.number(at), x.units[i]))
		case c.Of == "case":
			r.Name = append(r.Name[:0], c.word(at)...)
		case c.Of == "iterations":
			r.Iters = int(c.bits[at])
		case c.Of == "sample":
			number = int64(c.bits[at])
		}
	}
	x.configure()
	return number, r
}

// configure gives the result the configuration of the row at hand. Where it has the keys of the row
// before, as nearly always, the index that the result makes of them stays.
func (x *cursor) configure() {
	if len(x.result.Config) == 0 || !slices.Equal(x.keys, x.found) {
		x.keys = append(x.keys[:0], x.found...)
		old := x.result
		x.result = benchfmt.Result{Name: old.Name, Iters: old.Iters, Values: old.Values,
			Config: append(old.Config[:0], benchfmt.Config{Key: series.KeyStudy, Value: x.study, File: true})}
		for _, i := range x.keys {
			x.result.Config = append(x.result.Config, benchfmt.Config{Key: x.block.columns[i].Of, File: true})
		}
	}
	for k, i := range x.keys {
		x.result.Config[k+1].Value = x.block.columns[i].word(x.next[i] - 1)
	}
}

// figure returns a figure in base units, as benchfmt.Reader does.
func figure(v float64, u benchfmt.Value) benchfmt.Value {
	tidy := v
	if u.Unit != u.OrigUnit {
		tidy, _ = benchunit.Tidy(v, u.OrigUnit)
	}
	if tidy == v {
		return benchfmt.Value{Value: v, Unit: u.OrigUnit}
	}
	return benchfmt.Value{Value: tidy, Unit: u.Unit, OrigValue: v, OrigUnit: u.OrigUnit}
}
