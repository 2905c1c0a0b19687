package pagetest

import (
	"fmt"
	"os"
	"testing"

	"github.com/chromedp/chromedp"
)

// misfits says what sticks out of a page; what scrolls by itself does not.
const misfits = `document.documentElement.scrollWidth <= innerWidth ? "" : "the page is " +
	document.documentElement.scrollWidth + " wide: " + [...document.body.querySelectorAll("*")]
	.filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, pre, svg"))
	.slice(0, 5).map(e => e.tagName + "." + e.className).join(", ")`

// violations are what axe-core calls serious or critical; %d is how many rules must have passed.
const violations = `axe.run(document, {resultTypes: ["violations"]}).then(r => {
	if (r.passes.length < %d) throw "axe did not look";
	return r.violations.filter(v => ["serious", "critical"].includes(v.impact))
		.map(v => v.impact + " " + v.id + ": " + v.nodes.length + " times, such as " + v.nodes[0].target + ": " +
			v.nodes[0].failureSummary.replace(/\s+/g, " "));
})`

// Fits checks that at no width anything sticks out of the page, with its details closed and
// opened, and that axe-core, the script of that name, finds nothing serious; at least passes of
// its rules must have looked.
func Fits(t testing.TB, p *Tab, name, axe string, passes int) {
	t.Helper()
	script, err := os.ReadFile(axe)
	if err != nil {
		t.Fatal(err)
	}
	p.Do(chromedp.Evaluate[chromedp.Void](string(script)))
	for _, width := range []int64{400, 700, 1280, 3840} {
		theme := map[bool]string{true: "dark", false: "light"}[width == 400 || width == 3840]
		p.Size(width, 900)
		p.Theme(theme)
		for _, opened := range []bool{false, true} {
			p.Run(fmt.Sprintf(`document.querySelectorAll("details").forEach((d, i) => d.open = %t && i < 20)`, opened))
			p.Run(`new Promise(r => setTimeout(r, 60))`)
			if s := Eval[string](p, misfits); s != "" {
				t.Errorf("%s, %d px, open: %t: %s", name, width, opened, s)
			}
			p.Picture(fmt.Sprintf("%s %d %s %t", name, width, theme, opened))
		}
		for _, v := range Eval[[]string](p, fmt.Sprintf(violations, passes)) {
			t.Errorf("%s, %d px, %s: %s", name, width, theme, v)
		}
	}
}
