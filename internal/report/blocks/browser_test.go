package blocks

import (
	"os"
	"testing"

	"github.com/chromedp/chromedp"

	"memcost/internal/report/result"
	"memcost/internal/show/pagetest"
)

func TestMain(m *testing.M) { os.Exit(pagetest.Main(m)) }

// tab is a page of a run in the browser.
type tab struct{ *pagetest.Tab }

// open shows the page of some answers, with a fragment: see pagetest.Open.
func open(t testing.TB, fragment string, answers ...*result.Answer) *tab {
	t.Helper()
	return openHTML(t, fragment, render(t, answers...))
}

func openHTML(t testing.TB, fragment, html string, before ...chromedp.Action[chromedp.Void]) *tab {
	t.Helper()
	// what a page draws of its own data goes through data: and blob: addresses
	return &tab{pagetest.Open(t, pagetest.Page{HTML: html, Fragment: fragment, OwnData: true, Before: before})}
}

func eval[T any](p *tab, js string) T {
	p.Helper()
	return pagetest.Eval[T](p.Tab, js)
}

// openEvidence opens what all studies have behind their cards, and waits until it is read.
func (p *tab) openEvidence() {
	p.Helper()
	p.Do(chromedp.Evaluate[chromedp.Void](
		`document.querySelectorAll("details.evidence").forEach(d => d.open = true)`),
		chromedp.Poll[chromedp.Void](`openedStudies.size === document.querySelectorAll("section.study").length`))
}

// draw opens all evidence and scrolls past every picture, as a reader does, until each is drawn
// as wide as its column, or says why not.
func (p *tab) draw() {
	p.Helper()
	p.openEvidence()
	if left := eval[[]string](p, `(async () => {
		const frame = () => new Promise(r => setTimeout(r, 8));
		const left = [];
		for (const f of document.querySelectorAll("figure.picture")) {
			if (!(f.dataset.kind in studyKinds)) continue;
			f.scrollIntoView({behavior: "instant", block: "center"});
			const box = f.querySelector(".drawing");
			const drawn = () => {
				const s = box.querySelector("svg[role=img]");
				return s ? Math.abs(s.getBoundingClientRect().width - Math.max(260, box.clientWidth)) <= 3 : box.querySelector(".note");
			};
			for (let i = 0; i < 1000 && !drawn(); i++) await frame();
			if (!drawn()) left.push(f.id);
		}
		scrollTo({top: 0, behavior: "instant"});
		return left;
	})()`); len(left) > 0 {
		p.Fatalf("never drawn as wide as its column: %v", left)
	}
}
