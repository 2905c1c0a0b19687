package blocks

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"memcost/internal/report/answer"
	"memcost/internal/report/result"

	"github.com/chromedp/chromedp"
)

// TestScreenshots draws the README's pictures, the first screen on a light and a dark page: of the run folder that
// MEMCOST_RUN names, into the folder that MEMCOST_SCREENSHOTS names. It is
// scripts/screenshots.sh that asks for it.
func TestScreenshots(t *testing.T) {
	to, run := os.Getenv("MEMCOST_SCREENSHOTS"), os.Getenv("MEMCOST_RUN")
	if to == "" {
		t.Skip("MEMCOST_SCREENSHOTS names no folder: see make screenshots")
	}
	if run == "" {
		t.Fatal("MEMCOST_RUN names no run folder: see make screenshots")
	}
	const width, height = 1280, 900
	a := read(t, run)
	for _, theme := range []string{"light", "dark"} {
		name := "report-" + theme + ".png"
		p := openHTML(t, "", fronted(t, answer.Of([]*result.Answer{a}, answer.Options{Shipped: studies(t)}), a))
		p.Size(width, height)
		p.Theme(theme)
		p.Run(`document.documentElement.style.scrollbarWidth = "none"`)
		p.Check("the first screen", `!!document.querySelector(".axis svg")`)
		shot, err := chromedp.Run(p.Ctx, chromedp.CaptureScreenshot())
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(shot))
		if err != nil {
			t.Fatal(err)
		}
		if b := img.Bounds(); b.Dx() != width || b.Dy() != height {
			t.Errorf("%s has %d × %d pixels", name, b.Dx(), b.Dy())
		}
		const most = 400_000
		if len(shot) > most {
			t.Errorf("%s has %d bytes, at most %d are wanted", name, len(shot), most)
		}
		put(t, filepath.Join(to, name), shot)
	}
}
