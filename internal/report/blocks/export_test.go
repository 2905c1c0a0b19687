package blocks

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memcost/internal/show/pagetest"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// Each kind of picture can be saved, as SVG and as PNG. A browser gives a page
// ten files and then asks its reader, so the kinds share two pages.
func TestExport(t *testing.T) {
	t.Parallel()
	answer := shipped(t)
	for _, kinds := range [][]string{{"curve", "forest", "dots"}, {"timeline", "strips", "narrowing"}} {
		p := open(t, "", answer)
		p.draw()
		dir := t.TempDir()
		if _, err := chromedp.CallBrowser(p.Ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
			Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir}); err != nil {
			t.Fatal(err)
		}
		for _, kind := range kinds {
			t.Run(kind, func(t *testing.T) { p.exports(t, kind, dir) })
		}
	}
}

func (p *tab) exports(t *testing.T, kind, dir string) {
	id := eval[string](p, fmt.Sprintf(`data.pictures.find(p => p.kind === %q)?.id ?? ""`, kind))
	if id == "" {
		t.Fatalf("the page has no picture of kind %s", kind)
	}
	sentence := eval[string](p, fmt.Sprintf(`data.pictures.find(p => p.id === %q).sentence`, id))
	p.Run(fmt.Sprintf(`document.querySelector("#%s details.figures").open = true`, id))
	for _, ext := range []string{"svg", "png"} {
		p.Do(chromedp.Click(
			chromedp.JSPath(
				fmt.Sprintf(`[...document.querySelectorAll("#%s .export button")].find(b => b.textContent === %q)`, id,
					strings.ToUpper(ext)))))
		name, data := p.downloaded(dir)
		if filepath.Ext(name) != "."+ext || !strings.HasPrefix(name, "memcost-stackheap-") {
			t.Errorf("the file is called %s", name)
		}
		if ext == "svg" {
			standalone(t, kind, data, sentence)
		} else {
			notBlank(t, kind, data)
		}
	}
}

// downloaded waits for a file in the folder and takes it out.
func (p *tab) downloaded(dir string) (string, []byte) {
	p.Helper()
	for end := time.Now().Add(pagetest.Patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		files, err := os.ReadDir(dir)
		if err != nil {
			p.Fatal(err)
		}
		for _, f := range files {
			if ext := filepath.Ext(f.Name()); ext != ".svg" && ext != ".png" {
				continue // still being written
			}
			file := filepath.Join(dir, f.Name())
			data, err := os.ReadFile(file)
			if err != nil || len(data) == 0 || !whole(data) {
				continue
			}
			if err := os.Remove(file); err != nil {
				p.Fatal(err)
			}
			return f.Name(), data
		}
	}
	left, _ := os.ReadDir(dir)
	p.Fatalf("no file came in %v; the folder holds %v", pagetest.Patience, left)
	return "", nil
}

func whole(data []byte) bool {
	return bytes.HasSuffix(data, []byte("</svg>")) || bytes.Contains(data[max(0, len(data)-16):], []byte("IEND"))
}

// standalone checks that an SVG is one that any program reads, and says what it
// shows.
func standalone(t *testing.T, kind string, data []byte, sentence string) {
	t.Helper()
	d, marks, text := xml.NewDecoder(bytes.NewReader(data)), 0, ""
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Errorf("%s: the SVG does not parse: %v", kind, err)
			return
		}
		switch x := token.(type) {
		case xml.StartElement:
			if n := x.Name.Local; n == "circle" || n == "path" {
				marks++
			}
			for _, a := range x.Attr {
				if a.Name.Local == "href" || strings.Contains(a.Value, "var(") {
					t.Errorf("%s: the SVG rests on something outside it: %s=%q", kind, a.Name.Local, a.Value)
				}
			}
		case xml.CharData:
			text += string(x) + " "
		}
	}
	if marks < 2 {
		t.Errorf("%s: the SVG has %d marks", kind, marks)
	}
	said := strings.Join(strings.Fields(text), " ")
	for _, word := range strings.Fields(sentence)[:3] {
		if !strings.Contains(said, word) {
			t.Errorf("%s: the SVG does not say %q: %.200s", kind, word, said)
		}
	}
	if !strings.Contains(said, "memcost") {
		t.Errorf("%s: the SVG does not say where it comes from", kind)
	}
}

func notBlank(t *testing.T, kind string, data []byte) {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Errorf("%s: the PNG does not decode: %v", kind, err)
		return
	}
	if n := colours(img); n < 5 || img.Bounds().Dx() < 500 {
		t.Errorf("%s: the PNG of %v has %d colours", kind, img.Bounds(), n)
	}
}

func colours(img image.Image) int {
	seen := map[[4]uint32]bool{}
	for b, y := img.Bounds(), img.Bounds().Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, b, a := img.At(x, y).RGBA()
			seen[[4]uint32{r, g, b, a}] = true
		}
	}
	return len(seen)
}

// On paper nothing can be opened: what is open on the screen is shown whole, and what is closed is
// left out.
func TestPrint(t *testing.T) {
	t.Parallel()
	p := open(t, "", fixture(t, "healthy"))
	closed, err := chromedp.Run(p.Ctx, chromedp.PrintToPDF())
	if err != nil {
		t.Fatal(err)
	}
	p.Run(`document.querySelector("details.evidence").open = true`)
	pdf, err := chromedp.Run(p.Ctx, chromedp.PrintToPDF(chromedp.PDFPrintBackground()))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(pdf, []byte("%PDF-")) || len(pdf) < 20_000 || len(closed) >= len(pdf) {
		t.Errorf("a PDF of %d bytes, and of %d with the evidence closed", len(pdf), len(closed))
	}
	p.Check("every picture is drawn",
		`[...document.querySelectorAll("figure.picture")].every(f => !(f.dataset.kind in studyKinds) || f.querySelector("svg[role=img]"))`)
	p.Media("print", "light")
	p.Check("every table can be read",
		`[...document.querySelectorAll("main table")].every(t => t.getBoundingClientRect().height > 0)`)
	p.Check("no control is printed",
		`![...document.querySelectorAll(".controls, .export, .theme, .skip")].some(e => e.checkVisibility())`)
	p.Media("", "light")
	p.Check("after printing the page is as before", `!document.querySelector("details[open]:not(.evidence)")`)
}

// Without scripts every figure is there all the same.
func TestWithoutScripts(t *testing.T) {
	answer := fixture(t, "healthy")
	with := open(t, "", answer)
	tables := `[...document.querySelectorAll("table")].filter(t => !t.closest(".drawing")).map(t => [...t.rows].map(r => [...r.cells].map(c => c.textContent.trim()).join("\t")).join("\n"))`
	want := eval[[]string](with, tables)

	p := openHTML(t, "", render(t, answer), chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled,
			emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	}))
	p.Check("no script ran",
		`document.documentElement.dataset.ready === undefined && !document.querySelector(".drawing svg")`)
	if got := eval[[]string](p, tables); strings.Join(got, "\n\n") != strings.Join(want, "\n\n") || len(got) < 6 {
		t.Errorf("the tables differ: %d without scripts, %d with", len(got), len(want))
	}
	p.Check("no dead control is shown",
		`![...document.querySelectorAll("form, button")].some(e => e.checkVisibility())`)
	p.Do(chromedp.Click(chromedp.CSS("figure.picture summary")))
	p.Check("the figures open",
		`document.querySelector("figure.picture table").checkVisibility() && document.querySelector("figure.picture tbody td").textContent !== ""`)
	p.Media("print", "light")
	p.Check("on paper every table before the evidence can be read",
		`[...document.querySelectorAll("main table")].filter(t => !t.closest(".evidence, .end")).every(t => t.getBoundingClientRect().height > 0)`)
}
