package blocks

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"memcost/internal/report/answer"
	"memcost/internal/report/result"
	"memcost/internal/show/html"
	"memcost/internal/study/language"
	"memcost/study"
)

// fronted returns the page of answers with a front.
func fronted(t testing.TB, f *answer.Front, answers ...*result.Answer) string {
	t.Helper()
	var b bytes.Buffer
	if err := html.Write(&b, Page(answers, f)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// studies are those of this program.
func studies(t testing.TB) []*language.Study {
	t.Helper()
	all, err := language.ReadAll(study.FS)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The first screen holds the question, the answer, the picture, its read-out and the machine; all
// closed, the page is short.
func TestFirstScreen(t *testing.T) {
	p := open(t, "", fiveStudies(t))
	p.Check("the first screen", `document.querySelector(".first").getBoundingClientRect().bottom <= 900`)
	p.Check("in its order", `["h1", ".front-answer", ".axis svg", ".readout", ".trust"].every((s, i, all) =>
		!i || document.querySelector(all[i-1]).getBoundingClientRect().bottom <= document.querySelector(s).getBoundingClientRect().top + 1)`)
	p.Check("all closed", `document.documentElement.scrollHeight < 6000 && !document.querySelector("details[open]")`)
	p.Check("each card", `[...document.querySelectorAll(".card-of-study")].every(c => c.getBoundingClientRect().height <= 330)`)
	p.Check("nothing behind the cards was read", `loaded.size === 0 && !document.querySelector(".evidence svg[role=img]")`)
	p.Check("a curve for each means here", `document.querySelectorAll(".axis .line").length === 10`)
	p.Check("with a mark for each figure",
		`document.querySelectorAll(".axis .figure > *").length === axis.means.filter(m => m.series === 0).flatMap(m => m.points).length`)
	p.Size(3840, 2160)
	p.Check("on a 4K screen, too", `document.querySelector(".first").getBoundingClientRect().bottom <= 2160`)
}

// The read-out starts at 64 KiB and follows the keys and the pointer; it is what the table says.
func TestReadOutFollows(t *testing.T) {
	t.Parallel()
	p := open(t, "", fixture(t, "healthy"))
	p.Run(`window.li = n => [...document.querySelectorAll(".readout li")].find(l => l.querySelector(".mean").textContent === n),
		window.told = n => li(n).querySelector("b").textContent,
		window.table = (n, size) => { const t = document.querySelector("table.curves"),
			c = [...t.tHead.rows[0].cells].findIndex(h => h.textContent === size);
			return [...t.tBodies[0].rows].find(r => r.cells[0].textContent === n).cells[c].textContent; }`)
	same := func(size string) {
		t.Helper()
		p.Check("at "+size, fmt.Sprintf(`document.querySelector(".readout .at b").textContent === %q &&
			table("Go heap, by pointer", %[1]q).startsWith(told("Go heap, by pointer") + " ") &&
			document.querySelector(".plane").getAttribute("aria-valuetext").startsWith(%[1]q + ": Go heap, by pointer " + told("Go heap, by pointer"))`, size))
	}
	same("64 KiB")
	p.Run(`document.querySelector(".plane").focus()`)
	p.Do(chromedp.KeyEvent(kb.ArrowRight))
	same("128 KiB")
	p.Do(chromedp.KeyEvent(kb.ArrowLeft + kb.ArrowLeft))
	same("32 KiB")
	p.Do(chromedp.KeyEvent(kb.End))
	same("64 MiB")
	p.Check("what is not measured says so", `told("Go stack, by value") === "–" && li("Go stack, by value").textContent.includes("not measured")`)
	p.Run(`(() => { const svg = document.querySelector(".axis svg"), r = svg.getBoundingClientRect(),
		x = document.querySelectorAll(".axis .figure circle")[0].getBoundingClientRect();
		svg.dispatchEvent(new PointerEvent("pointermove", {bubbles: true, clientX: x.left + 3, clientY: x.top})); })()`)
	same("8 B")
}

// The switches act and are kept in the address: the time per KiB, and what stands beside here.
func TestSwitchesOfTheAxis(t *testing.T) {
	t.Parallel()
	p := open(t, "", fixture(t, "healthy"))
	p.Run(`window.li = n => [...document.querySelectorAll(".readout li")].find(l =>
		l.querySelector(".mean").textContent === n)`)
	block := eval[string](p, `li("Go heap, by pointer").querySelector("b").textContent`)
	p.Do(chromedp.Click(chromedp.CSS(".switches .per label:last-of-type")))
	if got := eval[string](p, `li("Go heap, by pointer").querySelector("b").textContent`); got == block {
		t.Errorf("per KiB the heap takes %s, as by block", got)
	}
	p.Check("no other machine yet", `document.querySelectorAll(".axis .line").length === 10 && !document.querySelector(".other")`)
	p.Run(`document.querySelector(".beside input").click()`)
	p.Check("its curves are thin, its figures beside", `document.querySelectorAll(".axis .line").length === 12 &&
		li("Go heap, by pointer").querySelector(".other").textContent.endsWith("Apple M1 Max")`)
	hash := eval[string](p, `location.hash`)
	q := open(t, hash, fixture(t, "healthy"))
	q.Check("the address shows the same: "+hash, `axisChoice.per === "KiB" && document.querySelectorAll(".axis .line").length === 12`)
}

// Ten machines: three at a time beside here, and the verdicts of the others are counted.
func TestTenMachines(t *testing.T) {
	t.Parallel()
	var answers []*result.Answer
	for range 10 {
		answers = append(answers, fixture(t, "healthy"))
		answers[len(answers)-1].Dir += fmt.Sprint(len(answers))
	}
	p := open(t, "", answers...)
	p.Check("one more row, of counts", `document.querySelectorAll("table.matrix tr").length === 2 &&
		[...document.querySelectorAll(".box.counted")].every(c => /^\d+ of \d+ hold/.test(c.title))`)
	p.Run(`document.querySelectorAll(".beside input").forEach(b => b.click())`)
	p.Check("three at a time", `axisChoice.beside.size === 3 && document.querySelectorAll(".beside input:disabled").length === 7`)
	p.Check("the first screen", `document.querySelector(".first").getBoundingClientRect().bottom <= 1000`)
	if s := eval[[]string](p, misfits); len(s) > 0 {
		t.Error(strings.Join(s, "\n"))
	}
}

// A cell of the matrix leads to its row, which the link opens; a filter leaves one kind and lists it.
func TestVerdictsLeadToTheirEvidence(t *testing.T) {
	t.Parallel()
	p := open(t, "", shipped(t))
	p.Run(`document.querySelector("table.matrix .box").focus()`)
	p.Check("the cell is read out", `document.querySelector(".told-verdict").textContent.includes(
		document.querySelector(".claims td.prose").firstChild.textContent)`)
	p.Do(chromedp.KeyEvent(kb.Enter), chromedp.Poll[chromedp.Void](`document.querySelector(".evidence").open &&
		document.querySelector("tr.named") !== null`))
	// Browsers scroll by whole pixels, and rows begin between them.
	p.Check("its row is shown", `(r => r.top > -1 && r.bottom <= innerHeight)(document.querySelector("tr.named").getBoundingClientRect())`)
	kind := eval[string](p, `[...document.querySelectorAll(".filter input")][1].value`)
	p.Run(`[...document.querySelectorAll(".filter input")][1].click()`)
	p.Check(kind+" are listed", fmt.Sprintf(`document.querySelectorAll(".remaining li").length ===
		document.querySelectorAll(".here .box.%s").length && document.querySelectorAll(".remaining li").length > 0`, kind))
	p.Check("the others are dim", fmt.Sprintf(
		`[...document.querySelectorAll("table.matrix .box")].every(c => (getComputedStyle(c).opacity === "1") === c.matches(".%s"))`, kind))
	q := open(t, "#study-0-c3", shipped(t))
	q.Check("an address opens what holds it", `document.querySelector(".evidence").open && openedStudies.has(0)`)
}

// What is missing is said where it would stand.
func TestStatesOfTheFront(t *testing.T) {
	t.Parallel()
	a := fixture(t, "healthy")
	for name, x := range map[string]struct {
		change func(f *answer.Front)
		check  string
	}{
		"no curve": {func(f *answer.Front) { f.Axis = nil }, `!document.querySelector(".axis, .readout") && !!document.querySelector(".trust")`},
		"curves without figures": {func(f *answer.Front) {
			for i := range f.Axis.Means {
				f.Axis.Means[i].Points = nil
			}
		}, `!document.querySelector(".axis svg") && !!document.querySelector("table.curves")`},
		"one point": {func(f *answer.Front) {
			f.Axis.Means = f.Axis.Means[:1]
			f.Axis.Means[0].Points = f.Axis.Means[0].Points[:1]
		},
			`document.querySelectorAll(".axis .figure > *").length === 1`},
		"far neighbours": {func(f *answer.Front) {
			m := &f.Axis.Means[0]
			m.Points = []answer.Point{m.Points[0], m.Points[1], m.Points[5], m.Points[15]}
			f.Axis.Means = f.Axis.Means[:1]
		}, `document.querySelectorAll(".axis .line").length === 1 && document.querySelectorAll(".axis .gap").length === 1`},
		"disturbed": {func(f *answer.Front) {
			f.Disturbed, f.Trust.Amber = "On a disturbed machine:", "Other programs ran in 40% of the rounds."
		},
			`document.querySelector(".front-answer").textContent.startsWith("On a disturbed machine:") &&
			document.querySelector(".trust").textContent.trim().startsWith("Other programs")`},
		"invalid": {func(f *answer.Front) { f.Studies[0].Tally.Invalid, f.Trust.Invalid = 2, 2 },
			`document.querySelector(".trust .chip").hash === "#study-0-validity" && document.querySelector(".tally .INVALID").textContent === "2 INVALID"`},
		"nothing decided": {func(f *answer.Front) {
			f.Advice, f.Failing, f.Tally = nil, nil, answer.Tally{}
			f.Answer = []answer.Sentence{{{Text: "This run decides nothing yet."}}}
		}, `!document.querySelector(".advice") && document.querySelector(".verdicts code").textContent === "memcost run --full"`},
		"no picture of a card": {func(f *answer.Front) { f.Studies[0].Key = -1 }, `!document.querySelector(".key-picture")`},
		"of another run":       {func(f *answer.Front) { f.Studies[0].Run = 7 }, `document.querySelectorAll("section.study").length === 1`},
	} {
		t.Run(name, func(t *testing.T) {
			f := frontOf(t, a)
			x.change(f)
			p := openHTML(t, "", fronted(t, f, a))
			p.Check("ready", `document.documentElement.dataset.ready === "true"`)
			p.Check("as it should be", x.check)
			for _, never := range []string{"NaN", "undefined", "Infinity", "[object"} {
				p.Check("not "+never, fmt.Sprintf(`!document.querySelector("main").textContent.includes(%q)`, never))
			}
		})
	}
}
