package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What memcost compare writes in each format is about the same comparison.
func TestComparisonFormats(t *testing.T) {
	dir := compared(t)
	answer := "Of 6 benchmarks 1 takes longer at feature than at main, and 1 takes less time"
	for format, want := range map[string][]string{
		"text": {answer, "\nexample.com/codec: time/op\n"},
		"md":   {"### `main` → `feature`", "**" + answer, "<details><summary>All 6 benchmarks"},
		"html": {"<!doctype html>", answer},
		"json": {`"says": [`, answer},
		"github": {"::notice title=memcost compare::" + answer,
			"\n::error title=BenchmarkDecode::Decode/size=4096-2 takes"},
	} {
		var out, errs bytes.Buffer
		a := &App{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}
		f := &commonFlags{}
		f.format, f.gate = format, true
		err := showComparison(a, dir, f)
		if !errors.Is(err, errClosed) {
			t.Errorf("%s: the gate is open: %v", format, err)
		}
		for _, w := range want {
			if !strings.Contains(out.String(), w) {
				t.Errorf("%s has no %q:\n%.2000s", format, w, out.String())
			}
		}
		if _, err := os.Stat(filepath.Join(dir, pageName)); err != nil {
			t.Errorf("%s: there is no page: %v", format, err)
		}
	}
	if status, _, says := memcost("compare", "--format", "pdf", "a", "b"); status != statusUsage ||
		!strings.Contains(says, "the formats are text, html, md, json, github") {
		t.Errorf("there is a format pdf: %d, %s", status, says)
	}
}
