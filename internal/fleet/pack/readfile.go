package pack

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// A Reader reads the samples of a file.
type Reader struct {
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
	out := &Reader{file: f, study: study, group: -1}
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
		for _, f := range r.fields {
			r.block.column(f.From, f.Of, f.Kind)
		}
	}
	r.block.reset()
	r.block.rows = int(g.NumRows())
	for i, chunk := range g.ColumnChunks() {
		f := r.fields[i]
		if err := r.readColumn(r.block.column(f.From, f.Of, f.Kind), chunk); err != nil {
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
			if !v.IsNull() {
				c.take(row, v)
			}
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

// take adds a value.
func (c *column) take(row int32, v parquet.Value) {
	switch c.Kind {
	case text:
		c.text(row, v.ByteArray())
	case whole:
		c.whole(row, v.Int64())
	case flag:
		c.whole(row, bit(v.Boolean()))
	default:
		c.rows, c.numbers = append(c.rows, row), append(c.numbers, v.Double())
	}
}
