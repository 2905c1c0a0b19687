package blocks

import (
	"slices"
	"strings"
	"testing"

	"memcost/internal/report/compare"
	"memcost/internal/show/pagetest"
)

// The page of a comparison begins with its answer. Its tables need no script.
func TestSides(t *testing.T) {
	a := fixture(t, "sides")
	r, err := compare.OfRun(a)
	if err != nil {
		t.Fatal(err)
	}
	html := render(t, a)
	_, shown := pagetest.Structure(t, html)
	at := 0
	for _, want := range slices.Concat([]string{"Did this change matter?", "main → feature"}, r.Says,
		[]string{"3f2c1d0 2026-11-20: Keep the table of symbols", "Decode/size=4096-2", "1.06× [1.04, 1.08]",
			"changed, +6.0%", "Encode-2", "equivalent", "Scan-2", "undecided", "geomean",
			"time/op: 2 of 6 benchmarks changed", "Join stands in feature alone"}) {
		next := strings.Index(shown[at:], want)
		if next < 0 {
			t.Fatalf("behind byte %d the page has no %q", at, want)
		}
		at += next
	}
	for _, class := range []string{"worse", "equivalent", "undecided"} {
		if !strings.Contains(html, `<span class="status `+class+`">`) {
			t.Errorf("no verdict has the class %s", class)
		}
	}
	if other := render(t, fixture(t, "arms")); strings.Contains(other, "Did this change matter") {
		t.Error("a run of several configurations is a comparison")
	}
}

// The forest has the margin as a band, and stands in the order that the reader wants.
func TestForestIsSorted(t *testing.T) {
	p := open(t, "", fixture(t, "sides"))
	p.draw()
	labels := func() []string {
		return eval[[]string](p, `[...document.querySelector("figure.forest .drawing svg").querySelectorAll(
			'[aria-label="y-axis tick label"] text')].map(t => t.textContent)`)
	}
	byRatio := []string{"Scan-2", "Decode/size=4096-2", "Trim-2", "Encode-2", "Parse-2", "Pool/hit=9-2"}
	if got := labels(); !slices.Equal(got, byRatio) {
		t.Errorf("by ratio: %q", got)
	}
	p.choose("sort", "name")
	if got := labels(); !slices.IsSorted(got) || len(got) != len(byRatio) {
		t.Errorf("by name: %q", got)
	}
	p.Check("the margin is a band", `document.querySelectorAll("figure.forest .allowed rect").length > 0`)
	p.Check("each comparison has its rounds", `document.querySelectorAll("figure.rounds .drawing svg svg").length === 6`)
}
