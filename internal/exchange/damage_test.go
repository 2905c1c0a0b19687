package exchange

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
)

// A file that is not in its format is an error that names file and line.
func TestReadWrongFile(t *testing.T) {
	for _, test := range []struct {
		format Format
		text   string
		want   string
	}{
		{Google, "", "reading f: the file is empty"},
		{CSV, byteOrderMark, "reading f: the file is empty"},
		{CSV, "\n\n", "reading f: it holds nothing but empty lines"},
		{CSV, "\nname,colour\nx,red\n", "reading f: line 2: the header needs"},
		{CSV, "name,ns/op\n", "reading f: it holds no benchmark result"},
		{CSV, "case,unit\na,ns/op\n", "reading f: line 1: the header needs"},
		{Google, "goos: linux\n", "reading f: line 1: this is not JSON"},
		{Google, "\n\n[]", `reading f: line 3: Google Benchmark's JSON should begin with "{", not [`},
		{Google, "{}", `reading f: there is no "benchmarks"`},
		{Google, `{"benchmarks": null}`, `reading f: line 1: "benchmarks" should begin with "[", not <nil>`},
		{Google, "{\"context\": {},\n\"benchmarks\": [\n", "reading f: line 2: the file ends before it is complete"},
		{Google, "{\"benchmarks\": [\n{\"name\": \"BM_x\",\n\"real_time\": 1,,\n}]}",
			"reading f: line 3: this is not JSON: invalid character ','"},
		{Google, `{"benchmarks": [{"name": "BM_x", "run_type": "iteration"}]}`,
			"reading f: it holds no benchmark result"},
		{Action, "\n\n", "reading f: line 3: the file ends before it is complete"},
		{Action, "\n{}", `reading f: line 2: github-action-benchmark's array should begin with "[", not {`},
		{Action, "[]", "reading f: it holds no benchmark result"},
		{Action, "window.BENCHMARK_DATA\n: {}", `reading f: line 2: "=" should follow`},
		{Action, "window.BENCHMARK_DATA = {\n\"entries\": []}",
			`reading f: line 2: "entries" should begin with "{", not [`},
		{Action, "window.BENCHMARK_DATA = {}", `reading f: there is no "entries"`},
		{Bencher, `[1]`, `reading f: line 1: the Bencher Metric Format should begin with "{", not [`},
		{Bencher, "{\n\n\"a\" 3}", "reading f: line 3: this is not JSON"},
		{Go, "x", `reading f: format "go" is not one that is read here`},
		{"xml", "x", `reading f: format "xml" is not one that is read here`},
	} {
		results, _, err := readAll(strings.NewReader(test.text), "f", test.format)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s %q: error %v, want %s", test.format, test.text, err, test.want)
		}
		if len(results) > 0 {
			t.Errorf("%s %q: %d results", test.format, test.text, len(results))
		}
	}
}

func TestWarningsAreBounded(t *testing.T) {
	text := "name,ns/op\n" + strings.Repeat("a,-1\n", 25) + "b,2\n"
	results, warnings, err := readAll(strings.NewReader(text), "f", CSV)
	if err != nil || len(results) != 1 {
		t.Fatalf("%d results, error %v", len(results), err)
	}
	if len(warnings) != maxWarnings+1 {
		t.Fatalf("%d warnings", len(warnings))
	}
	// Every such row is refused twice: its value, and then itself.
	if got, want := warnings[maxWarnings].Error(), "f: there are 30 more such warnings"; got != want {
		t.Errorf("the last warning is %q, want %q", got, want)
	}
}

// The caller's own error stops the reading and comes back as it is, wherever
// the format delivers its results.
func TestCallersErrorStops(t *testing.T) {
	stop := errors.New("enough")
	for format, text := range map[Format]string{
		Google:  `{"benchmarks": [{"name": "a", "real_time": 1}, {"name": "b", "real_time": 1}]}`,
		Action:  `[{"name": "a", "unit": "ns", "value": 1}, {"name": "b", "unit": "ns", "value": 1}]`,
		Bencher: `{"a": {"latency": {"value": 1}}, "b": {"latency": {"value": 1}}}`,
		CSV:     "name,ns\na,1\nb,1\n",
	} {
		calls := 0
		_, err := Read(strings.NewReader(text), "f", format, func(*benchfmt.Result) error { calls++; return stop })
		if err != stop || calls != 1 {
			t.Errorf("%s: error %v after %d calls", format, err, calls)
		}
	}
}

// A failing disk is not a truncated file.
func TestReadingFails(t *testing.T) {
	broken := errors.New("input/output error")
	for format, text := range map[Format]string{
		Google:  `{"context": {}, "benchmarks": [{"name": "a", "real_time": 1}, `,
		Action:  `[{"name": "a", "unit": "ns", "value": 1}, `,
		Bencher: `{"a": {"latency": {"value": 1}}, `,
		CSV:     "name,ns\na,1\n",
	} {
		r := io.MultiReader(strings.NewReader(text), failing{broken})
		if _, _, err := readAll(r, "f", format); !errors.Is(err, broken) ||
			!strings.HasPrefix(err.Error(), "reading f: ") {
			t.Errorf("%s: error %v", format, err)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// Files of any size are read as they come: no result waits for what is not
// needed to know it.
func TestReadStreams(t *testing.T) {
	const entries = 20_000
	for format, file := range map[Format]endless{
		Google: {begin: `{"context": {"host_name": "h"}, "benchmarks": [`, entry: "{\"name\": \"BM_x/%d\", " +
			"\"run_type\": \"iteration\", \"real_time\": 1, \"time_unit\": \"ns\"},\n", end: `{}]}`},
		Action:  {begin: "[", entry: "{\"name\": \"x%d\", \"unit\": \"ns\", \"value\": 1},\n", end: "{}]"},
		Bencher: {begin: "{", entry: "\"x%d\": {\"latency\": {\"value\": 1}},\n", end: `"": 1}`},
		CSV:     {begin: "name,ns/op\n", entry: "x%d,1\n"},
	} {
		file.n = entries
		longest, got := int64(0), 0
		_, err := Read(&file, "f", format, func(*benchfmt.Result) error {
			got++
			longest = max(longest, int64(file.given-got))
			return nil
		})
		if err != nil || got != entries {
			t.Errorf("%s: %d results, error %v", format, got, err)
		}
		if longest > entries/2 {
			t.Errorf("%s: %d entries had been read before one was handed on", format, longest)
		}
	}
}

// endless is a file of n entries that is written while it is read.
type endless struct {
	begin, entry, end string
	n, given          int
	rest              string
	ended             bool
}

func (e *endless) Read(p []byte) (int, error) {
	for e.rest == "" {
		switch {
		case e.ended:
			return 0, io.EOF
		case e.given == 0:
			e.rest = e.begin + fmt.Sprintf(e.entry, 0)
			e.given++
		case e.given < e.n:
			e.rest = fmt.Sprintf(e.entry, e.given)
			e.given++
		default:
			e.rest, e.ended = e.end, true
		}
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}
