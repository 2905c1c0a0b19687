package blocks

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"memcost/internal/report/result"
)

// axe-core 4.14.1, as released by Deque Systems; its licence lies beside it.
func axe(t *testing.T) string {
	script, err := os.ReadFile("../../show/html/testdata/axe-4.14.1.min.js")
	if err != nil {
		t.Fatal(err)
	}
	return string(script)
}

// widths are those of a telephone, a laptop and a 4K screen.
var widths = []int64{400, 1280, 3840}

// pages returns those that the checks of this file are made on.
func pages(t *testing.T) map[string][]*result.Answer {
	return map[string][]*result.Answer{
		"shipped": {shipped(t)}, "two runs": {fixture(t, "healthy"), fixture(t, "arms")},
		"troubled": {fixture(t, "troubled")},
		"escapes":  {fixture(t, "escapes")}, "sides": {fixture(t, "sides")},
		"plain": {made(t, &folder{cpu: "x", rounds: 9, studies: []madeStudy{plain(200)}})},
	}
}

// Nothing that axe-core calls serious or critical. It is evaluated by the
// debugger: the page's own policy, which stays in force, would not let it in.
func TestAxe(t *testing.T) {
	t.Parallel()
	for name, answers := range map[string][]*result.Answer{"shipped": {shipped(t)}, "sides": {fixture(t, "sides")},
		"troubled": {fixture(t, "troubled"),
			fixture(t, "arms")}} {
		p := open(t, "", answers...)
		p.Do(chromedp.Evaluate[chromedp.Void](axe(t) +
			`;document.querySelectorAll("details").forEach(d => d.open = true)`))
		for _, x := range []struct {
			width int64
			theme string
		}{{1280, "light"}, {1280, "dark"}, {400, "light"}, {400, "dark"}} {
			if name == "shipped" && (x.width == 400) == (x.theme == "light") {
				continue // it has more pictures, and takes longer
			}
			p.Size(x.width, 900)
			p.Theme(x.theme)
			p.draw()
			for _, v := range eval[[]string](p, violations) {
				t.Errorf("%s, %d px, %s: %s", name, x.width, x.theme, v)
			}
		}
	}
}

const violations = `axe.run(document, {resultTypes: ["violations"]}).then(r => {
	if (r.passes.length < 20) throw "axe did not look";
	return r.violations.filter(v => ["serious", "critical"].includes(v.impact)).map(v =>
		v.impact + " " + v.id + ": " + v.nodes.length + " times, such as " + v.nodes[0].target + ": " + v.nodes[0].failureSummary.replace(/\s+/g, " "));
})`

// At no width does anything stick out of the page, nor a text lie on another.
func TestNothingOverflowsOrOverlaps(t *testing.T) {
	t.Parallel()
	for name, answers := range pages(t) {
		p := open(t, "", answers...)
		for _, width := range widths {
			p.Size(width, 1000)
			p.draw()
			for _, opened := range []bool{false, true} {
				p.Do(chromedp.Evaluate[chromedp.Void](
					fmt.Sprintf(`document.querySelectorAll("details").forEach(d => d.open = %t)`, opened)))
				for _, s := range eval[[]string](p, misfits) {
					t.Errorf("%s, %d px, details open: %t: %s", name, width, opened, s)
				}
			}
		}
	}
}

// misfits lists what sticks out and what overlaps. Tips are left out: they lie
// above a picture by their nature.
const misfits = `(() => {
	const out = [], r = e => e.getBoundingClientRect();
	const page = document.documentElement;
	if (page.scrollWidth > innerWidth) {
		const wide = [...document.body.querySelectorAll("*")].filter(e => r(e).right > innerWidth + 1 && !e.closest(".scroll, pre, svg"));
		out.push("the page is " + page.scrollWidth + " wide: " + wide.slice(0, 3).map(e => e.tagName + "." + e.className).join(", "));
	}
	for (const svg of document.querySelectorAll(".drawing svg[role=img]")) {
		const figure = svg.closest("figure").id, box = r(svg.closest(".picture"));
		if (r(svg).right > r(svg.parentNode).right + 1) out.push(figure + ": the drawing is wider than its box");
		const texts = [...svg.querySelectorAll("text")].filter(t => t.textContent.trim() && !t.closest("[aria-label=tip]")).map(t => [t.textContent, r(t)]);
		texts.forEach(([a, x], i) => {
			if (x.left < box.left || x.right > box.right) out.push(figure + ": text sticks out of the picture: " + a);
			for (const [b, y] of texts.slice(i + 1)) {
				const w = Math.min(x.right, y.right) - Math.max(x.left, y.left), h = Math.min(x.bottom, y.bottom) - Math.max(x.top, y.top);
				if (w > 1 && h > 2) out.push(figure + ": texts overlap: " + a + " / " + b + " by " + w.toFixed(1) + "x" + h.toFixed(1));
			}
		});
	}
	return out;
})()`

// Everything that can be used with a mouse can be reached and used with Tab,
// Space and Enter, in the order in which it stands.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	p := open(t, "", fixture(t, "arms"))
	p.draw()
	const visible = `[...document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")]
		.filter(e => e.checkVisibility() && (e.type !== "radio" || e.checked))`
	want := eval[int](p, visible+`.length`)
	p.Do(chromedp.Evaluate[chromedp.Void](`window.reached = []; window.unseen = []; addEventListener("focusin", e => {
		reached.push(e.target);
		if (getComputedStyle(e.target).outlineStyle === "none") unseen.push(e.target.outerHTML.slice(0, 90));
	}); document.activeElement.blur(); 0`))
	p.Do(chromedp.KeyEvent(strings.Repeat(kb.Tab, want)))
	if missed := eval[[]string](p,
		visible+`.filter(e => !reached.includes(e)).map(e => e.outerHTML.slice(0, 90))`); len(missed) > 0 {
		t.Errorf("Tab does not reach %d of %d: %s", len(missed), want, strings.Join(missed, "\n"))
	}
	p.Check("in the order of the page",
		`reached.slice(1).every((e, i) => reached[i].compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING)`)
	if unseen := eval[[]string](p, `unseen`); len(unseen) > 0 {
		t.Errorf("what has the focus does not show it: %s", strings.Join(unseen, "\n"))
	}

	p.Do(chromedp.Evaluate[chromedp.Void](
		`[...document.querySelectorAll("summary")].find(s => s.checkVisibility()).focus()`))
	p.Do(chromedp.KeyEvent(kb.Enter))
	p.Check("Enter opens the details", `document.activeElement.parentElement.open`)
	before := p.state()
	p.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".controls input").focus()`), chromedp.KeyEvent(" "))
	p.Check("Space toggles a checkbox", `!document.querySelector(".controls input").checked`)
	fewer(t, "by keyboard", before.Dots, p.state().Dots)
	p.Check("and leaves the focus there", `document.activeElement === document.querySelector(".controls input")`)
	p.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".controls button").focus()`),
		chromedp.KeyEvent(kb.Enter))
	same(t, "Enter on Reset", p.state(), before)
	p.Check("the focus is not lost on Reset", `document.activeElement !== document.body`)
	p.Check("a table too wide for a telephone scrolls with the keyboard",
		`[...document.querySelectorAll(".scroll")].every(e => e.tabIndex === 0 && e.ariaLabel)`)
}
