package diffpage

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"memcost/internal/sitediff"
	"memcost/internal/why"
)

// order returns what became of the sites that are shown, from above.
const order = `[...document.querySelectorAll("table.sites > tbody:not([hidden])")].map(` +
	`e => e.querySelector(".kind").textContent + " " + e.querySelector("th b").textContent).join(", ")`

func TestSortAndFilter(t *testing.T) {
	p := open(t, render(t, diffs(t), Options{}))
	same := func(what, want string) {
		t.Helper()
		if got := eval[string](p, order); got != want {
			t.Errorf("%s: the sites are %s, not %s", what, got, want)
		}
	}
	const asItStands = "gone (*Record).Encode, gone (*Record).Encode, new (*Record).Encode, costs less record"
	same("at first", asItStands)
	p.run(`document.querySelector("[data-sort=bytes] button").click()`)
	same("by bytes, the largest growth first",
		"new (*Record).Encode, gone (*Record).Encode, gone (*Record).Encode, costs less record")
	p.check("the heading says so", `document.querySelector("[data-sort=bytes]").ariaSort === "descending"`)
	p.run(`document.querySelector("[data-sort=bytes] button").click()`)
	same("the largest saving first",
		"costs less record, gone (*Record).Encode, gone (*Record).Encode, new (*Record).Encode")
	choose := func(name, value string) {
		t.Helper()
		p.run(fmt.Sprintf(`(f => {f.elements[%q].value = %q; f.dispatchEvent(new Event("input", {bubbles: true}))})`+
			`(document.querySelector("form.controls"))`, name, value))
	}
	choose("kind", "gone")
	same("gone ones", "gone (*Record).Encode, gone (*Record).Encode")
	choose("text", "NOTHING HAS THIS")
	same("with a text", "")
	p.check("and how many is said", `document.querySelector("output").textContent === "0 of 4 sites"`)
	p.run(`location.hash = document.querySelector("table.sites > tbody").id`)
	p.check("a link opens a hidden site", `new Promise(r => setTimeout(r, 50)).then(() =>
		document.querySelector("table.sites > tbody:not([hidden]) details").open)`)
	p.run(`document.querySelector("form.controls button").click()`)
	p.run(`document.querySelector("[data-sort=order] button").click()`)
	p.run(`new Promise(r => setTimeout(r, 20))`)
	same("after Reset", asItStands)
}

// Everything works by keyboard: the switch and the links of the picture, the rows, the headings.
func TestKeyboard(t *testing.T) {
	p := open(t, render(t, diffs(t), Options{Invocation: "memcost why"}))
	shown := func(table string) string {
		return `document.querySelector("figure.change table.` + table + `").checkVisibility()`
	}
	p.check("bytes are drawn", shown("bytes")+" && !"+shown("objects"))
	p.run(`document.querySelector("figure.change input").focus()`)
	p.do(chromedp.KeyEvent(kb.ArrowRight))
	p.check("the arrow chooses objects", shown("objects")+" && !"+shown("bytes"))
	p.run(`document.querySelector("table.objects a").focus()`)
	p.do(chromedp.KeyEvent(kb.Enter))
	p.check("Enter opens the site", `new Promise(r => setTimeout(r, 50)).then(() =>
		document.activeElement.tagName === "TBODY" && document.activeElement.querySelector("details").open)`)
	p.do(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
	p.check("Tab goes to it, Enter closes it", `!document.querySelector("table.sites details[open]")`)
	const visible = `[...document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")]` +
		`.filter(e => e.checkVisibility() && e.tabIndex >= 0 && (e.type !== "radio" || e.checked))`
	want := eval[int](p, visible+`.length`)
	p.run(`window.reached = [], addEventListener("focusin", e => reached.push(e.target)), document.activeElement.blur()`)
	p.do(chromedp.KeyEvent(strings.Repeat(kb.Tab, want+5)))
	if missed := eval[[]string](p, visible+`.filter(e => !reached.includes(e)).map(e => e.outerHTML.slice(0, 90))`); len(missed) > 0 {
		t.Errorf("Tab does not reach %s", strings.Join(missed, "\n"))
	}
}

// At no width does anything stick out of the page, and axe finds nothing serious.
func TestNothingOverflows(t *testing.T) {
	axe, err := os.ReadFile("../page/testdata/axe-4.14.1.min.js")
	if err != nil {
		t.Fatal(err)
	}
	for name, all := range map[string][]sitediff.Diff{
		"usual": diffs(t), "several": append(diffs(t), many(t, 60)...),
		"empty": sitediff.CompareAll(&why.Report{}, &why.Report{}),
	} {
		p := open(t, render(t, all, Options{Invocation: "memcost why ./codec --since v1.2.0"}))
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

const misfits = `document.documentElement.scrollWidth <= innerWidth ? "" : "the page is " +
	document.documentElement.scrollWidth + " wide: " + [...document.body.querySelectorAll("*")]
	.filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, pre"))
	.slice(0, 5).map(e => e.tagName + "." + e.className).join(", ")`

const violations = `axe.run(document, {resultTypes: ["violations"]}).then(r => {
	if (r.passes.length < 12) throw "axe did not look";
	return r.violations.filter(v => ["serious", "critical"].includes(v.impact)).map(v => v.impact + " " + v.id + ": " +
		v.nodes.length + " times, such as " + v.nodes[0].target + ": " + v.nodes[0].failureSummary.replace(/\s+/g, " "));
})`

// Hostile words do nothing in a browser either.
func TestHostileWordsInTheBrowser(t *testing.T) {
	for _, a := range []string{attacks[1], attacks[2], attacks[9]} {
		p := open(t, spoiled(t, a))
		p.check("no element came from a text", `document.querySelectorAll("script").length === 2 &&
			!document.querySelector("img, [onerror], [onload], [onmouseover]")`)
	}
}

// A page of 500 sites is sorted and filtered while one types.
func TestManySitesAreQuick(t *testing.T) {
	p := open(t, render(t, many(t, 500), Options{}))
	ms := eval[float64](p, `(() => {const t = performance.now(), all = document.querySelectorAll("[data-sort] button");
		for (const b of all) b.click(); document.body.offsetHeight; return (performance.now() - t) / all.length})()`)
	t.Logf("sorting and laying out 500 sites: %.0f ms", ms)
	p.check("all are there", `document.querySelectorAll("table.sites > tbody:not([hidden])").length === 500`)
}
