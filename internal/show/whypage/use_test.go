package whypage

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"memcost/internal/show/pagetest"
	"memcost/internal/sites"
)

// order returns the ranks of the sites that are shown, from above.
const order = `[...document.querySelectorAll("table.sites > tbody:not([hidden]) .figures td:first-child")].map(e => e.textContent).join(" ")`

func TestSortAndFilter(t *testing.T) {
	r, o := fixture(t)
	p := open(t, render(t, r, o))
	same := func(what, want string) {
		t.Helper()
		if got := pagetest.Eval[string](p, order); got != want {
			t.Errorf("%s: the sites are %s, not %s", what, got, want)
		}
	}
	same("at first", "1 2 3 4 5 6 7 8 9 10")
	p.Run(`document.querySelector("[data-sort=objects] button").click()`)
	same("by objects", "2 1 3 7 8 4 5 6 9 10")
	p.Check("the heading says so", `document.querySelector("[data-sort=objects]").ariaSort === "descending"`)
	p.Run(`document.querySelector("[data-sort=rank] button").click()`)
	p.Run(`document.querySelector("[data-sort=rank] button").click()`)
	same("from the last", "10 9 8 7 6 5 4 3 2 1")
	p.Run(`document.querySelector("[data-sort=rank] button").click()`)
	choose := func(name, value string) {
		t.Helper()
		p.Run(fmt.Sprintf(`(f => {f.elements[%q].value = %q; f.dispatchEvent(new Event("input", {bubbles: true}))})`+
			`(document.querySelector("form.controls"))`, name, value))
	}
	choose("text", "ENCODE")
	same("of Encode", "4 5 6")
	choose("cause", "concat")
	same("of Encode, concatenation", "4 6")
	p.Check("and how many is said", `document.querySelector("output").textContent === "2 of 10 sites"`)
	p.Run(`document.querySelector("form.controls button").click()`)
	p.Run(`new Promise(r => setTimeout(r, 20))`)
	same("after Reset", "1 2 3 4 5 6 7 8 9 10")
	choose("class", "conditional")
	same("conditional ones", "2 8")
	choose("class", "*")
	choose("bench", "1")
	same("of Encode's benchmark", "4 5 6")
	p.Check("the figures are of it",
		`document.querySelector("#site-3 td[data-label='B/op']").textContent === "208 B"`)
	p.Check("the picture, too", `document.querySelectorAll(".tiles a").length === 3 &&
		document.querySelector(".treemap .caption").textContent.includes("Encode")`)
	p.Run(`document.querySelector("input[value=cpu]").click()`)
	p.Check("by CPU time it has those that were measured", `document.querySelectorAll(".tiles a").length === 2`)
}

// Everything works by keyboard: an area of the picture, the rows, the headings.
func TestKeyboard(t *testing.T) {
	r, o := fixture(t)
	p := open(t, render(t, r, o))
	p.Run(`document.querySelector(".tiles a[tabindex='0']").focus()`)
	p.Check("what has the focus is said", `document.querySelector(".told").textContent.includes("of the bytes")`)
	p.Do(chromedp.KeyEvent(kb.ArrowRight))
	p.Check("the arrow goes on", `document.activeElement === document.querySelectorAll(".tiles a")[1]`)
	p.Do(chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.Enter))
	p.Check("Enter opens the site", `document.activeElement.matches("#site-3") &&
		document.querySelector("#site-3 details").open && location.hash === "#site-3"`)
	p.Do(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
	p.Check("Tab goes to it, Enter closes it", `!document.querySelector("#site-3 details").open`)
	p.Run(`document.querySelector("[data-sort=cpu] button").focus()`)
	p.Do(chromedp.KeyEvent(kb.Enter))
	if got := pagetest.Eval[string](p, order); !strings.HasPrefix(got, "4 1 2") {
		t.Errorf("Enter on a heading sorts: %s", got)
	}
	const visible = `[...document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")]` +
		`.filter(e => e.checkVisibility() && e.tabIndex >= 0 && (e.type !== "radio" || e.checked))`
	want := pagetest.Eval[int](p, visible+`.length`)
	p.Run(`window.reached = [], addEventListener("focusin", e => reached.push(e.target)), document.activeElement.blur()`)
	p.Do(chromedp.KeyEvent(strings.Repeat(kb.Tab, want+5)))
	if missed := pagetest.Eval[[]string](p, visible+`.filter(e => !reached.includes(e)).map(e => e.outerHTML.slice(0, 90))`); len(missed) > 0 {
		t.Errorf("Tab does not reach %s", strings.Join(missed, "\n"))
	}
}

// A link to a site opens it, also one that a filter hides; an edit can be copied whole.
func TestSiteOpens(t *testing.T) {
	r, o := fixture(t)
	p := open(t, render(t, r, o))
	p.Run(`(f => {f.elements.text.value = "nothing has this"; f.dispatchEvent(new Event("input", {bubbles: true}))})` +
		`(document.querySelector("form.controls"))`)
	p.Check("the filter hides all", `!document.querySelector("table.sites > tbody:not([hidden])")`)
	p.Run(`location.hash = "#site-1"`)
	p.Check("the site opens", `new Promise(r => setTimeout(r, 50)).then(() => document.querySelector("#site-1 details").open &&
		!document.querySelector("#site-1").hidden)`)
	if got := pagetest.Eval[string](p, `document.querySelector("#site-1 .edit pre").textContent`); got != r.Sites[1].Edit.Diff {
		t.Errorf("the edit is not the diff:\n%q\n%q", got, r.Sites[1].Edit.Diff)
	}
	p.Run(`document.querySelector(".edit button").click()`)
	p.Check("copied or selected", `new Promise(r => setTimeout(r, 50)).then(() =>
		/^(Copied|Selected)/.test(document.querySelector(".edit button").textContent))`)
}

// At no width does anything stick out of the page, and axe finds nothing serious.
func TestNothingOverflows(t *testing.T) {
	for name, change := range map[string]func(*sites.Report, *Options){
		"usual": func(*sites.Report, *Options) {}, "static": static,
		"many":  func(r *sites.Report, _ *Options) { many(r, 60) },
		"empty": func(r *sites.Report, _ *Options) { *r = sites.Report{Mode: "tests"} },
	} {
		r, o := fixture(t)
		change(r, &o)
		p := open(t, render(t, r, o))
		pagetest.Fits(t, p, name, "../page/testdata/axe-4.14.1.min.js", 15)
	}
}

// Hostile words do nothing in a browser either.
func TestHostileWordsInTheBrowser(t *testing.T) {
	for _, a := range []string{pagetest.Attacks[1], pagetest.Attacks[2], pagetest.Attacks[9]} {
		p := open(t, spoiled(t, a))
		p.Check("no element came from a text", `document.querySelectorAll("script").length === 5 &&
			!document.querySelector("img, [onerror], [onload], [onmouseover]")`)
		p.Check("the picture is drawn", `document.querySelectorAll(".tiles a").length >= 8`)
	}
}

// A page of 500 sites is filtered and sorted while one types.
func TestManySitesAreQuick(t *testing.T) {
	r, o := fixture(t)
	many(r, 500)
	p := open(t, render(t, r, o))
	ms := pagetest.Eval[float64](p, `(() => {const t = performance.now(); for (const b of document.querySelectorAll("[data-sort] button")) b.click();
		document.body.offsetHeight; return (performance.now() - t) / 7})()`)
	t.Logf("sorting and laying out 500 sites: %.0f ms", ms)
	p.Check("all are there", `document.querySelectorAll("table.sites > tbody:not([hidden])").length === 500`)
	p.Check("areas are few enough to draw", `document.querySelectorAll(".tiles a").length < tilesMost + 30`)
	p.Check("the small ones are one for each cause and package",
		`document.querySelector(".tiles [data-cause='concat']").ariaLabel.includes("smaller sites: a new string")`)
	p.Run(`document.querySelector(".tiles [data-cause='concat']").dispatchEvent(new MouseEvent("click", {bubbles: true,
		cancelable: true}))`)
	p.Check("and choose their cause", `document.querySelector("output").textContent === "100 of 500 sites"`)
}
