package text

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"memcost/internal/gotool/exectrace"
)

// The text of the traces of every Go release is what it was before.
func TestTraceGolden(t *testing.T) {
	for name, trace := range traces(t) {
		for _, width := range []int{0, 80, 40} {
			var b strings.Builder
			if err := Trace(&b, trace, Style{Width: width}); err != nil {
				t.Fatal(err)
			}
			safe(t, b.String(), Style{Width: width})
			if width == 0 {
				golden(t, filepath.Join("trace", name+".txt"), b.String())
			}
		}
		if s := TraceSentence(trace); trace.GC.N > 1 &&
			!strings.Contains(s, " GC cycles stopped the world for ") {
			t.Errorf("%s: %s", name, s)
		}
	}
}

// The table of the collections has the longest, by start, and each pause of the
// collector is one of exactly one collection.
func TestTablesOfThePicture(t *testing.T) {
	collections := 0
	for name, trace := range traces(t) {
		tables := TraceTables(trace)
		procs := tables[len(tables)-1]
		if !slices.EqualFunc(procs.Rows, procRows(trace), func(a []Cell, b []string) bool {
			return reflect.DeepEqual(a, cells(b...))
		}) {
			t.Errorf("%s: the processors' time is not that of the text: %v", name, procs.Rows)
		}
		if trace.GC.N == 0 {
			continue
		}
		collections++
		c := tables[0]
		if want := min(trace.GC.N, collectionsShown); int64(len(c.Rows)) != want ||
			strings.Contains(c.Title, "20 longest") != (trace.GC.N > collectionsShown) {
			t.Errorf("%s: %q has %d rows, want %d", name, c.Title, len(c.Rows), want)
		}
		pauses := map[time.Duration]int{} // by start
		for _, cycle := range trace.GC.Cycles {
			of := trace.PausesOf(cycle)
			if !cycle.CutStart && !cycle.CutEnd && (len(of) < 1 || len(of) > 2) {
				t.Errorf("%s: the collection at %v has %d pauses", name, cycle.Start, len(of))
			}
			pauses[cycle.Start] += len(of)
		}
		n := int64(0)
		for _, of := range pauses {
			n += int64(of)
		}
		if len(trace.Left) == 0 && n != trace.STW.GC.N {
			t.Errorf("%s: %d pauses of collections, the trace has %d", name, n, trace.STW.GC.N)
		}
	}
	if collections < 9 {
		t.Errorf("%d traces with a collection", collections)
	}
}

// traces returns those of package exectrace's testdata, by name.
func traces(t *testing.T) map[string]*exectrace.Trace {
	t.Helper()
	paths, err := filepath.Glob("../../gotool/exectrace/testdata/*.trace.gz")
	if err != nil || len(paths) < 10 {
		t.Fatalf("%d traces: %v", len(paths), err)
	}
	all := map[string]*exectrace.Trace{}
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		tr, err := exectrace.Read(z, exectrace.Options{})
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(path), ".trace.gz")] = tr
	}
	return all
}
