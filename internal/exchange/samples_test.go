package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/testkit"
)

const samples = `goos: linux
machine: vm
num_cpus: 2
toolchain: go1.26

BenchmarkSmaug/place=heap/size=64-2 1000 82.3499 ns/op 64 B/op 1 allocs/op 7 gc-cycles
BenchmarkSmaug/place=stack/size=64-2 2000 0 ns/op 0 B/op 0 allocs/op 12.5 MB/s
BenchmarkSmaug/place=heap/size=64-2 1000 83 ns/op 82.5 cpu-ns/op 64 B/op
BenchmarkFailed 1 3 round

toolchain: go1.18
machine:

BenchmarkSmaug/place=heap/size=64-2 900 99 ns/op
`

// parsed streams text in the Go format.
func parsed(text string) iter.Seq2[*benchfmt.Result, error] {
	return func(yield func(*benchfmt.Result, error) bool) {
		r := benchfmt.NewReader(strings.NewReader(text), "samples")
		for r.Scan() {
			if res, ok := r.Result().(*benchfmt.Result); ok && !yield(res, nil) {
				return
			}
		}
	}
}

// Written as Google Benchmark would but for the order of the keys, as the golden file, of which
// its tools/compare.py has read one with the same values.
func TestWriteGoogle(t *testing.T) {
	var got bytes.Buffer
	if err := WriteSamples(&got, Google, parsed(samples)); err != nil {
		t.Fatal(err)
	}
	testkit.Golden(t, "testdata/written.json", got.String())
	// compare.py needs these of every entry.
	var file struct{ Benchmarks []map[string]any }
	if err := json.Unmarshal(got.Bytes(), &file); err != nil {
		t.Fatal(err)
	}
	for _, b := range file.Benchmarks {
		for _, key := range []string{"name", "run_name", "run_type", "repetition_index", "iterations", "real_time",
			"cpu_time", "time_unit"} {
			if _, ok := b[key]; !ok {
				t.Errorf("%v has no %s", b["name"], key)
			}
		}
	}
}

func TestGoogleComesBack(t *testing.T) {
	var file bytes.Buffer
	if err := WriteSamples(&file, Google, parsed(samples)); err != nil {
		t.Fatal(err)
	}
	results, warnings, err := readAll(&file, "f", Google)
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) != 1 ||
		!strings.Contains(warnings[0].Error(), "BM_Failed was not measured: no time was measured") {
		t.Errorf("warnings %v", warnings)
	}
	var got bytes.Buffer
	if err := WriteSamples(&got, Go, each(results)); err != nil {
		t.Fatal(err)
	}
	want := `goos: linux
machine: vm
num_cpus: 2
toolchain: go1.26

BenchmarkSmaug/place=heap/size=64-2 1000 82.3499 ns/op 64 B/op 1 allocs/op 7 gc-cycles
BenchmarkSmaug/place=stack/size=64-2 2000 0 ns/op 0 B/op 0 allocs/op 1.25e+07 B/sec
BenchmarkSmaug/place=heap/size=64-2 1000 83 ns/op 82.5 cpu-ns/op 64 B/op
BenchmarkSmaug/place=heap/size=64-2/machine=none/toolchain=go1.18 900 99 ns/op
`
	if got.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", &got, want)
	}
}

// In the Go format samples come back byte for byte.
func TestGoComesBack(t *testing.T) {
	var got bytes.Buffer
	if err := WriteSamples(&got, Go, parsed(samples)); err != nil {
		t.Fatal(err)
	}
	var second bytes.Buffer
	if err := WriteSamples(&second, Go, parsed(got.String())); err != nil {
		t.Fatal(err)
	}
	if got.String() != second.String() || !strings.Contains(got.String(), "82.3499 ns/op 64 B/op") {
		t.Errorf("first:\n%s\nagain:\n%s", &got, &second)
	}
}

func TestWriteSamplesFails(t *testing.T) {
	broken := errors.New("samples.txt: input/output error")
	failing := func(yield func(*benchfmt.Result, error) bool) { yield(nil, broken) }
	full := errors.New("no space left on device")
	for _, format := range []Format{Go, Google} {
		if err := WriteSamples(new(bytes.Buffer), format, failing); err != broken {
			t.Errorf("%s: error %v", format, err)
		}
		if err := WriteSamples(refusing{full}, format, parsed(samples)); !errors.Is(err, full) {
			t.Errorf("%s: error %v", format, err)
		}
	}
	if err := WriteSamples(new(bytes.Buffer), CSV, parsed(samples)); err == nil ||
		!strings.Contains(err.Error(), "a format for answers") {
		t.Errorf("csv: error %v", err)
	}
}

// No samples are still a file that Google Benchmark's tools can read.
func TestWriteNothing(t *testing.T) {
	var got bytes.Buffer
	if err := WriteSamples(&got, Google, parsed("")); err != nil {
		t.Fatal(err)
	}
	if !json.Valid(got.Bytes()) || Sniff(got.Bytes()) != Google {
		t.Errorf("got %s", &got)
	}
}

// Samples are written as they come: a million need no more memory than one.
func TestWriteStreams(t *testing.T) {
	const n = 5000
	for _, format := range []Format{Go, Google} {
		var out counter
		first := int64(-1)
		given := 0
		err := WriteSamples(&out, format, func(yield func(*benchfmt.Result, error) bool) {
			for res := range parsed(strings.Repeat("BenchmarkX/size=64 1 2 ns/op\n", n)) {
				if given++; first < 0 && out > 0 {
					first = int64(given)
				}
				if !yield(res, nil) {
					return
				}
			}
		})
		if err != nil || given != n || first < 0 || first > n-100 {
			t.Errorf("%s: %d samples, the first bytes after %d; error %v", format, given, first, err)
		}
	}
}

type counter int64

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }
