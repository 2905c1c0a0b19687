package exchange

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/perf/benchfmt"
)

// Whatever a file holds, nothing panics, and what is read can be written in the
// Go format and means the same when it is read from there.
func fuzzRead(f *testing.F, format Format, seeds string) {
	files, err := filepath.Glob(seeds)
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds %s: %v", seeds, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[:min(len(data), 6000)])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		Sniff(data)
		results, warnings, err := readAll(bytes.NewReader(data), "f", format)
		if len(warnings) > maxWarnings+2 {
			t.Errorf("%d warnings", len(warnings))
		}
		if err == nil && len(results) == 0 {
			t.Error("neither results nor an error")
		}
		checkResults(t, results)
	})
}

func checkResults(t *testing.T, results []*benchfmt.Result) {
	for _, r := range results {
		if len(r.Name) == 0 || strings.ContainsFunc(r.Name.String(), unicode.IsSpace) {
			t.Errorf("name %q", r.Name)
		}
		if len(r.Values) == 0 {
			t.Errorf("%s has no value", r.Name)
		}
		for _, v := range r.Values {
			if !finite(v.Value) || !finite(v.OrigValue) {
				t.Errorf("%s: %+v", r.Name, v)
			}
		}
	}
	var text bytes.Buffer
	if err := WriteSamples(&text, Go, each(results)); err != nil {
		t.Fatal(err)
	}
	second := benchfmt.NewReader(bytes.NewReader(text.Bytes()), "again")
	for _, r := range results {
		if !second.Scan() {
			t.Fatalf("%s is lost in\n%s", r.Name, &text)
		}
		got, ok := second.Result().(*benchfmt.Result)
		if !ok || got.Name.String() != r.Name.String() || len(got.Values) != len(r.Values) {
			t.Fatalf("%s: got %v in\n%s", r.Name, second.Result(), &text)
		}
		for _, c := range r.Config {
			if got.GetConfig(c.Key) != string(c.Value) {
				t.Errorf("%s: %s is %q, want %q", r.Name, c.Key, got.GetConfig(c.Key), c.Value)
			}
		}
	}
	var google bytes.Buffer
	if err := WriteSamples(&google, Google, each(results)); err != nil {
		t.Fatal(err)
	}
	if len(results) > 0 && Sniff(google.Bytes()) != Google {
		t.Errorf("not Google Benchmark's:\n%s", &google)
	}
}

func FuzzReadGoogle(f *testing.F)  { fuzzRead(f, Google, "testdata/gbench*.json") }
func FuzzReadAction(f *testing.F)  { fuzzRead(f, Action, "testdata/[ad]*.js*") }
func FuzzReadBencher(f *testing.F) { fuzzRead(f, Bencher, "testdata/bencher.json") }
func FuzzReadCSV(f *testing.F)     { fuzzRead(f, CSV, "testdata/*.csv") }
