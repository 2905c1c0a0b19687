package blocks

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	cdpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"memcost/internal/report/result"
)

// Two runs stand on one page, each in every picture and table.
func TestTwoRuns(t *testing.T) {
	p := open(t, "", fixture(t, "healthy"), fixture(t, "arms"))
	p.draw()
	p.Check("two cards", `document.querySelectorAll(".card").length === 2`)
	p.Check("one study", `document.querySelectorAll("section.study").length === 1`)
	p.Check("it warns that they were not side by side",
		`document.querySelector("main > .note").textContent.includes("not measured side by side")`)
	for _, label := range []string{"healthy · go1.26.8", "arms · go1.26.8", "arms · go1.27.4"} {
		p.Check("in the pictures: "+label,
			fmt.Sprintf(
				`[...document.querySelectorAll("figure.curve .key li, figure.forest .key li")].some(l => l.textContent.includes(%q))`, label))
		p.Check("in the verdicts: "+label,
			fmt.Sprintf(`[...document.querySelectorAll(".claims thead th")].some(h => h.textContent === %q)`, label))
		p.Check("in the cases: "+label,
			fmt.Sprintf(`[...document.querySelectorAll(".cases td")].some(h => h.textContent === %q)`, label))
	}
	before := p.state()
	p.toggle("Fixture 9000 · healthy")
	fewer(t, "without one run", before.Dots, p.state().Dots)
}

func TestNothingInCommon(t *testing.T) {
	p := open(t, "", fixture(t, "healthy"), made(t, &folder{cpu: "other", rounds: 9, studies: []madeStudy{plain(90)}}))
	p.draw()
	p.Check("it says so", `document.querySelector("main > .note").textContent.includes("no case in common")`)
	p.Check("both are there", `document.querySelectorAll("section.study").length === 2`)
	p.Check("both are drawn",
		`[...document.querySelectorAll("section.study")].every(s => s.querySelector(".drawing svg[role=img]"))`)
}

// Runs that hold little, or what cannot be, give a page that works and says so.
func TestOddRuns(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]string{
		"empty": "nothing can be decided before round", "progress": "nothing can be decided before round",
		"numbers":  "",
		"troubled": "optimi", "escapes": "red", "damaged": "samples.txt", "extreme": "not drawn",
	} {
		t.Run(name, func(t *testing.T) {
			a := extreme(t)
			if name != "extreme" {
				a = fixture(t, name)
			}
			p := open(t, "", a)
			p.draw()
			p.Check("ready", `document.documentElement.dataset.ready === "true"`)
			text := eval[string](p, `document.querySelector("main").textContent`)
			if !strings.Contains(text, says) {
				t.Errorf("the page does not say %q", says)
			}
			for _, never := range []string{"NaN", "Infinity", "+Inf", "undefined", "[object", "%!"} {
				if strings.Contains(text, never) {
					t.Errorf("the page says %q: …%s…", never,
						text[max(0, strings.Index(text, never)-60):strings.Index(text, never)+20])
				}
			}
			p.Check("a number in every attribute of a picture",
				`![...document.querySelectorAll(".drawing svg *")].some(e => [...e.attributes].some(a => /NaN|Infinity|undefined/.test(a.value)))`)
			if n := eval[int](p, `document.querySelectorAll(".drawing svg[role=img]").length`); name != "empty" &&
				n < 2 {
				t.Errorf("%d pictures are drawn", n)
			}
		})
	}
}

// extreme returns a run with cases that cost nothing, less than nothing, and more than
// can be.
func extreme(t *testing.T) *result.Answer {
	s := plain(120)
	for i, cost := range []float64{0, -1e-9, 1e290, 1e-300, 1e12} {
		s.cases[i].sec = cost
	}
	return made(t, &folder{cpu: "x", rounds: 14, studies: []madeStudy{s}})
}

// A package with ten thousand cases, which says nothing about itself.
func TestTenThousandCases(t *testing.T) {
	p := open(t, "", made(t, &folder{cpu: "x", rounds: 3, studies: []madeStudy{plain(10_000)}}))
	p.draw()
	p.Check("all stand in the table", `document.querySelectorAll(".cases tbody tr").length === 10000`)
	p.Check("it says what is not drawn",
		`[...document.querySelectorAll(".picture .legend")].some(n => n.textContent.includes("more"))`)
	if n := eval[int](p,
		`document.querySelectorAll(".drawing .figure circle, .drawing .figure path").length`); n < 1000 || n > 20_000 {
		t.Errorf("%d dots", n)
	}
}

// Five studies on one page are there at once. The bound is ten times what is
// wanted: only a page that hangs breaks it.
func TestFiveStudiesAreReadySoon(t *testing.T) {
	watch := chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, cdpage.AddScriptToEvaluateOnNewDocument,
			cdpage.AddScriptToEvaluateOnNewDocumentParams{Source: `
			window.times = {};
			const look = () => {
				if (!times.ready && document.documentElement?.dataset.ready) times.ready = performance.now();
				if (!times.drawn && document.querySelector(".drawing svg[role=img]")) times.drawn = performance.now();
			};
			new MutationObserver(look).observe(document, {subtree: true, childList: true, attributes: true});`})
		return err
	})
	html := render(t, fiveStudies(t))
	p := openHTML(t, "", html, watch)
	p.Do(chromedp.Evaluate[chromedp.Void](
		`document.querySelector(".key-picture").scrollIntoView({behavior: "instant"})`),
		chromedp.Poll[chromedp.Void](`window.times.drawn`))
	times := eval[map[string]float64](p, `times`)
	t.Logf("%d bytes: ready after %.0f ms, first picture after %.0f ms", len(html), times["ready"], times["drawn"])
	const most = 30_000 // ms
	if times["ready"] == 0 || times["ready"] > most || times["drawn"] > most {
		t.Errorf("ready after %.0f ms, first picture after %.0f ms", times["ready"], times["drawn"])
	}
	p.draw()
	p.Check("every picture of five studies is drawn",
		`document.querySelectorAll("section.study").length === 5 && [...document.querySelectorAll("figure.picture")].every(f => !(f.dataset.kind in studyKinds) || f.querySelector("svg[role=img]"))`)
}
