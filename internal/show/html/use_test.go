package html

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"memcost/internal/document"
	"memcost/internal/show/pagetest"
)

// order returns the numbers of the rows that are shown, from above.
const order = `[...document.querySelectorAll("#sites > tbody:not([hidden]) > tr:first-child > td:first-child")]` +
	`.map(e => e.textContent).join(" ")`

func many(n int) *document.Document {
	return &document.Document{Title: "Sites", Blocks: sites(n)}
}

func TestTableSortsAndFilters(t *testing.T) {
	p := open(t, many(6))
	same := func(what, want string) {
		t.Helper()
		if got := pagetest.Eval[string](p, order); got != want {
			t.Errorf("%s: the rows are %s, not %s", what, got, want)
		}
	}
	head := func(i string) { p.Run(`document.querySelectorAll("#sites thead button")[` + i + `].click()`) }
	same("at first", "1 2 3 4 5 6")
	head("2")
	same("by bytes, the most first", "2 4 6 1 3 5")
	p.Check("the heading says so", `document.querySelectorAll("#sites thead th")[2].ariaSort === "descending"`)
	head("2")
	same("the least first", "1 3 5 2 4 6")
	head("1")
	same("by name", "1 2 3 4 5 6")
	choose := func(name, value string) {
		t.Helper()
		p.Run(`(f => {f.elements["` + name + `"].value = "` + value + `"; f.elements["` + name +
			`"].dispatchEvent(new Event("input", {bubbles: true}))})(document.querySelector("form.controls"))`)
	}
	choose("cause", "a new string")
	same("of one cause", "2 4 6")
	choose("text", "F3")
	same("and a name", "4")
	p.Check("how many is said", `document.querySelector("output").textContent === "1 of 6 rows"`)
	p.Run(`document.querySelector("form.controls button").click()`)
	p.Run(`new Promise(r => setTimeout(r, 20))`)
	same("after Reset", "1 2 3 4 5 6")
	choose("benchmark", "1")
	p.Check("the figures are those of the choice", `document.querySelector("#site-1 td[data-label=bytes]").textContent === "7 B"`)
	p.Check("and the picture's", `document.querySelector(".treemap .caption:not(figcaption *)").textContent.includes("Encode")`)
	choose("benchmark", "*")
	p.Check("and those of all again", `document.querySelector("#site-1 td[data-label=bytes]").textContent === "2.93 KiB"`)
	p.Run(`document.querySelector("input[value=objects]").click()`)
	p.Check("by objects all areas are alike", `document.querySelectorAll(".treemap .drawing a").length === 6`)
}

// Everything works by keyboard: the areas of the picture, the rows, the headings.
func TestKeyboard(t *testing.T) {
	p := open(t, many(6))
	p.Run(`document.querySelector(".drawing a[tabindex='0']").focus()`)
	p.Check("what has the focus is said", `document.querySelector(".told").textContent.includes("of the bytes")`)
	p.Do(chromedp.KeyEvent(kb.ArrowRight))
	p.Check("the arrow goes on", `document.activeElement === document.querySelectorAll(".drawing a")[1]`)
	p.Do(chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.Enter))
	p.Check("Enter opens the row", `document.activeElement.matches("#site-5") &&
		document.querySelector("#site-5 details").open && location.hash === "#site-5"`)
	p.Do(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
	p.Check("Tab goes to it, Enter closes it", `!document.querySelector("#site-5 details").open`)
	const visible = `[...document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")]` +
		`.filter(e => e.checkVisibility() && e.tabIndex >= 0 && (e.type !== "radio" || e.checked))`
	want := pagetest.Eval[int](p, visible+`.length`)
	p.Run(`window.reached = [], addEventListener("focusin", e => reached.push(e.target)), document.activeElement.blur()`)
	p.Do(chromedp.KeyEvent(strings.Repeat(kb.Tab, want+5)))
	if missed := pagetest.Eval[[]string](p, visible+`.filter(e => !reached.includes(e)).map(e => e.outerHTML.slice(0, 90))`); len(missed) > 0 {
		t.Errorf("Tab does not reach %s", strings.Join(missed, "\n"))
	}
}

// A link opens what it leads to, also behind a fold and a filter; a difference is copied whole.
func TestLinksOpen(t *testing.T) {
	p := open(t, all())
	p.Run(`(f => {f.elements.text.value = "nothing has this"; f.dispatchEvent(new Event("input", {bubbles: true}))})` +
		`(document.querySelector("form.controls"))`)
	p.Check("the filter hides all", `!document.querySelector("#sites > tbody:not([hidden])")`)
	p.Run(`location.hash = "#site-1"`)
	p.Check("the row opens", `new Promise(r => setTimeout(r, 50)).then(() => document.querySelector("#site-1 details").open &&
		!document.querySelector("#site-1").hidden)`)
	p.Run(`document.querySelector(".evidence").open = true`)
	if got := pagetest.Eval[string](p, `document.querySelector(".diff pre").textContent`); got != "@@ -1 +1 @@\n-\tx := 1\n+\tx := 2\n }\n" {
		t.Errorf("the difference is %q", got)
	}
	p.Run(`document.querySelector(".copy").click()`)
	p.Check("copied or selected", `new Promise(r => setTimeout(r, 50)).then(() =>
		/^(Copied|Selected)/.test(document.querySelector(".copy").textContent))`)
	p.Run(`document.querySelector(".theme").click()`)
	p.Check("the page is dark", `getComputedStyle(document.body).color !== "rgb(27, 31, 36)" &&
		document.querySelector(".theme").textContent === "Light theme"`)
}

// At no width does anything stick out of the page, and axe finds nothing serious.
func TestNothingOverflows(t *testing.T) {
	long := all()
	long.Title = strings.Repeat("AVeryLongWord", 12)
	for name, d := range map[string]*document.Document{"usual": all(), "many": many(60), "long": long,
		"empty": {Title: "Nothing"}} {
		pagetest.Fits(t, open(t, d), name, "testdata/axe-4.14.1.min.js", 10)
	}
}

// A page of 500 rows is filtered and sorted while one types.
func TestManyRowsAreQuick(t *testing.T) {
	p := open(t, many(500))
	p.Check("all are there", `document.querySelectorAll("#sites > tbody:not([hidden])").length === 500`)
	p.Check("areas are few enough to draw", `document.querySelectorAll(".drawing a").length < tilesMost + 30`)
	p.Check("the small ones are one for each cause and package",
		`document.querySelector(".drawing [data-words='a new string']").ariaLabel.includes("smaller sites: a new string")`)
	p.Run(`document.querySelector(".drawing [data-words='a new string']").dispatchEvent(new MouseEvent("click",
		{bubbles: true, cancelable: true}))`)
	p.Check("and choose their cause", `document.querySelector("output").textContent === "250 of 500 rows"`)
}
