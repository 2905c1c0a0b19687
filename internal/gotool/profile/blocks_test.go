package profile

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// The table of a profile is the head of what go tool pprof -top printed of it.
func TestTopTable(t *testing.T) {
	in, err := os.Open("testdata/go1.27.4-pointer.prof")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	p, err := Read(in)
	if err != nil {
		t.Fatal(err)
	}
	table := p.Table()
	printed, err := os.ReadFile("testdata/go1.27.4-pointer.top")
	if err != nil {
		t.Fatal(err)
	}
	rows := table.Rows
	if len(rows) != functionsShown || !strings.HasPrefix(table.Title.String(), "The 25 of ") {
		t.Errorf("%q has %d rows", table.Title, len(rows))
	}
	same := 0
	for _, line := range strings.Split(string(printed), "\n") {
		for _, row := range rows {
			// flat flat% sum% cum cum% name
			if f := strings.Fields(line); len(f) >= 6 && f[5] == row.Cells[0].String() {
				same++
				if near(t, f[1], row.Cells[2].String()) > 0.051 || near(t, f[4], row.Cells[4].String()) > 0.051 {
					t.Errorf("pprof: %s, the table: %v", line, row)
				}
			}
		}
	}
	if same != functionsShown {
		t.Errorf("pprof has %d of the %d functions", same, len(rows))
	}
	if s := p.Sentence(); !strings.HasPrefix(s, "CPU time: ") {
		t.Error(s)
	}
}

// near returns how far two percentages are from each other.
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

func TestAmount(t *testing.T) {
	for _, x := range []struct {
		unit  string
		value int64
		want  string
	}{
		{"nanoseconds", 0, "0 ns"}, {"nanoseconds", 10_000_000, "10 ms"}, {"nanoseconds", 1_270_000_000, "1.27 s"},
		{"nanoseconds", 754_000, "754 µs"}, {"nanoseconds", 123_400_000_000, "123 s"},
		{"bytes", 512, "512 B"}, {"bytes", 3 << 19, "1.50 MiB"}, {"count", 12345, "12,345"},
	} {
		if got, share := (&Profile{Unit: x.unit, Total: 4 * x.value}).Amount(x.value); got != x.want ||
			x.value > 0 && share != "25.0%" {
			t.Errorf("%d %s: %q, %s, want %q", x.value, x.unit, got, share, x.want)
		}
	}
}
