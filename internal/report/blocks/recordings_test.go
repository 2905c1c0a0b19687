package blocks

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"image/png"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"memcost/internal/measure/plan"
	"memcost/internal/report/result"
	"memcost/internal/testkit"
)

// recorded returns a run whose programs left a trace and two profiles: those that
// packages exectrace and profile keep of go1.27.4.
func recorded(t testing.TB) *result.Answer {
	t.Helper()
	x := &folder{cpu: "x", rounds: 9, studies: []madeStudy{plain(3)}, edit: func(q *plan.Question) {
		for _, name := range []string{"Traced-2", "Pointer-2", "Handover-2"} {
			word := "{cpuprofile}"
			if name == "Traced-2" {
				word = "{trace}"
			}
			q.Plan.Cases = append(q.Plan.Cases, plan.Case{Name: name, Base: strings.TrimSuffix(name, "-2"), Procs: 2,
				N: 1, Group: len(q.Plan.Cases), Program: "program", Args: []string{word}})
		}
	}}
	dir := filepath.Join(t.TempDir(), "run")
	x.write(t, dir)
	for file, from := range map[string]string{"traces/Traced-2-go1.26.8.trace": "exectrace/testdata/go1.27.4.trace.gz",
		"profiles/Pointer-2-go1.26.8.pprof":  "profile/testdata/go1.27.4-pointer.prof",
		"profiles/Handover-2-go1.26.8.pprof": "profile/testdata/go1.27.4-handover.prof"} {
		put(t, filepath.Join(dir, file), testkit.Captured(t, filepath.Join("..", "..", "gotool", from)))
	}
	a := read(t, dir)
	if n := len(a.Studies[0].Recordings); n != 3 {
		t.Fatalf("%d recordings: %v", n, a.Warnings)
	}
	return a
}

// frames are helpers for the flame graphs of the page; at is one by its name.
const frames = `
	const graphs = [...document.querySelectorAll("svg.flame")];
	const seen = (i = 0) => [...graphs[i].querySelectorAll(".flame-frame")].filter(g => getComputedStyle(g).display !== "none");
	const called = g => g.querySelector("title").textContent.split("\n")[0];
	const at = (s, i = 0) => seen(i).find(g => called(g).endsWith(s));
	const wide = g => Math.round(g.querySelector("rect").getBoundingClientRect().width);
	const told = (i = 0) => graphs[i].closest("figure").querySelector(".told").textContent;
	const full = g => Math.abs(wide(g) - g.closest("svg").getBoundingClientRect().width) <= 1;
`

func openRecorded(t *testing.T) *tab {
	p := open(t, "", recorded(t))
	p.openEvidence()
	p.Run(`document.querySelectorAll(".recording figure").forEach(drawNow)`)
	p.Do(chromedp.Evaluate[chromedp.Void](frames +
		`;Object.assign(window, {graphs, seen, called, at, wide, told, full}); document.querySelector("svg.flame").scrollIntoView(); 0`))
	return p
}

// A click on a function gives it the full width, and those that called it; the
// figures of it are told; the root and Escape show all again.
func TestFlameGraphEnlarges(t *testing.T) {
	t.Parallel()
	p := openRecorded(t)
	all := eval[int](p, `seen().length`)
	other := eval[string](p, `graphs[1].outerHTML`)
	p.Check("it starts whole", `graphs.length === 2 && full(seen()[0]) && !full(at("mallocgcSmallScanNoHeaderSC7"))`)
	click := func(name string) {
		p.Helper()
		p.Do(chromedp.Click(chromedp.JSPath(fmt.Sprintf(`at(%q)`, name))))
	}
	click("gccost.createPointer")
	p.Check("the function has the full width", `full(at("gccost.createPointer"))`)
	p.Check("so have those that called it", `["all", "runtime.main", "main.main"].every(s => full(at(s)))`)
	if n := eval[int](p, `seen().length`); n >= all || n < 5 {
		t.Errorf("%d of %d functions are left", n, all)
	}
	p.Check("what it called is wider than it was",
		`wide(at("runtime.mallocgcSmallScanNoHeaderSC7")) > 500 && graphs[0].textContent.includes("runtime.mallocgcSmallScanNoHeaderSC7")`)
	p.Check("nothing lies beside its caller",
		`seen().every(g => { const r = g.querySelector("rect"), x = Number(r.getAttribute("x")); return x >= -0.01 && x + Number(r.getAttribute("width")) <= graphs[0].viewBox.baseVal.width + 0.1 })`)
	p.Check("its figures are told",
		`/createPointer: cumulative [\d.]+ m?s, [\d.]+% of the total; self [\d.]+ [mn]?s, [\d.]+%$/.test(told())`)
	p.Check("the other graph is as it was", fmt.Sprintf(`graphs[1].outerHTML === %q`, other))
	click("all")
	p.Check("a click on the root shows all", fmt.Sprintf(`seen().length === %d`, all))
	click("runtime.main")
	click("gccost.createPointer")
	p.Do(chromedp.KeyEvent(kb.Escape))
	p.Check("Escape shows all", fmt.Sprintf(`seen().length === %d`, all))
	p.Check("the second graph is one, too",
		`told(1) !== told(0) && (graphs[1].querySelectorAll(".flame-frame")[3].dispatchEvent(new MouseEvent("click", {bubbles: true})), full(graphs[1].querySelectorAll(".flame-frame")[3]))`)
}

// A flame graph is one stop of the Tab key; arrows go from function to function.
func TestFlameGraphByKeyboard(t *testing.T) {
	p := openRecorded(t)
	p.Check("one stop each",
		`graphs.every(s => s.querySelectorAll("[tabindex='0']").length === 1 && !s.closest("div[tabindex]"))`)
	p.Do(chromedp.Evaluate[chromedp.Void](`seen()[0].focus()`))
	focus := func(what, js string) {
		p.Helper()
		p.Check(what, `(f => `+js+`)(document.activeElement)`)
		p.Check("its figures are told", `told().startsWith(called(document.activeElement) + ": cumulative ")`)
		p.Check("it is the stop",
			`document.activeElement.tabIndex === 0 && graphs[0].querySelectorAll("[tabindex='0']").length === 1`)
	}
	focus("the root", `called(f) === "all"`)
	p.Do(chromedp.KeyEvent(kb.ArrowUp))
	focus("up is the widest that it called", `called(f) === "runtime.main"`)
	p.Do(chromedp.KeyEvent(kb.ArrowRight))
	focus("right",
		`f.querySelector("rect").getBoundingClientRect().left >= at("runtime.main").querySelector("rect").getBoundingClientRect().right - 1`)
	p.Do(chromedp.KeyEvent(kb.ArrowLeft))
	focus("left is back", `called(f) === "runtime.main"`)
	p.Do(chromedp.KeyEvent(strings.Repeat(kb.ArrowLeft, 50)))
	focus("the first of the row", `called(f) !== "runtime.main"`)
	p.Check("the focus is seen", `getComputedStyle(document.activeElement).outlineStyle !== "none"`)
	p.Do(chromedp.KeyEvent(kb.Enter))
	focus("Enter enlarges", `full(f) && seen().every(g => called(g) !== "main.main")`)
	p.Do(chromedp.KeyEvent(kb.ArrowDown))
	focus("down is what called it", `called(f) === "all" && at("main.main") === undefined`)
	p.Do(chromedp.KeyEvent(" "))
	focus("Space on the root shows all", `called(f) === "all" && at("main.main") !== undefined`)
	p.Do(chromedp.KeyEvent(kb.Tab))
	p.Check("Tab leaves the graph", `!document.activeElement.closest("svg")`)
}

// At every width all can be read: letters are 11 pixels high at least.
func TestRecordingsCanBeRead(t *testing.T) {
	t.Parallel()
	p := openRecorded(t)
	p.Do(chromedp.Evaluate[chromedp.Void](axe(t)))
	for _, width := range widths {
		p.Size(width, 1000)
		p.Check("the graph follows the width",
			`new Promise(r => { const look = n => { const s = graphs[0], w = s.getBoundingClientRect().width; Math.abs(w - s.parentNode.clientWidth) <= 2 && Math.abs(w * 16 / Math.max(16, parseFloat(getComputedStyle(document.documentElement).fontSize)) - s.viewBox.baseVal.width) <= 2 ? r(true) : n > 300 ? r(false) : setTimeout(look, 8, n + 1) }; look(0) })`)
		p.Check("nothing sticks out of the page", `document.documentElement.scrollWidth <= innerWidth`)
		if small := eval[[]string](p,
			`[...document.querySelectorAll(".recording .drawing svg text")].filter(t => t.checkVisibility() && t.textContent).flatMap(t => {
			const size = parseFloat(getComputedStyle(t).fontSize) * t.getScreenCTM().a;
			return size < 10.99 ? [t.textContent + " " + size] : [];
		})`); len(small) > 0 {
			t.Errorf("%d px: too small: %v", width, small)
		}
		for _, theme := range []string{"light", "dark"} {
			p.Theme(theme)
			for _, v := range eval[[]string](p, violations) {
				t.Errorf("%d px, %s: %s", width, theme, v)
			}
		}
	}
	p.Size(400, 900)
	p.Check("the axes have names",
		`/^(0|[\d.]+ [KM]iB)+(0|[\d.]+ ms)+$/.test([...document.querySelectorAll(".gc-over text[text-anchor]")].map(t => t.textContent).join(""))`)
	p.Check("a tap near a bar tells it", `(() => {
		const svg = document.querySelector(".gc-over"), bar = svg.querySelector(".gc-stw-gc"), r = bar.getBoundingClientRect();
		svg.dispatchEvent(new MouseEvent("click", {clientX: r.left - 2, clientY: r.top - 4, bubbles: true}));
		return svg.closest("figure").querySelector(".told").textContent === bar.textContent;
	})()`)
	p.Theme("light")
	p.Do(chromedp.Click(chromedp.CSS("button.theme")))
	p.Check("the page's own theme is the recordings', too",
		`getComputedStyle(document.querySelector(".gc-over text")).fill === "rgb(231, 234, 238)" && getComputedStyle(document.querySelector(".flame text")).fill === "rgb(242, 242, 242)"`)
}

// The figures stand in the page, whether scripts run or not.
func TestRecordingsHaveTables(t *testing.T) {
	answer := recorded(t)
	p := openHTML(t, "", render(t, answer), chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled,
			emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	}))
	got := eval[[][][]string](p,
		`[...document.querySelectorAll(".recording details.figures table")].map(t => [...t.tBodies[0].rows].map(r => [...r.cells].map(c => c.textContent)))`)
	var want [][][]string
	for _, r := range answer.Studies[0].Recordings {
		_, tables := recording(r)
		for _, x := range tables {
			var rows [][]string
			for _, cells := range x.Rows {
				var row []string
				for _, c := range cells.Cells {
					row = append(row, c.String())
				}
				rows = append(rows, row)
			}
			want = append(want, rows)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || len(got) != 4 {
		t.Errorf("the tables are\n%q\nwant\n%q", got, want)
	}
	p.Check("no dead control is shown",
		`![...document.querySelectorAll(".recording button, .told, .flame-frame[tabindex]")].length`)
	p.Do(chromedp.Click(chromedp.CSS("details.evidence > summary")))
	p.Do(chromedp.Click(chromedp.CSS(".recording summary")))
	p.Check("the figures open", `document.querySelector(".recording table").checkVisibility()`)
	p.Media("print", "light")
	p.Check("on paper every table can be read",
		`[...document.querySelectorAll(".recording table")].every(t => t.getBoundingClientRect().height > 0)`)
}

// A recording can be saved as it is seen, and needs no style sheet then.
func TestRecordingsExport(t *testing.T) {
	t.Parallel()
	p := openRecorded(t)
	dir := t.TempDir()
	if _, err := chromedp.CallBrowser(p.Ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir}); err != nil {
		t.Fatal(err)
	}
	p.Do(chromedp.Click(chromedp.JSPath(`at("runtime.mallocgcSmallScanNoHeaderSC7")`)))
	for i, says := range map[int]string{0: "spinning", 1: "runtime.mallocgcSmallScanNoHeaderSC7</text>"} {
		figure := fmt.Sprintf(`[...document.querySelectorAll(".recording")].find(f => f.contains(%s))`,
			[]string{`document.querySelector(".gc-over")`, `graphs[0]`}[i])
		for b, ext := range []string{"svg", "png"} {
			p.Do(chromedp.Click(chromedp.JSPath(fmt.Sprintf(`%s.querySelectorAll(".export button")[%d]`, figure, b))))
			name, data := p.downloaded(dir)
			if filepath.Ext(name) != "."+ext || !strings.HasPrefix(name, "memcost-example.com-plain-") {
				t.Errorf("the file is called %s", name)
			}
			if ext == "png" {
				notBlank(t, name, data)
				img, err := png.Decode(bytes.NewReader(data))
				if err == nil && colours(img) < 20 {
					t.Errorf("%s has %d colours", name, colours(img))
				}
				continue
			}
			sentence := eval[string](p, figure+`.querySelector(".says").textContent`)
			text := string(data)
			if err := xml.Unmarshal(data, new(struct{})); err != nil || strings.Contains(text, "var(") ||
				strings.Contains(text, "light-dark") || strings.Contains(text, "class=") {
				t.Errorf("%s is not a picture by itself: %v", name, err)
			}
			for _, word := range []string{says, strings.Fields(sentence)[0], "memcost · "} {
				if !strings.Contains(text, word) {
					t.Errorf("%s does not say %q", name, word)
				}
			}
			if i == 1 && strings.Contains(text, "runtime.bgsweep") {
				t.Errorf("%s has functions that are not seen", name)
			}
		}
	}
}
