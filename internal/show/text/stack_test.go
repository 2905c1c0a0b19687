package text

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memcost/internal/gotool/stacklog"
)

const logsDir = "../../gotool/stacklog/testdata/"

// readLog returns what a log of package stacklog's testdata says.
func readLog(t testing.TB, name string) *stacklog.Log {
	t.Helper()
	f, err := os.Open(logsDir + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	l, err := stacklog.Read(f, stacklog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// readStackTrace does what readLog does for a compressed trace.
func readStackTrace(t testing.TB, name string) *stacklog.Log {
	t.Helper()
	f, err := os.Open(logsDir + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	l, err := stacklog.ReadTrace(z, stacklog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// What the programs of every Go release wrote is read and written as before.
func TestStackGolden(t *testing.T) {
	logs, _ := filepath.Glob(logsDir + "go*.log")
	if len(logs) < 30 {
		t.Fatalf("%d logs", len(logs))
	}
	all := map[string]*stacklog.Log{}
	for _, path := range logs {
		name := filepath.Base(path)
		all[strings.TrimSuffix(name, ".log")] = readLog(t, name)
	}
	for _, v := range []string{"go1.23.12", "go1.27.4"} {
		all[v+".trace"] = readStackTrace(t, v+".trace.gz")
	}
	for name, l := range all {
		var b strings.Builder
		writeStackLog(&printer{w: &b, Style: Style{Long: true}}, l)
		golden(t, filepath.Join("stack", name+".txt"), b.String())
	}
}

// Of a long table the first rows are written, unless all are asked for.
func TestRowsAreBounded(t *testing.T) {
	l := &stacklog.Log{Grows: stacklog.Tally{N: 1500}}
	for range 1000 {
		l.Growths = append(l.Growths, stacklog.Event{Kind: stacklog.Grow, G: 0xc000000180, From: 2048, To: 4096})
	}
	for long, want := range map[bool]int{false: shortRows, true: 1000} {
		var b strings.Builder
		writeStackLog(&printer{w: &b, Style: Style{Long: long}}, l)
		if s := b.String(); !strings.Contains(s, fmt.Sprintf("\n… and %d more\n", 1500-want)) ||
			strings.Count(s, "\n0xc000000180") != want {
			t.Errorf("long %v: %.2000s", long, s)
		}
	}
}

func TestOverview(t *testing.T) {
	var b bytes.Buffer
	l := readLog(t, "go1.13.15-array.log")
	if err := StackOverview(&b, []StackRun{{Name: "array", Log: l}, {Name: "other"}}, Style{}); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.HasPrefix(got, "program  growths  ") ||
		!strings.Contains(got, "array         13        0         16 MiB          2600      24") ||
		!strings.HasSuffix(strings.TrimSpace(got), "not run") {
		t.Errorf("got\n%s", got)
	}
}
