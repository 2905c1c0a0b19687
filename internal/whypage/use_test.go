package whypage

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"memcost/internal/why"
)

// order returns the ranks of the sites that are shown, from above.
const order = `[...document.querySelectorAll("table.sites > tbody:not([hidden]) .figures td:first-child")].map(e => e.textContent).join(" ")`

func TestSortAndFilter(t *testing.T) {
	r, o := fixture(t)
	p := open(t, render(t, r, o))
	same := func(what, want string) {
		t.Helper()
		if got := eval[string](p, order); got != want {
			t.Errorf("%s: the sites are %s, not %s", what, got, want)
		}
	}
	same("at first", "1 2 3 4 5 6 7 8 9 10")
	p.run(`document.querySelector("[data-sort=objects] button").click()`)
	same("by objects", "2 1 3 7 8 4 5 6 9 10")
	p.check("the heading says so", `document.querySelector("[data-sort=objects]").ariaSort === "descending"`)
	p.run(`document.querySelector("[data-sort=rank] button").click()`)
	p.run(`document.querySelector("[data-sort=rank] button").click()`)
	same("from the last", "10 9 8 7 6 5 4 3 2 1")
	p.run(`document.querySelector("[data-sort=rank] button").click()`)
	choose := func(name, value string) {
		t.Helper()
		p.run(fmt.Sprintf(`(f => {f.elements[%q].value = %q; f.dispatchEvent(new Event("input", {bubbles: true}))})`+
			`(document.querySelector("form.controls"))`, name, value))
	}
	choose("text", "ENCODE")
	same("of Encode", "4 5 6")
	choose("cause", "concat")
	same("of Encode, concatenation", "4 6")
	p.check("and how many is said", `document.querySelector("output").textContent === "2 of 10 sites"`)
	p.run(`document.querySelector("form.controls button").click()`)
	p.run(`new Promise(r => setTimeout(r, 20))`)
	same("after Reset", "1 2 3 4 5 6 7 8 9 10")
	choose("class", "conditional")
	same("conditional ones", "2 8")
	choose("class", "*")
	choose("bench", "1")
	same("of Encode's benchmark", "4 5 6")
	p.check("the figures are of it",
		`document.querySelector("#site-3 td[data-label='B/op']").textContent === "208 B"`)
	p.check("the picture, too", `document.querySelectorAll(".tiles a").length === 3 &&
		document.querySelector(".treemap .caption").textContent.includes("Encode")`)
	p.run(`document.querySelector("input[value=cpu]").click()`)
	p.check("by CPU time it has those that were measured", `document.querySelectorAll(".tiles a").length === 2`)
}

// Everything works by keyboard: an area of the picture, the rows, the headings.
func TestKeyboard(t *testing.T) {
	r, o := fixture(t)
	p := open(t, render(t, r, o))
	p.run(`document.querySelector(".tiles a[tabindex='0']").focus()`)
	p.check("what has the focus is said", `document.querySelector(".told").textContent.includes("of the bytes")`)
	p.do(chromedp.KeyEvent(kb.ArrowRight))
	p.check("the arrow goes on", `document.activeElement === document.querySelectorAll(".tiles a")[1]`)
	p.do(chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.Enter))
	p.check("Enter opens the site", `document.activeElement.matches("#site-3") &&
		document.querySelector("#site-3 details").open && location.hash === "#site-3"`)
	p.do(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
	p.check("Tab goes to it, Enter closes it", `!document.querySelector("#site-3 details").open`)
	p.run(`document.querySelector("[data-sort=cpu] button").focus()`)
	p.do(chromedp.KeyEvent(kb.Enter))
	if got := eval[string](p, order); !strings.HasPrefix(got, "4 1 2") {
		t.Errorf("Enter on a heading sorts: %s", got)
	}
	const visible = `[...document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")]` +
		`.filter(e => e.checkVisibility() && e.tabIndex >= 0 && (e.type !== "radio" || e.checked))`
	want := eval[int](p, visible+`.length`)
	p.run(`window.reached = [], addEventListener("focusin", e => reached.push(e.target)), document.activeElement.blur()`)
	p.do(chromedp.KeyEvent(strings.Repeat(kb.Tab, want+5)))
	if missed := eval[[]string](p, visible+`.filter(e => !reached.includes(e)).map(e => e.outerHTML.slice(0, 90))`); len(missed) > 0 {
		t.Errorf("Tab does not reach %s", strings.Join(missed, "\n"))
	}
}

// A link to a site opens it, also one that a filter hides; an edit can be copied whole.
func TestSiteOpens(t *testing.T) {
	r, o := fixture(t)
	p := open(t, render(t, r, o))
	p.run(`(f => {f.elements.text.value = "nothing has this"; f.dispatchEvent(new Event("input", {bubbles: true}))})` +
		`(document.querySelector("form.controls"))`)
	p.check("the filter hides all", `!document.querySelector("table.sites > tbody:not([hidden])")`)
	p.run(`location.hash = "#site-1"`)
	p.check("the site opens", `new Promise(r => setTimeout(r, 50)).then(() => document.querySelector("#site-1 details").open &&
		!document.querySelector("#site-1").hidden)`)
	if got := eval[string](p, `document.querySelector("#site-1 .edit pre").textContent`); got != r.Sites[1].Edit.Diff {
		t.Errorf("the edit is not the diff:\n%q\n%q", got, r.Sites[1].Edit.Diff)
	}
	p.run(`document.querySelector(".edit button").click()`)
	p.check("copied or selected", `new Promise(r => setTimeout(r, 50)).then(() =>
		/^(Copied|Selected)/.test(document.querySelector(".edit button").textContent))`)
}

// At no width does anything stick out of the page, and axe finds nothing serious.
func TestNothingOverflows(t *testing.T) {
	axe, err := os.ReadFile("../page/testdata/axe-4.14.1.min.js")
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*why.Report, *Options){
		"usual": func(*why.Report, *Options) {}, "static": static,
		"many":  func(r *why.Report, _ *Options) { many(r, 60) },
		"empty": func(r *why.Report, _ *Options) { *r = why.Report{Mode: "tests"} },
	} {
		r, o := fixture(t)
		change(r, &o)
		p := open(t, render(t, r, o))
		p.do(chromedp.Evaluate[chromedp.Void](string(axe)))
		for _, width := range []int64{400, 700, 1280, 3840} {
			theme := map[bool]string{true: "dark", false: "light"}[width == 400 || width == 3840]
			p.look(width, 900, theme)
			for _, opened := range []bool{false, true} {
				p.run(fmt.Sprintf(`document.querySelectorAll("details").forEach((d, i) => d.open = %t && i < 20)`, opened))
				p.run(`new Promise(r => setTimeout(r, 60))`)
				if s := eval[string](p, misfits); s != "" {
					t.Errorf("%s, %d px, open: %t: %s", name, width, opened, s)
				}
				p.picture(fmt.Sprintf("%s %d %s %t", name, width, theme, opened))
			}
			for _, v := range eval[[]string](p, violations) {
				t.Errorf("%s, %d px, %s: %s", name, width, theme, v)
			}
		}
	}
}

const misfits = `document.documentElement.scrollWidth <= innerWidth ? "" : "the page is " + document.documentElement.scrollWidth + " wide: " +
	[...document.body.querySelectorAll("*")].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, pre, svg"))
	.slice(0, 5).map(e => e.tagName + "." + e.className).join(", ")`

const violations = `axe.run(document, {resultTypes: ["violations"]}).then(r => {
	if (r.passes.length < 15) throw "axe did not look";
	return r.violations.filter(v => ["serious", "critical"].includes(v.impact)).map(v =>
		v.impact + " " + v.id + ": " + v.nodes.length + " times, such as " + v.nodes[0].target + ": " + v.nodes[0].failureSummary.replace(/\s+/g, " "));
})`

// Hostile words do nothing in a browser either.
func TestHostileWordsInTheBrowser(t *testing.T) {
	for _, a := range []string{attacks[1], attacks[2], attacks[9]} {
		p := open(t, spoiled(t, a))
		p.check("no element came from a text", `document.querySelectorAll("script").length === 5 &&
			!document.querySelector("img, [onerror], [onload], [onmouseover]")`)
		p.check("the picture is drawn", `document.querySelectorAll(".tiles a").length >= 8`)
	}
}

// A page of 500 sites is filtered and sorted while one types.
func TestManySitesAreQuick(t *testing.T) {
	r, o := fixture(t)
	many(r, 500)
	p := open(t, render(t, r, o))
	ms := eval[float64](p, `(() => {const t = performance.now(); for (const b of document.querySelectorAll("[data-sort] button")) b.click();
		document.body.offsetHeight; return (performance.now() - t) / 7})()`)
	t.Logf("sorting and laying out 500 sites: %.0f ms", ms)
	p.check("all are there", `document.querySelectorAll("table.sites > tbody:not([hidden])").length === 500`)
	p.check("areas are few enough to draw", `document.querySelectorAll(".tiles a").length < tilesMost + 30`)
	p.check("the small ones are one for each cause and package",
		`document.querySelector(".tiles [data-cause='concat']").ariaLabel.includes("smaller sites: a new string")`)
	p.run(`document.querySelector(".tiles [data-cause='concat']").dispatchEvent(new MouseEvent("click", {bubbles: true,
		cancelable: true}))`)
	p.check("and choose their cause", `document.querySelector("output").textContent === "100 of 500 sites"`)
}
