package blocks

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// state is what the choices of the first study left of its pictures.
type state struct {
	Dots    map[string]int // by picture; −1 where it says that there is nothing to draw
	Ticks   string         // of the first picture's axes
	Hash    string
	Checked []bool
	Selects string
}

func (p *tab) state() state {
	p.Helper()
	return eval[state](p, `(() => {
		const s = document.querySelector("section.study"), dots = {};
		for (const f of s.querySelectorAll("figure.picture"))
			if (read(f).sets)
				dots[f.id] = f.querySelector(".drawing > .note") ? -1 : f.querySelectorAll(".drawing .figure circle, .drawing .figure path").length;
		const ticks = [...s.querySelectorAll("figure.picture")].filter(f => read(f).kind === "curve")[0];
		return {
			dots,
			ticks: ticks ? [...ticks.querySelectorAll("[aria-label$='tick label'] text")].map(t => t.textContent).join(" ") : "",
			hash: location.hash,
			checked: [...s.querySelectorAll(".controls input")].map(b => b.checked),
			selects: [...s.querySelectorAll(".controls select")].map(b => b.value).join(" "),
		};
	})()`)
}

// toggle clicks the checkbox with a label, of the first study.
func (p *tab) toggle(label string) {
	p.Helper()
	p.Do(chromedp.Click(chromedp.JSPath(fmt.Sprintf(
		`[...document.querySelectorAll("section.study .controls label")].find(l => l.textContent === %q)`, label))))
}

// choose picks a value in one of the selections of the first study.
func (p *tab) choose(choice, value string) {
	p.Helper()
	p.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(
		`{const s = document.querySelector("section.study .controls select[data-choice=%s]"); s.value = %q; s.dispatchEvent(new Event("change"))}`, choice, value)))
}

func (p *tab) reset() {
	p.Helper()
	p.Do(chromedp.Click(
		chromedp.JSPath(
			`[...document.querySelectorAll("section.study .controls button")].find(b => b.textContent === "Reset")`)))
}

func fewer(t *testing.T, what string, before, after map[string]int) {
	t.Helper()
	some := false
	for id, n := range before {
		some = some || after[id] < n
		if after[id] > n {
			t.Errorf("%s: %s has %d dots, before %d", what, id, after[id], n)
		}
	}
	if !some {
		t.Errorf("%s: no picture lost a dot: %v", what, after)
	}
}

func same(t *testing.T, what string, a, b state) {
	t.Helper()
	if fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("%s:\n%+v\nbut:\n%+v", what, a, b)
	}
}

func TestChoicesActAndAreKept(t *testing.T) {
	t.Parallel()
	answer := shipped(t)
	p := open(t, "", answer)
	p.draw()
	whole := p.state()
	if len(whole.Checked) != 3 || whole.Hash != "" || whole.Ticks == "" {
		t.Fatalf("not the state of a new page: %+v", whole)
	}

	p.toggle("Raspberry Pi 4, published")
	less := p.state()
	fewer(t, "without a machine", whole.Dots, less.Dots)
	p.Check("none of its dots is left",
		`[...document.querySelectorAll("section.study .key")].every(k => !k.textContent.includes("Raspberry"))`)
	if got := hash(t, less)["stackheap.off"]; len(got) != 1 || got[0] != "machine:Raspberry Pi 4, published" {
		t.Errorf("the fragment holds %q", less.Hash)
	}

	p.choose("from", "4096")
	p.choose("to", "65536")
	range_ := p.state()
	fewer(t, "a range of sizes", less.Dots, range_.Dots)
	p.choose("y", "linear")
	linear := p.state()
	if linear.Ticks == range_.Ticks {
		t.Errorf("the y axis did not change: %s", linear.Ticks)
	}
	p.choose("x", "linear")
	all := p.state()
	for key, want := range map[string]string{"from": "4096", "to": "65536", "x": "linear", "y": "linear"} {
		if got := hash(t, all)["stackheap."+key]; len(got) != 1 || got[0] != want {
			t.Errorf("%s: the fragment holds %q", key, all.Hash)
		}
	}

	// Whoever gets the address sees the same, in a window of their own.
	q := open(t, all.Hash, answer)
	q.draw()
	same(t, "the address shows the same", q.state(), all)

	p.reset()
	same(t, "Reset undoes everything", p.state(), whole)
	q.reset()
	same(t, "so it does there", q.state(), whole)

	// The address may also change under a page that is open.
	p.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("location.hash = %q", all.Hash)))
	p.Do(chromedp.Poll[chromedp.Void](`document.querySelector("[data-choice=from]").value === "4096"`))
	same(t, "a new fragment acts", p.state(), all)
}

func hash(t *testing.T, s state) url.Values {
	t.Helper()
	v, err := url.ParseQuery(strings.TrimPrefix(s.Hash, "#"))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// With nothing chosen a picture says so, and comes back.
func TestNothingChosen(t *testing.T) {
	answer := shipped(t)
	q := url.Values{"stackheap.off": {"machine:Fixture 9000", "machine:Apple M1 Max, published",
		"machine:Raspberry Pi 4, published"}}
	p := open(t, "#"+q.Encode(), answer)
	p.draw()
	for id, n := range p.state().Dots {
		if n != -1 {
			t.Errorf("%s has %d dots, and everything is switched off", id, n)
		}
	}
	p.reset()
	for id, n := range p.state().Dots {
		if n <= 0 {
			t.Errorf("%s does not come back after Reset: %d", id, n)
		}
	}
}

// An address can be mistyped, or of another page.
func TestStrangeFragments(t *testing.T) {
	t.Parallel()
	answer := fixture(t, "healthy")
	p := open(t, "", answer)
	p.draw()
	whole := p.state()
	for _, fragment := range []string{"#study-0", "#nowhere", "#%",
		"#smaug.from=abc&smaug.x=cubic&theme=pink&other.off=machine:X", "#smaug.off=%3Cimg%20src%3Dx%3E",
		"#=&=&smaug.to="} {
		q := open(t, fragment, answer)
		q.draw()
		got := q.state()
		got.Hash, whole.Hash = "", ""
		same(t, fragment+" changes nothing", got, whole)
	}
}

// The theme is the system's until the reader chooses, and then the address's.
func TestTheme(t *testing.T) {
	background := `getComputedStyle(document.documentElement).backgroundColor`
	answer := fixture(t, "healthy")
	p := open(t, "", answer)
	p.Theme("light")
	light := eval[string](p, background)
	p.Theme("dark")
	dark := eval[string](p, background)
	if light == dark {
		t.Fatalf("both themes have the background %s", light)
	}
	p.Do(chromedp.Click(chromedp.CSS("button.theme")))
	if got := eval[string](p, background); got != light {
		t.Errorf("in a dark system the button gives %s, not %s", got, light)
	}
	p.Check("the address holds it", `location.hash === "#theme=light"`)
	p.draw()
	p.Check("the pictures follow",
		`document.querySelector(".drawing svg[role=img]").style.color === "rgb(27, 31, 36)" || getComputedStyle(document.querySelector(".drawing svg[role=img]")).color === "rgb(27, 31, 36)"`)
	q := open(t, "#theme=dark", answer)
	q.Theme("light")
	if got := eval[string](q, background); got != dark {
		t.Errorf("in a light system #theme=dark gives %s, not %s", got, dark)
	}
}
