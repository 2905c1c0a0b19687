package page

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestScreenshots draws the README's pictures: of the run folder that
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
	const width, height = 1280, 1400
	for _, x := range []struct {
		name, theme string
		at          string // where the picture begins
	}{
		{"report-light.png", "light", `document.documentElement`},
		{"report-dark.png", "dark", `document.querySelector("section.study")`},
	} {
		p := open(t, "", read(t, run))
		p.Size(width, height)
		p.Theme(x.theme)
		p.draw()
		p.Do(chromedp.Evaluate[chromedp.Void](`document.documentElement.style.scrollbarWidth = "none"; ` + x.at +
			`.scrollIntoView({behavior: "instant"})`))
		shot, err := chromedp.Run(p.Ctx, chromedp.CaptureScreenshot())
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(shot))
		if err != nil {
			t.Fatal(err)
		}
		if b := img.Bounds(); b.Dx() != width || b.Dy() != height {
			t.Errorf("%s has %d × %d pixels", x.name, b.Dx(), b.Dy())
		}
		const most = 400_000
		if len(shot) > most {
			t.Errorf("%s has %d bytes, at most %d are wanted", x.name, len(shot), most)
		}
		put(t, filepath.Join(to, x.name), shot)
	}
}
