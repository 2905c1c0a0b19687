package blocks

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memcost/internal/document"
	"memcost/internal/measure/plan"
	"memcost/internal/report/compare"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
	"memcost/internal/show/markdown"
	"memcost/internal/show/terminal"
	"memcost/internal/testkit"
)

// The answers of these tests are read from the run folders and files of package result's testdata.
const answersDir = "../result/testdata/"

func readRun(t *testing.T, name string) *result.Answer {
	t.Helper()
	a, err := result.Read(filepath.Join(answersDir, name), result.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func readFile(t *testing.T, name string) *result.Answer {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(answersDir, name))
	if err != nil {
		t.Fatal(err)
	}
	a, err := result.ReadFile(filepath.Join(answersDir, name), bytes.NewReader(data), result.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func onTerminal(t *testing.T, blocks []document.Block, s terminal.Style) string {
	t.Helper()
	var b strings.Builder
	if err := terminal.Write(&b, &document.Document{Blocks: blocks}, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func inMarkdown(t *testing.T, blocks []document.Block) string {
	t.Helper()
	var b strings.Builder
	if err := markdown.Write(&b, &document.Document{Blocks: blocks}, markdown.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What answers say in full is what it was before; a healthy run, one with several configurations and
// one with all that can go wrong; of a file, of several, and of two sides.
func TestDetails(t *testing.T) {
	for name, answers := range map[string][]*result.Answer{
		"arms": {readRun(t, "arms")}, "troubled": {readRun(t, "troubled")}, "damaged": {readFile(t, "files/damaged.txt")},
		"files": {readFile(t, "files/old.txt"), readFile(t, "files/new.txt")}, "sides": {readRun(t, "sides")},
	} {
		testkit.Golden(t, "testdata/"+name+".txt", onTerminal(t, Details(answers), terminal.Style{Width: 120}))
		testkit.Golden(t, "testdata/"+name+".long.txt", onTerminal(t, Details(answers), terminal.Style{Long: true}))
		testkit.Golden(t, "testdata/"+name+".md", inMarkdown(t, Details(answers)))
	}
}

// What a busy machine gave is said to be that first, on the terminal and in Markdown, and a ratio of
// different code says "holds" or "fails" nowhere; comparisons of configurations and counts do.
func TestBusyStandsFirstInDetails(t *testing.T) {
	a := readRun(t, "busy")
	for what, got := range map[string]string{"terminal": onTerminal(t, Details([]*result.Answer{a}), terminal.Style{}),
		"narrow":   onTerminal(t, Details([]*result.Answer{a}), terminal.Style{Width: 80}),
		"markdown": strings.NewReplacer("⚠️ ", "", "**", "", "❓ ", "", "✅ ", "", "<br>", " ").Replace(inMarkdown(t, Details([]*result.Answer{a})))} {
		flat := strings.Join(strings.Fields(got), " ")
		if !strings.HasPrefix(flat, a.Busy) {
			t.Errorf("%s begins with %.80s", what, flat)
		}
		for _, want := range []string{"undecided: the machine was busy", "beside other programs", "holds 1 allocs/op",
			"1 of 7 comparisons changed"} {
			if !strings.Contains(flat, want) {
				t.Errorf("%s has no %q:\n%s", what, want, got)
			}
		}
	}
	for _, c := range a.Studies[0].Claims {
		for _, v := range c.Verdicts {
			if counts := c.ID == "S4"; counts != (v.Status == "holds") || v.Busy != (v.Status == "undecided") {
				t.Errorf("%s on %s: %s, busy %v", c.ID, v.Data, v.Status, v.Busy)
			}
		}
	}
	if quiet := onTerminal(t, Details([]*result.Answer{readRun(t, "healthy")}), terminal.Style{}); strings.Contains(quiet, "busy") {
		t.Error("a quiet machine is called busy")
	}
}

// Wherever a verdict stands, what it does not cover stands with it.
func TestScopeStandsWithTheVerdict(t *testing.T) {
	a := readRun(t, "partial")
	const scope = "holds at 2 of 5 sizes (2: --full, 1: failed)"
	for what, got := range map[string]string{"terminal": onTerminal(t, Details([]*result.Answer{a}), terminal.Style{}),
		"markdown": inMarkdown(t, Details([]*result.Answer{a}))} {
		flat := strings.ReplaceAll(strings.Join(strings.Fields(got), " "), "‡", "")
		if n, full := strings.Count(flat, "holds"), strings.Count(flat, scope); full == 0 || n != full {
			t.Errorf("%s says holds %d times, and %d times at which sizes:\n%s", what, n, full, got)
		}
	}
}

// A comparison begins with its answer, and is no wider than the terminal. Sides with long names, as
// command lines are, have letters in the heads of columns.
func TestSidesOnTerminal(t *testing.T) {
	r, err := compare.OfRun(readRun(t, "sides"))
	if err != nil {
		t.Fatal(err)
	}
	if line, _, _ := strings.Cut(onTerminal(t, r.Blocks(), terminal.Style{Width: 60}), "\n"); !strings.Contains(line,
		"Of 6 benchmarks 1 takes longer") {
		t.Errorf("it begins with %q", line)
	}
	r.Sides[1] = compare.Side{Name: "./old --with 'many words' --and-more=of-them < some/file", Kind: compare.OfCommand}
	text := onTerminal(t, r.Blocks(), terminal.Style{Width: 80})
	for _, want := range []string{"A  main", "B  ./old --with 'many words'", "B/A  verdict"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in:\n%s", want, text)
		}
	}
}

// allocReport has so many allocators, with hostile names, and much to say beside them.
func allocReport(allocators, asides int) *compare.AllocReport {
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

// The answer about allocators fits on a screen, whatever is in it; with --long nothing is left out.
func TestAllocDocument(t *testing.T) {
	for _, r := range []*compare.AllocReport{allocReport(2, 0), allocReport(7, 3), allocReport(30, 30)} {
		got := onTerminal(t, r.Document().Blocks, terminal.Style{}.Screen())
		if n := strings.Count(got, "\n"); n > 45 || !strings.Contains(got, "run folder: results/x") ||
			strings.ContainsRune(got, '\x1b') {
			t.Errorf("%d allocators take %d lines:\n%s", len(r.Allocators), n, got)
		}
	}
	long := onTerminal(t, allocReport(30, 30).Document().Blocks, terminal.Style{Long: true}.Screen())
	for _, want := range []string{"a29|", "x29 takes no effect: reason 29", "x28 is INVALID: reason 28"} {
		if !strings.Contains(long, want) {
			t.Errorf("%s is missing", want)
		}
	}
	md := inMarkdown(t, allocReport(3, 2).Document().Blocks)
	for _, want := range []string{"x0 is INVALID: reason 0", "| a0&#124;&#60;b&#62;", "Page faults and context switches"} {
		if !strings.Contains(md, want) {
			t.Errorf("%s is missing in\n%s", want, md)
		}
	}
}
