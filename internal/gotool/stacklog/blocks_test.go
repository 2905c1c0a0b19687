package stacklog_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"memcost/internal/document"
	"memcost/internal/gotool/stacklog"
	"memcost/internal/show/terminal"
	"memcost/internal/testkit"
)

// What the programs of every Go release wrote is read and shown as before.
func TestBlocksOfEveryRelease(t *testing.T) {
	paths, _ := filepath.Glob("testdata/go*.log")
	if len(paths) < 30 {
		t.Fatalf("%d logs", len(paths))
	}
	var b strings.Builder
	for _, path := range append(paths, "testdata/go1.23.12.trace.gz", "testdata/go1.27.4.trace.gz") {
		fmt.Fprintf(&b, "\n== %s\n%s", filepath.Base(path), drawn(t, readFile(t, path), terminal.Style{Long: true}))
	}
	testkit.Golden(t, "testdata/shown.txt", b.String())
}

func readFile(t *testing.T, path string) *stacklog.Log {
	t.Helper()
	read := stacklog.Read
	if strings.HasSuffix(path, ".gz") {
		read = stacklog.ReadTrace
	}
	l, err := read(bytes.NewReader(testkit.Captured(t, path)), stacklog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func drawn(t *testing.T, l *stacklog.Log, s terminal.Style) string {
	t.Helper()
	var b strings.Builder
	if err := terminal.Write(&b, &document.Document{Blocks: l.Blocks()}, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Of a long table the first rows are shown, unless all are asked for, and those that were not kept
// are counted.
func TestRowsAreBounded(t *testing.T) {
	l := &stacklog.Log{Grows: stacklog.Tally{N: 1500}}
	for range 1000 {
		l.Growths = append(l.Growths, stacklog.Event{Kind: stacklog.Grow, G: 0xc000000180, From: 2048, To: 4096})
	}
	for long, want := range map[bool]int{false: 10, true: 1000} {
		s := drawn(t, l, terminal.Style{Long: long})
		if strings.Count(s, "\n  0xc000000180") != want || strings.Contains(s, "990 more") == long ||
			!strings.Contains(s, "500 after these were counted") {
			t.Errorf("long %v: %.2000s", long, s)
		}
	}
}
