package pack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"golang.org/x/perf/benchfmt"
)

// files are those that a Writer made, in memory.
type files struct {
	data  []*bytes.Buffer
	spans [][]Span
}

type inMemory struct{ *bytes.Buffer }

func (inMemory) Close() error { return nil }

func (f *files) writer() *FileWriter {
	return NewFileWriter(func() (io.WriteCloser, error) {
		f.data = append(f.data, &bytes.Buffer{})
		return inMemory{f.data[len(f.data)-1]}, nil
	}, func(spans []Span) error { f.spans = append(f.spans, spans); return nil })
}

// read returns the samples of all files with their numbers, each as text.
func (f *files) read(t *testing.T, study string) (out []string) {
	t.Helper()
	for _, d := range f.data {
		r, err := NewReader(bytes.NewReader(d.Bytes()), int64(d.Len()), study)
		if err != nil {
			t.Fatal(err)
		}
		rows := r.Rows(0, r.Len())
		for {
			number, s, err := rows.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, fmt.Sprintf("%d %s", number, textOf(s)))
		}
	}
	return out
}

// textOf returns all that a sample says, in an order of its own.
func textOf(r *benchfmt.Result) string {
	config, values := map[string]string{}, map[string]string{}
	for _, c := range r.Config {
		if len(c.Value) > 0 {
			config[c.Key] = fmt.Sprintf("%q %v", c.Value, c.File)
		}
	}
	for _, v := range r.Values {
		key := v.Unit + " " + v.OrigUnit
		if values[key] == "" {
			values[key] = fmt.Sprint(v.Value, v.OrigValue)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d", r.Name, r.Iters)
	for _, m := range []map[string]string{config, values} {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			fmt.Fprintf(&b, "; %s=%s", k, m[k])
		}
	}
	return b.String()
}

// What is read back of real runs is what benchfmt.Reader makes of their samples.txt.
func TestRoundTrip(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "..", "report", "result", "testdata", "*", "samples.txt"))
	if err != nil || len(paths) < 8 {
		t.Fatalf("%d runs in testdata, %v", len(paths), err)
	}
	for _, path := range paths {
		want, f := map[string][]string{}, map[string]*files{}
		writers := map[string]*FileWriter{}
		in, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		r := benchfmt.NewReader(in, path)
		for n := int64(0); r.Scan(); {
			s, ok := r.Result().(*benchfmt.Result)
			if !ok {
				continue
			}
			study := s.GetConfig("study")
			if writers[study] == nil {
				f[study] = &files{}
				writers[study] = f[study].writer()
			}
			id := ID{Run: "r", Plan: "p", Machine: "m", Boot: "b", Shard: 1, Number: n}
			if err := writers[study].Add(id, s); err != nil {
				t.Fatal(err)
			}
			want[study] = append(want[study], fmt.Sprintf("%d %s", n, textOf(s)))
			n++
		}
		for study, w := range writers {
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if got := f[study].read(t, study); !slices.Equal(got, want[study]) {
				t.Errorf("%s, %s: %d samples, want %d; the first is\n%.400s\nwant\n%.400s", path, study, len(got),
					len(want[study]), got[0], want[study][0])
			}
		}
	}
}

func sample(t *testing.T, text string) *benchfmt.Result {
	t.Helper()
	r := benchfmt.NewReader(strings.NewReader(text), "test")
	if !r.Scan() {
		t.Fatal("no sample")
	}
	s, ok := r.Result().(*benchfmt.Result)
	if !ok {
		t.Fatalf("%v", r.Result())
	}
	return s
}

// A figure that comes late begins another file, for all rows of a file have the same columns; two runs
// are told apart by where they are.
func TestFigureThatComesLate(t *testing.T) {
	f := files{}
	w := f.writer()
	late := "study: s\nBenchmarkB 1 7 ns/op 3 widgets 0 round\n"
	for i := range groupRows + 10 {
		text, run := "study: s\nBenchmarkA 1 7 ns/op 0 round\n", 0
		if i >= groupRows+2 {
			text, run = late, 1
		}
		if err := w.Add(ID{Index: run, Run: "r", Number: int64(i)}, sample(t, text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want := [][]Span{{{0, 0, groupRows}}, {{0, 0, 2}, {1, 2, 8}}}
	if fmt.Sprint(f.spans) != fmt.Sprint(want) {
		t.Errorf("files with %v, want %v", f.spans, want)
	}
	got := f.read(t, "s")
	if n := len(got); n != groupRows+10 || got[n-1] != fmt.Sprintf("%d %s", n-1, textOf(sample(t, late))) {
		t.Errorf("%d samples, the last %s", n, got[n-1])
	}
	// Some rows in the middle, across the end of a row group.
	r, err := NewReader(bytes.NewReader(f.data[1].Bytes()), int64(f.data[1].Len()), "s")
	if err != nil {
		t.Fatal(err)
	}
	number, s, err := r.Rows(1, 3).Next()
	if err != nil || number != groupRows+1 || string(s.Name) != "A" {
		t.Errorf("row 1 is %d, %v, %v", number, s, err)
	}
}

// What no sample of memcost has is kept as well: a count that is none, a figure twice, a key that is called
// like a column.
func TestOddSamples(t *testing.T) {
	for _, text := range []string{
		"study: s\nround: key\ncase: x\nfailed: why\nBenchmarkA 1 7 ns/op 1.5 round 1 failed\n",
		"study: s\nBenchmarkA 1 0 ns/op 1e300 B/op NaN x +Inf sec/op 9e15 order\n",
		"study: s\nmachine: host\nBenchmarkA 1 7 ns/op 7 ROUND 3 round -2 slices\n",
	} {
		f := files{}
		w := f.writer()
		if err := errors.Join(w.Add(ID{Run: "r"}, sample(t, text)), w.Close()); err != nil {
			t.Fatal(err)
		}
		if got, want := f.read(t, "s"), "0 "+textOf(sample(t, text)); len(got) != 1 || got[0] != want {
			t.Errorf("%q is\n%q, want\n%q", text, got, want)
		}
	}
	f := files{}
	w := f.writer()
	if err := errors.Join(w.Add(ID{Run: "r"}, sample(t, "BenchmarkA 1 7 ns/op 8 ns/op\n")), w.Close()); err != nil {
		t.Fatal(err)
	}
	if got := f.read(t, "s"); !strings.HasSuffix(got[0], " 7") {
		t.Errorf("the first of two times is not kept: %s", got[0])
	}
}

// Damage is an error, not a panic and not another figure.
func TestDamagePackfile(t *testing.T) {
	f := files{}
	w := f.writer()
	for i := range 1000 {
		s := sample(t, fmt.Sprintf("study: s\nBenchmarkA 1 %d.25 ns/op %d round\n", i*i, i))
		if err := w.Add(ID{Run: "r", Number: int64(i)}, s); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want := f.read(t, "s")
	good := f.data[0].Bytes()
	found := 0
	_, footer, err := Footer(bytes.NewReader(good), int64(len(good)))
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for at := 8; at < int(footer); at += int(footer)/97 + 1 {
		tried++
		bad := slices.Clone(good)
		bad[at] ^= 0x55
		got, err := readAll(bad)
		if err != nil {
			found++
		} else if !slices.Equal(got, want) {
			t.Errorf("byte %d of %d: other samples, without an error", at, len(good))
		}
	}
	if 2*found < tried {
		t.Errorf("%d of %d damaged files are errors", found, tried)
	}
	if _, err := readAll(good[:len(good)/2]); err == nil {
		t.Error("half a file is none")
	}
}

// A few bytes that say of themselves that they are gigabytes are an error before room is made for them.
func TestPagesThatClaimTooMuch(t *testing.T) {
	f := files{}
	w := f.writer()
	if err := w.Add(ID{Run: "r"}, sample(t, "study: s\nBenchmarkA 1 5 ns/op\n")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	data := f.data[0].Bytes()
	from := bytes.NewReader(data)
	r, err := NewReader(from, int64(len(data)), "s")
	if err != nil {
		t.Fatal(err)
	}
	good := r.file.Metadata().RowGroups[0]
	if err := plausible(from, r.size, good, pageBytes); err != nil {
		t.Fatal(err)
	}
	column := good.Columns[0].MetaData
	at := column.DataPageOffset
	if column.DictionaryPageOffset > 0 {
		at = column.DictionaryPageOffset
	}
	huge := func(h *format.PageHeader) { h.UncompressedPageSize = math.MaxInt32 }
	many := func(h *format.PageHeader) {
		h.Type, h.DictionaryPageHeader.Valid = format.DataPage, false
		h.DataPageHeader.Valid, h.DataPageHeader.V.NumValues = true, math.MaxInt32
	}
	for what, change := range map[string]func(*format.PageHeader){"bytes": huge, "values": many} {
		var h format.PageHeader
		protocol := new(thrift.CompactProtocol)
		if err := thrift.NewDecoder(protocol.NewReader(bytes.NewReader(data[at:]))).Decode(&h); err != nil {
			t.Fatal(err)
		}
		change(&h)
		text, err := thrift.Marshal(protocol, &h)
		if err != nil {
			t.Fatal(err)
		}
		bad := slices.Concat(data[:at], text, make([]byte, 1000))
		err = plausible(bytes.NewReader(bad), int64(len(bad)), good, pageBytes)
		if err == nil || !strings.Contains(err.Error(), "2147483647 "+what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	rows := good
	rows.NumRows = 1e12
	if err := plausible(from, r.size, rows, pageBytes); err == nil {
		t.Error("a group of 10¹² rows is read")
	}
}

func readAll(data []byte) (out []string, err error) {
	r, err := NewReader(bytes.NewReader(data), int64(len(data)), "s")
	if err != nil {
		return nil, err
	}
	rows := r.Rows(0, r.Len())
	for {
		number, s, err := rows.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		out = append(out, fmt.Sprintf("%d %s", number, textOf(s)))
	}
}
