package text

import (
	"bytes"
	"strings"
	"testing"

	"memcost/internal/report/compare"
	"memcost/internal/report/result"
	"memcost/internal/testkit"
)

func sidesReport(t testing.TB) (*result.Answer, *compare.Report) {
	t.Helper()
	a := readRun(t, "sides")
	r, err := compare.OfRun(a)
	if err != nil {
		t.Fatal(err)
	}
	return a, r
}

func sidesText(t testing.TB, r *compare.Report, s Style) string {
	t.Helper()
	var b bytes.Buffer
	if err := Sides(&b, r, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func sidesMarkdown(t testing.TB, r *compare.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := SidesMarkdown(&b, "", r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A comparison begins with its answer, and fits the terminal.
func TestSidesGolden(t *testing.T) {
	_, r := sidesReport(t)
	testkit.Golden(t, "testdata/sides.txt", sidesText(t, r, Style{}))
	testkit.Golden(t, "testdata/sides.long.txt", sidesText(t, r, Style{Long: true, Width: 100}))
	testkit.Golden(t, "testdata/sides.narrow.txt", sidesText(t, r, Style{Width: 60}))
	testkit.Golden(t, "testdata/sides.md", sidesMarkdown(t, r))
	for _, style := range []Style{{}, {Width: 300}, {Width: 60}, {Width: 24}} {
		text := sidesText(t, r, style)
		if style.Width > 100 {
			style.Width = 100
		}
		safe(t, text, style)
		if line, _, _ := strings.Cut(text, "\n"); !strings.Contains(line, "2 of 6 bench") {
			t.Errorf("at width %d it begins with %q", style.Width, line)
		}
	}
}

// memcost report shows the comparison of a run of memcost compare, and says nothing twice.
func TestReportOfComparison(t *testing.T) {
	a, r := sidesReport(t)
	if got, want := render(t, a, Style{}), sidesText(t, r, Style{}); got != want {
		t.Errorf("the report is not the comparison:\n%s", got)
	}
	if got, want := markdown(t, a), sidesMarkdown(t, r); got != want {
		t.Errorf("the report in Markdown is not the comparison:\n%s", got)
	}
	long := render(t, a, Style{Long: true})
	if !strings.HasPrefix(long, sidesText(t, r, Style{Long: true})) || !strings.Contains(long, "samples") {
		t.Errorf("with everything:\n%s", long)
	}
}

// Sides with long names, as command lines are, have letters in the heads of columns.
func TestSidesWithLongNames(t *testing.T) {
	_, r := sidesReport(t)
	long := "./old --with 'many words' --and-more=of-them < some/file"
	r.Sides[1] = compare.Side{Name: long, Kind: compare.OfCommand}
	text := sidesText(t, r, Style{Width: 80})
	for _, want := range []string{"A  main", "B  ./old --with 'many words'", "B/A  verdict"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in:\n%s", want, text)
		}
	}
}

// What others wrote is text in Markdown, and nothing else; of many benchmarks as many are
// shown as GitHub takes.
func TestSidesMarkdownIsSafe(t *testing.T) {
	_, r := sidesReport(t)
	evil := "a|b](http://x.example) @someone <script> \x1b[31m `"
	for i := range r.Sides {
		r.Sides[i].Name = evil
	}
	r.Says = []string{evil}
	b := r.Benchmarks[0]
	b.Name, b.Suite = evil, evil
	b.Failed, b.Flags = []string{evil}, []string{evil}
	for range 5000 {
		r.Benchmarks = append(r.Benchmarks, b)
	}
	md := sidesMarkdown(t, r)
	if len(md) >= maxMarkdown {
		t.Errorf("%d characters", len(md))
	}
	for _, no := range []string{"<script>", "](http", "@someone", "\x1b", "a|b"} {
		if strings.Contains(md, no) {
			t.Errorf("there is %q in it", no)
		}
	}
	if !strings.Contains(md, "left out for want of room") {
		t.Error("it does not say what is left out")
	}
}
