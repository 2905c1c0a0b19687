package alloctext

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"memcost/internal/measure/plan"
	"memcost/internal/report/compare"
	"memcost/internal/report/figures"
	"memcost/internal/show/text"
)

// report has so many allocators, with hostile names, and much to say beside them.
func report(allocators, asides int) *compare.AllocReport {
	f := figures.NoFigure()
	f.Value, f.Lo, f.Hi = 1.234, 1.111, 1.357
	x := compare.Figure{Value: f, Ratio: f, Verdict: compare.Undecided}
	r := &compare.AllocReport{Says: strings.Repeat("None is known to be faster than glibc ", 5), Own: "glibc",
		Command: "/bin/prog " + strings.Repeat("argument ", 40), Dir: "results/x", Margin: 0.03, Rounds: 30}
	for i := range allocators {
		r.Allocators = append(r.Allocators, compare.Allocator{Name: fmt.Sprintf("a%d|<b>\x1b[31m%s", i,
			strings.Repeat("long ", i)), Says: "more time and memory, undecided", CPU: x, Wall: x, Memory: x, Minor: x,
			Major: x, Own: x, Forced: x})
	}
	for i := range asides {
		r.NotMeasured = append(r.NotMeasured, plan.NotMeasured{Name: fmt.Sprint("x", i), Invalid: i%2 == 0,
			Why: fmt.Sprintf("reason %d %s", i, strings.Repeat("why ", 60))})
		r.Notes = append(r.Notes, strings.Repeat("a note ", 30))
	}
	return r
}

// An answer fits on a screen, whatever is in it.
func TestWriteFits(t *testing.T) {
	for _, r := range []*compare.AllocReport{report(2, 0), report(7, 3), report(30, 30)} {
		var b bytes.Buffer
		if err := Write(&b, r, text.Style{}); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
		if len(lines) > mostLines {
			t.Errorf("%d allocators take %d lines", len(r.Allocators), len(lines))
		}
		for _, l := range lines {
			if n := utf8.RuneCountInString(l); n > widest {
				t.Errorf("%d columns: %s", n, l)
			}
		}
		if strings.ContainsRune(b.String(), '\x1b') {
			t.Error("an escape sequence of a name came through")
		}
		if !strings.Contains(b.String(), "run folder: results/x") {
			t.Error("the run folder is not named")
		}
	}
}

// With --long nothing is left out.
func TestWriteLong(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, report(30, 30), text.Style{Long: true}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a29|", "x29 takes no effect: reason 29", "x28 is INVALID: reason 28"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s is missing", want)
		}
	}
	if strings.Contains(b.String(), "--long shows them") {
		t.Error("something is left out")
	}
}

// Nothing in Markdown is more than text.
func TestMarkdown(t *testing.T) {
	var b bytes.Buffer
	if err := Markdown(&b, report(3, 2)); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if strings.HasPrefix(line, "| a") && strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") < 5 {
			t.Errorf("a row is broken: %s", line)
		}
		if strings.Contains(strings.ReplaceAll(line, `\<`, ""), "<b>") || strings.ContainsRune(line, '\x1b') {
			t.Errorf("a name is markup: %s", line)
		}
	}
	if !strings.Contains(b.String(), "- not measured: x0 is INVALID: reason 0") {
		t.Error("what was not measured is not named")
	}
}
