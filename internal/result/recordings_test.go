package result

import (
	"bytes"
	"compress/gzip"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// The table of a profile is the head of what go tool pprof -top printed of it.
func TestTopTable(t *testing.T) {
	data, err := os.ReadFile("../profile/testdata/go1.27.4-pointer.prof")
	if err != nil {
		t.Fatal(err)
	}
	d, err := drawProfile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	printed, err := os.ReadFile("../profile/testdata/go1.27.4-pointer.top")
	if err != nil {
		t.Fatal(err)
	}
	rows := d.tables[0].Rows
	if len(rows) != functionsShown || !strings.HasPrefix(d.tables[0].Title, "The 25 of ") {
		t.Errorf("%q has %d rows", d.tables[0].Title, len(rows))
	}
	same := 0
	for _, line := range strings.Split(string(printed), "\n") {
		for _, row := range rows {
			// flat flat% sum% cum cum% name
			if f := strings.Fields(line); len(f) >= 6 && f[5] == row[0] {
				same++
				if near(t, f[1], row[2]) > 0.051 || near(t, f[4], row[4]) > 0.051 {
					t.Errorf("pprof: %s, the table: %q", line, row)
				}
			}
		}
	}
	if same != functionsShown {
		t.Errorf("pprof has %d of the %d functions", same, len(rows))
	}
	if !strings.Contains(d.html, "<svg") || !strings.HasPrefix(d.sentence, "CPU time: ") {
		t.Errorf("drawn as %.80s, %q", d.html, d.sentence)
	}
}

// near is how far two percentages are from each other.
func near(t *testing.T, a, b string) float64 {
	t.Helper()
	var x [2]float64
	for i, s := range []string{a, b} {
		v, err := strconv.ParseFloat(strings.TrimSuffix(s, "%"), 64)
		if err != nil {
			t.Fatal(err)
		}
		x[i] = v
	}
	return math.Abs(x[0] - x[1])
}

func TestTraceOfARecording(t *testing.T) {
	data, err := os.ReadFile("../exectrace/testdata/go1.27.4.trace.gz")
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if data, err = io.ReadAll(z); err != nil {
		t.Fatal(err)
	}
	d, err := drawTrace(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if len(d.tables) != 2 || len(d.tables[0].Rows) == 0 || len(d.tables[1].Rows) < 5 || !strings.Contains(d.sentence, " collections, which stopped the program for ") {
		t.Errorf("%q: %q", d.sentence, d.tables)
	}
	if _, err := drawTrace(bytes.NewReader(data[:10])); err == nil {
		t.Error("ten bytes are drawn")
	}
}
