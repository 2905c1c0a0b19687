package exchange

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/testkit"
)

// readAll gives a file's results, its warnings and its error.
func readAll(r io.Reader, name string, f Format) ([]*benchfmt.Result, []error, error) {
	var results []*benchfmt.Result
	warnings, err := Read(r, name, f, func(res *benchfmt.Result) error {
		results = append(results, res)
		return nil
	})
	return results, warnings, err
}

func each(results []*benchfmt.Result) func(func(*benchfmt.Result, error) bool) {
	return func(yield func(*benchfmt.Result, error) bool) {
		for _, r := range results {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// What is read from each file of testdata, in the Go format and preceded by the
// warnings, is in the file of the same name with .golden behind it. The files of
// Google Benchmark are by its version 1.7.1 and the program gbench.cc.
func TestRead(t *testing.T) {
	for file, format := range map[string]Format{
		"gbench.json": Google, "gbench-aggregates.json": Google, "gbench-sorted.json": Google,
		"gbench-cut.json": Google,
		"action.json":     Action, "data.js": Action, "bencher.json": Bencher, "ours.csv": CSV, "plain.csv": CSV,
	} {
		t.Run(file, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", file))
			if err != nil {
				t.Fatal(err)
			}
			if got := Sniff(data[:min(len(data), 4<<10)]); got != format {
				t.Errorf("Sniff says %s, want %s", got, format)
			}
			results, warnings, err := readAll(bytes.NewReader(data), file, format)
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			for _, w := range warnings {
				fmt.Fprintf(&got, "# %v\n", w)
			}
			if err := WriteSamples(&got, Go, each(results)); err != nil {
				t.Fatal(err)
			}
			testkit.Golden(t, filepath.Join("testdata", file+".golden"), got.String())
		})
	}
}

// Where the context says that cpu_time repeats real_time, it is no measurement,
// whether the context comes before the entries or after them.
func TestGoogleCPURepeats(t *testing.T) {
	const context = `"context": {"date": "2026-11-21", "cpu_time_measured": %q}`
	const entries = `"benchmarks": [{"name": "M/8", "run_type": "iteration", "iterations": 7, "real_time": 12, "cpu_time": 12, "time_unit": "ns", "cpu-cycles": 9}]`
	for _, c := range []struct{ measured, order, want string }{
		{"false", "{%[1]s, %[2]s}", "[sec/op cpu-cycles]"},
		{"false", "{%[2]s, %[1]s}", "[sec/op cpu-cycles]"},
		{"true", "{%[1]s, %[2]s}", "[sec/op cpu-sec/op cpu-cycles]"},
	} {
		text := fmt.Sprintf(c.order, fmt.Sprintf(context, c.measured), entries)
		results, _, err := readAll(strings.NewReader(text), "x.json", Google)
		if err != nil || len(results) != 1 {
			t.Fatalf("%s: %d results, %v", text, len(results), err)
		}
		var units []string
		for _, v := range results[0].Values {
			units = append(units, v.Unit)
		}
		if fmt.Sprint(units) != c.want || results[0].GetConfig("cpu_time_measured") != "" {
			t.Errorf("%s: units %v, want %s", text, units, c.want)
		}
	}
}
