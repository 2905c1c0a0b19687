package diff

import (
	"os"
	"strings"
	"testing"

	"memcost/internal/show/html"
	"memcost/internal/show/pagetest"
	"memcost/internal/sites"
)

func TestMain(m *testing.M) { os.Exit(pagetest.Main(m)) }

func page(t testing.TB, diffs []Diff) string {
	t.Helper()
	var b strings.Builder
	if err := html.Write(&b, Document(diffs, "memcost why ./codec --since v1.2.0", "sites.html")); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What stands on a page that has something missing.
func TestWhatIsMissing(t *testing.T) {
	reports := threeReports()
	static := func(r *sites.Report) *sites.Report {
		out := *r
		out.Mode, out.Benchmarks, out.Sites = "static", nil, nil
		for _, s := range r.Sites {
			s.Costs = nil
			out.Sites = append(out.Sites, s)
		}
		return &out
	}
	for name, x := range map[string]struct {
		diffs    []Diff
		has, not []string
	}{
		"nothing": {nil, []string{"There are no two reports to compare."}, []string{"<table", "<figure", "sites.html"}},
		"empty reports": {CompareAll(&sites.Report{}, &sites.Report{}), []string{"There is no site that both sides have"},
			[]string{"<table", "<figure"}},
		"nothing changed": {CompareAll(reports[0], reports[2]), []string{"No site is gone, new or changed: 5 sites cost what they did",
			"sites that are the same: 5", "benchmarks"}, []string{"<figure"}},
		"static": {CompareAll(static(reports[0]), static(reports[1])),
			[]string{"the compiler and the binary; nothing was run"}, []string{"<figure", "allocs/op"}},
		"several": {CompareAll(reports...), []string{"Which allocations changed?", `href="#c1"`, `href="sites.html"`,
			"All sites of go1.27.4"}, nil},
	} {
		got := page(t, x.diffs)
		for _, s := range x.has {
			if !strings.Contains(got, s) {
				t.Errorf("%s: the page lacks %q", name, s)
			}
		}
		for _, s := range x.not {
			if strings.Contains(got, s) {
				t.Errorf("%s: the page has %q", name, s)
			}
		}
	}
}

// A picture adds up: its bars are the sites, what they do not explain, and the whole.
func TestPictureAddsUp(t *testing.T) {
	d := CompareAll(threeReports()[:2]...)
	b := &builder{Diff: &d[0], prefix: "c0"}
	for _, m := range b.measures(0) {
		sum := 0.0
		for _, x := range m.Bars[:len(m.Bars)-1] {
			sum += x.Value
		}
		if whole := m.Bars[len(m.Bars)-1]; whole.Kind != "sum" || whole.Value != sum {
			t.Errorf("%s: the bars are %g, the whole is %+v", m.Name, sum, whole)
		}
	}
}

// In a browser a bar leads to its site, whose both sides unfold.
func TestPage(t *testing.T) {
	p := pagetest.Open(t, pagetest.Page{HTML: page(t, CompareAll(threeReports()...)), Focus: true, OwnData: true})
	p.Check("the scripts run", `document.documentElement.dataset.ready === "true"`)
	p.Check("the bars are drawn", `new Promise(drawn => {
		document.querySelector("figure").scrollIntoView();
		const look = () => document.querySelector("table.bars a") ? drawn(true) : setTimeout(look, 20);
		look();
	})`)
	p.Run(`document.querySelector("table.bars a").click()`)
	p.Check("the site opens", `new Promise(r => setTimeout(r, 50)).then(() =>
		document.querySelector("#c0-sites details[open]").textContent.includes("go1.24.13"))`)
	const order = `[...document.querySelectorAll("#c0-sites > tbody:not([hidden]) > tr:first-child > :first-child")].map(e => e.textContent).join(", ")`
	if got := pagetest.Eval[string](p, order); got != "gone, new, costs less, moved, moved" {
		t.Errorf("at first: %s", got)
	}
	p.Run(`[...document.querySelectorAll("#c0-sites thead button")].find(b => b.textContent === "B/op").click()`)
	if got := pagetest.Eval[string](p, order); !strings.HasPrefix(got, "new, ") {
		t.Errorf("by bytes, the largest growth first: %s", got)
	}
	pagetest.Fits(t, p, "comparison", "../../show/html/testdata/axe-4.14.1.min.js", 12)
}
