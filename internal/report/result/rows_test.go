package result

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/exchange"
	"memcost/internal/method/series"
	"memcost/internal/report/figures"
)

func TestRows(t *testing.T) {
	troubled, err := Read("testdata/troubled", Options{})
	if err != nil {
		t.Fatal(err)
	}
	numbers := readFile(t, "testdata/files/numbers.txt")
	var got []string
	for _, r := range Rows([]*Answer{troubled, numbers}) {
		got = append(got, strings.Join([]string{r.Data, r.Study, r.Case, r.Unit}, " | "))
		switch {
		case !finite(r.Value):
			t.Errorf("%+v", r)
		case r.Unit != "sec/op" && !math.IsNaN(r.Lo):
			t.Errorf("%s of %s has an interval", r.Unit, r.Case)
		case r.Case == "Few" && !math.IsNaN(r.Lo): // nothing bounds it
			t.Errorf("%+v", r)
		case r.Case == "Empty-2" && r.Unit == "sec/op" && !(r.Lo > 0 && r.Lo < r.Value && r.Value < r.Hi && r.N == 22):
			t.Errorf("%+v", r)
		}
	}
	// Without the INVALID and the failed ones, and without what memcost measured of the processes.
	var want []string
	for _, c := range []string{"Empty-2", "Smaug/place=heap/size=1024-2", "Smaug/place=heap/size=4096-2"} {
		for _, unit := range []string{"sec/op", "B/op", "allocs/op"} {
			want = append(want, "troubled · go1.26.8 | smaug | "+c+" | "+unit)
		}
	}
	for _, c := range []string{"Huge | sec/op", "Tiny | sec/op", "Once | sec/op", "Once | B/op", "Few | sec/op",
		"Six | sec/op", "Rate | B/s"} {
		want = append(want, "numbers.txt | example.com/numbers | "+c)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, f := range []exchange.Format{exchange.CSV, exchange.Action, exchange.Bencher} {
		var b bytes.Buffer
		if err := exchange.WriteRows(&b, f, Rows([]*Answer{troubled, numbers, troubled})); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
}

// A unit that memcost gives its samples too is kept in a file of someone else's.
func TestRowsOfForeignUnits(t *testing.T) {
	a := read(t, "sweet.txt", "BenchmarkX 1 10 ns/op 4096 peak-RSS-bytes 3 order\n")
	var units []string
	for _, r := range Rows([]*Answer{a}) {
		units = append(units, fmt.Sprint(r.Unit, "=", r.Value))
	}
	if got := strings.Join(units, " "); got != "sec/op=1e-08 order=3 peak-RSS-bytes=4096" {
		t.Error(got)
	}
}

func TestSamples(t *testing.T) {
	count := func(path string) (n int) {
		t.Helper()
		for r, err := range Samples(path) {
			if err != nil {
				t.Fatal(err)
			}
			if _, failed := r.Value(series.UnitFailed); failed || r.GetConfig(series.KeyRole) != "" {
				t.Errorf("%s of role %q", r.Name, r.GetConfig(series.KeyRole))
			}
			n++
		}
		return n
	}
	for path, want := range map[string]int{
		"testdata/healthy":             7 * 14, // without A′
		"testdata/healthy/samples.txt": 7 * 14,
		"testdata/troubled":            6 * 24, // without the quarter samples and the case that fails
		"testdata/files/old.txt":       40,
		files["gbench"]:                18,
	} {
		if got := count(path); got != want {
			t.Errorf("%s: %d samples, want %d", path, got, want)
		}
	}
	for range Samples("testdata/healthy") {
		break // and the reading ends without an error, or a further call
	}
}

func TestSamplesErrors(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty.txt")
	if err := os.WriteFile(empty, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "none"): "no such file",
		dir:                        "not a run folder",
		empty:                      "no benchmark results in it",
	} {
		var last error
		n := 0
		for r, err := range Samples(path) {
			if n++; r != nil {
				t.Errorf("%s: %v", path, r)
			}
			last = err
		}
		if n != 1 || last == nil || !strings.Contains(last.Error(), want) || !strings.Contains(last.Error(), path) {
			t.Errorf("%s: %v (%d), want %q", path, last, n, want)
		}
	}
}

// What goes out as samples comes in again as the same answer.
func TestSamplesThereAndBack(t *testing.T) {
	here := readFile(t, "testdata/healthy/samples.txt")
	for _, f := range []exchange.Format{exchange.Go, exchange.Google} {
		var b bytes.Buffer
		if err := exchange.WriteSamples(&b, f, Samples("testdata/healthy")); err != nil {
			t.Fatal(err)
		}
		back := read(t, "back", b.String())
		if back.Samples != here.Samples || len(back.Studies) != 1 {
			t.Errorf("%s: %d samples in %d suites", f, back.Samples, len(back.Studies))
			continue
		}
		for _, c := range back.Studies[0].Cases {
			name := benchfmt.Name(c.Name).Full()
			i := slices.IndexFunc(here.Studies[0].Cases, func(x Case) bool {
				return figures.TrimProcs(x.Name) == figures.TrimProcs(string(name))
			})
			if i < 0 || math.Abs(float64(c.Time.Value/here.Studies[0].Cases[i].Time.Value)-1) > 1e-6 {
				t.Errorf("%s: %s: %v", f, c.Name, c.Time)
			}
		}
	}
}
