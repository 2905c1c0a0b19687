package sites

import (
	"errors"
	"os"
	"strings"
	"testing"

	"memcost/internal/show/html"
	"memcost/internal/show/pagetest"
)

func TestMain(m *testing.M) { os.Exit(pagetest.Main(m)) }

func page(t testing.TB, r *Report, v View) string {
	t.Helper()
	var b strings.Builder
	if err := html.Write(&b, documentOf(t, r, v)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What stands on a page that has something missing.
func TestWhatIsMissing(t *testing.T) {
	warned := fixture()
	warned.Warnings, warned.Packages[0].Partial = []string{"the runtime could not be built anew"}, []string{"cgo files are left out"}
	for name, x := range map[string]struct {
		r        *Report
		v        View
		has, not []string
	}{
		"nothing": {&Report{Mode: "benchmarks"}, View{}, []string{"No site of these packages allocated", "Nothing was joined"},
			[]string{`id="sites"`, "<figure"}},
		"static": {static(), View{}, []string{"Nothing was run. The compiler reports certain heap allocations at 7 sites",
			"The sites that may allocate", "Allocation sites by cause", "7 certain heap, 3 conditional, 2 runtime only"},
			[]string{"objects/op", "could go", "not measured"}},
		"no source": {fixture(), View{Read: func(string) ([]byte, error) { return nil, errors.New("gone") }},
			[]string{"r.Values = append(r.Values, n)"}, []string{"   42  "}},
		"a warning": {warned, View{}, []string{"the runtime could not be built anew", "example.com/codec: cgo files are left out"},
			nil},
	} {
		got := page(t, x.r, x.v)
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

func TestManySitesStaySmall(t *testing.T) {
	for _, n := range []int{500, 5000} {
		got := page(t, many(n), View{Command: "memcost why ./codec"})
		if t.Logf("%d sites: %d bytes", n, len(got)); len(got) > 4_000_000 {
			t.Errorf("the page of %d sites has %d bytes", n, len(got))
		}
		if shown := strings.Count(got, `<tbody id="site-`); shown != min(n, rowsMost) {
			t.Errorf("the page of %d sites shows %d", n, shown)
		}
		if n > rowsMost && !strings.Contains(got, "4000 more") {
			t.Error("the page does not say that sites are left out")
		}
	}
}

// The picture and the table of the report's own page: both show the figures of a chosen benchmark,
// and an area opens its site.
func TestPage(t *testing.T) {
	p := pagetest.Open(t, pagetest.Page{HTML: page(t, fixture(), View{Command: "memcost why ./codec"}), Focus: true,
		OwnData: true})
	p.Check("the scripts run", `document.documentElement.dataset.ready === "true"`)
	const order = `[...document.querySelectorAll("#sites > tbody:not([hidden]) > tr:first-child > :first-child")].map(e => e.textContent).join(" ")`
	p.Check("every site is an area", `document.querySelectorAll(".drawing a").length === 10`)
	p.Run(`[...document.querySelectorAll("#sites thead button")].find(b => b.textContent === "objects/op").click()`)
	if got := pagetest.Eval[string](p, order); got != "2 1 3 7 8 4 5 6 9 10" {
		t.Errorf("by objects: %s", got)
	}
	p.Run(`(f => {f.elements.benchmark.value = "1"; f.dispatchEvent(new Event("input", {bubbles: true}))})` +
		`(document.querySelector("form.controls"))`)
	if got := pagetest.Eval[string](p, order); got != "4 5 6" {
		t.Errorf("of Encode: %s", got)
	}
	p.Check("its areas are drawn", `document.querySelectorAll(".drawing a").length === 3 &&
		document.querySelector(".caption").textContent.includes("Encode")`)
	p.Run(`document.querySelector(".drawing a").dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true}))`)
	p.Check("an area opens its site", `document.querySelector("#sites > tbody:target details, #sites > tbody details[open]") !== null`)
	pagetest.Fits(t, p, "why", "../show/html/testdata/axe-4.14.1.min.js", 15)
}
