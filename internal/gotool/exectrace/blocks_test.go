package exectrace_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memcost/internal/document"
	"memcost/internal/gotool/exectrace"
	"memcost/internal/show/terminal"
	"memcost/internal/testkit"
)

// The traces of every Go release are read and shown as before.
func TestBlocksOfEveryRelease(t *testing.T) {
	var b strings.Builder
	for _, x := range traces(t) {
		fmt.Fprintf(&b, "\n== %s: %s\n%s\n", x.name, x.Sentence(), x.Answer())
		if err := terminal.Write(&b, &document.Document{Blocks: x.Blocks()}, terminal.Style{}); err != nil {
			t.Fatal(err)
		}
	}
	testkit.Golden(t, "testdata/shown.txt", b.String())
}

// The table of the collections has the longest, by start, and each pause of the collector is one
// of exactly one collection.
func TestTablesOfThePicture(t *testing.T) {
	collections := 0
	for _, trace := range traces(t) {
		if trace.GC.N == 0 {
			continue
		}
		collections++
		c := trace.PictureTables()[0]
		if want := min(trace.GC.N, 20); int64(len(c.Rows)) != want ||
			strings.Contains(c.Title.String(), "20 longest") != (trace.GC.N > 20) {
			t.Errorf("%s: %q has %d rows, want %d", trace.name, c.Title, len(c.Rows), want)
		}
		pauses := map[time.Duration]int{} // by start
		for _, cycle := range trace.GC.Cycles {
			of := trace.PausesOf(cycle)
			if !cycle.CutStart && !cycle.CutEnd && (len(of) < 1 || len(of) > 2) {
				t.Errorf("%s: the collection at %v has %d pauses", trace.name, cycle.Start, len(of))
			}
			pauses[cycle.Start] += len(of)
		}
		n := int64(0)
		for _, of := range pauses {
			n += int64(of)
		}
		if len(trace.Left) == 0 && n != trace.STW.GC.N {
			t.Errorf("%s: %d pauses of collections, the trace has %d", trace.name, n, trace.STW.GC.N)
		}
	}
	if collections < 9 {
		t.Errorf("%d traces with a collection", collections)
	}
}

type named struct {
	name string
	*exectrace.Trace
}

// traces returns those of testdata.
func traces(t *testing.T) []named {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.trace.gz")
	if err != nil || len(paths) < 10 {
		t.Fatalf("%d traces: %v", len(paths), err)
	}
	var all []named
	for _, path := range paths {
		tr, err := exectrace.Read(bytes.NewReader(testkit.Captured(t, path)), exectrace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, named{strings.TrimSuffix(filepath.Base(path), ".trace.gz"), tr})
	}
	return all
}
