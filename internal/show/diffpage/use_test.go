package diffpage

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"memcost/internal/show/pagetest"
	"memcost/internal/sites"
	"memcost/internal/sites/diff"
)

// order returns what became of the sites that are shown, from above.
const order = `[...document.querySelectorAll("table.sites > tbody:not([hidden])")].map(` +
	`e => e.querySelector(".kind").textContent + " " + e.querySelector("th b").textContent).join(", ")`

func TestSortAndFilter(t *testing.T) {
	p := open(t, render(t, diffs(t), Options{}))
	same := func(what, want string) {
		t.Helper()
		if got := pagetest.Eval[string](p, order); got != want {
			t.Errorf("%s: the sites are %s, not %s", what, got, want)
		}
	}
	const asItStands = "gone (*Record).Encode, gone (*Record).Encode, new (*Record).Encode, costs less record"
	same("at first", asItStands)
	p.Run(`document.querySelector("[data-sort=bytes] button").click()`)
	same("by bytes, the largest growth first",
		"new (*Record).Encode, gone (*Record).Encode, gone (*Record).Encode, costs less record")
	p.Check("the heading says so", `document.querySelector("[data-sort=bytes]").ariaSort === "descending"`)
	p.Run(`document.querySelector("[data-sort=bytes] button").click()`)
	same("the largest saving first",
		"costs less record, gone (*Record).Encode, gone (*Record).Encode, new (*Record).Encode")
	choose := func(name, value string) {
		t.Helper()
		p.Run(fmt.Sprintf(`(f => {f.elements[%q].value = %q; f.dispatchEvent(new Event("input", {bubbles: true}))})`+
			`(document.querySelector("form.controls"))`, name, value))
	}
	choose("kind", "gone")
	same("gone ones", "gone (*Record).Encode, gone (*Record).Encode")
	choose("text", "NOTHING HAS THIS")
	same("with a text", "")
	p.Check("and how many is said", `document.querySelector("output").textContent === "0 of 4 sites"`)
	p.Run(`location.hash = document.querySelector("table.sites > tbody").id`)
	p.Check("a link opens a hidden site", `new Promise(r => setTimeout(r, 50)).then(() =>
		document.querySelector("table.sites > tbody:not([hidden]) details").open)`)
	p.Run(`document.querySelector("form.controls button").click()`)
	p.Run(`document.querySelector("[data-sort=order] button").click()`)
	p.Run(`new Promise(r => setTimeout(r, 20))`)
	same("after Reset", asItStands)
}

// Everything works by keyboard: the switch and the links of the picture, the rows, the headings.
func TestKeyboard(t *testing.T) {
	p := open(t, render(t, diffs(t), Options{Invocation: "memcost why"}))
	shown := func(table string) string {
		return `document.querySelector("figure.change table.` + table + `").checkVisibility()`
	}
	p.Check("bytes are drawn", shown("bytes")+" && !"+shown("objects"))
	p.Run(`document.querySelector("figure.change input").focus()`)
	p.Do(chromedp.KeyEvent(kb.ArrowRight))
	p.Check("the arrow chooses objects", shown("objects")+" && !"+shown("bytes"))
	p.Run(`document.querySelector("table.objects a").focus()`)
	p.Do(chromedp.KeyEvent(kb.Enter))
	p.Check("Enter opens the site", `new Promise(r => setTimeout(r, 50)).then(() =>
		document.activeElement.tagName === "TBODY" && document.activeElement.querySelector("details").open)`)
	p.Do(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
	p.Check("Tab goes to it, Enter closes it", `!document.querySelector("table.sites details[open]")`)
	const visible = `[...document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")]` +
		`.filter(e => e.checkVisibility() && e.tabIndex >= 0 && (e.type !== "radio" || e.checked))`
	want := pagetest.Eval[int](p, visible+`.length`)
	p.Run(`window.reached = [], addEventListener("focusin", e => reached.push(e.target)), document.activeElement.blur()`)
	p.Do(chromedp.KeyEvent(strings.Repeat(kb.Tab, want+5)))
	if missed := pagetest.Eval[[]string](p, visible+`.filter(e => !reached.includes(e)).map(e => e.outerHTML.slice(0, 90))`); len(missed) > 0 {
		t.Errorf("Tab does not reach %s", strings.Join(missed, "\n"))
	}
}

// At no width does anything stick out of the page, and axe finds nothing serious.
func TestNothingOverflows(t *testing.T) {
	for name, all := range map[string][]diff.Diff{
		"usual": diffs(t), "several": append(diffs(t), many(t, 60)...),
		"empty": diff.CompareAll(&sites.Report{}, &sites.Report{}),
	} {
		p := open(t, render(t, all, Options{Invocation: "memcost why ./codec --since v1.2.0"}))
		pagetest.Fits(t, p, name, "../page/testdata/axe-4.14.1.min.js", 12)
	}
}

// Hostile words do nothing in a browser either.
func TestHostileWordsInTheBrowser(t *testing.T) {
	for _, a := range []string{pagetest.Attacks[1], pagetest.Attacks[2], pagetest.Attacks[9]} {
		p := open(t, spoiled(t, a))
		p.Check("no element came from a text", `document.querySelectorAll("script").length === 2 &&
			!document.querySelector("img, [onerror], [onload], [onmouseover]")`)
	}
}

// A page of 500 sites is sorted and filtered while one types.
func TestManySitesAreQuick(t *testing.T) {
	p := open(t, render(t, many(t, 500), Options{}))
	ms := pagetest.Eval[float64](p, `(() => {const t = performance.now(), all = document.querySelectorAll("[data-sort] button");
		for (const b of all) b.click(); document.body.offsetHeight; return (performance.now() - t) / all.length})()`)
	t.Logf("sorting and laying out 500 sites: %.0f ms", ms)
	p.Check("all are there", `document.querySelectorAll("table.sites > tbody:not([hidden])").length === 500`)
}
