package diffpage

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is how long a browser may take over a test: a hang ends it, slowness does not.
const patience = 3 * time.Minute

// tab is a page in a browser, and what the browser said against it.
type tab struct {
	testing.TB
	ctx context.Context
	url string

	mu   sync.Mutex
	said []string
}

// open shows a page in a browser. When the test ends, the browser must not have warned of
// anything, nor asked for anything but the page itself.
func open(t testing.TB, html string) *tab {
	t.Helper()
	var browser string
	for _, name := range []string{"chromium", "google-chrome", "chromium-browser"} {
		if p, err := exec.LookPath(name); err == nil {
			browser = p
			break
		}
	}
	if browser == "" {
		const says = "neither chromium nor google-chrome is on PATH: scripts/setup.sh test installs one"
		if os.Getenv("MEMCOST_NEED_BROWSER") == "1" {
			t.Fatal("MEMCOST_NEED_BROWSER is set, and " + says)
		}
		t.Skip(says)
	}
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(html), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, timeout := context.WithTimeout(context.Background(), patience)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	ctx, stop := chromedp.NewExecAllocator(ctx, options...)
	ctx, closeTab := chromedp.NewContext(ctx)
	p := &tab{TB: t, ctx: ctx, url: (&url.URL{Scheme: "file", Path: file}).String()}
	t.Cleanup(func() {
		closeTab()
		stop()
		timeout()
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, s := range p.said {
			t.Errorf("the browser says: %s", s)
		}
	})
	if err := chromedp.Listen(ctx, p.listen); err != nil {
		t.Fatalf("starting the browser: %v", err)
	}
	p.look(1280, 900, "light")
	if _, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled,
		emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.Navigate(p.url))
	p.check("the scripts run", `document.documentElement.dataset.ready === "true"`)
	return p
}

func (p *tab) listen(event any) {
	var s string
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		if k := string(e.Type); k == "warning" || k == "error" || k == "assert" {
			s = "console." + k
			for _, a := range e.Args {
				s += " " + string(a.Value) + a.Description
			}
		}
	case *runtime.EventExceptionThrown:
		s = "exception: " + e.ExceptionDetails.Text
		if x := e.ExceptionDetails.Exception; x != nil {
			s += " " + x.Description
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelWarning || e.Entry.Level == log.EntryLevelError {
			s = fmt.Sprintf("%s: %s", e.Entry.Level, e.Entry.Text)
		}
	case *network.EventRequestWillBeSent:
		if e.Request.URL != p.url {
			s = "request of " + e.Request.URL
		}
	}
	if s != "" {
		p.mu.Lock()
		p.said = append(p.said, s)
		p.mu.Unlock()
	}
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.Fatal(err)
	}
}

// eval evaluates an expression in the page; a promise is awaited.
func eval[T any](p *tab, js string) T {
	p.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		p.Fatalf("%v, in: %.200s", err, js)
	}
	return v
}

// run evaluates an expression whose value is of no interest.
func (p *tab) run(js string) {
	p.Helper()
	eval[bool](p, "("+js+", true)")
}

// check reports an expression of the page that is not true.
func (p *tab) check(what, js string) {
	p.Helper()
	if !eval[bool](p, js) {
		p.Errorf("%s: not so: %s", what, js)
	}
}

// look sets the window's size, and whether the reader's system is light or dark.
func (p *tab) look(width, height int64, theme string) {
	p.Helper()
	p.do(chromedp.EmulateViewport(width, height))
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme},
			{Name: "prefers-reduced-motion", Value: "reduce"}}}); err != nil {
		p.Fatal(err)
	}
}

// picture writes a picture of the window into the folder that MEMCOST_SCREENSHOTS names, if it
// names one.
func (p *tab) picture(name string) {
	p.Helper()
	dir := os.Getenv("MEMCOST_SCREENSHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".png"), png, 0o644); err != nil {
		p.Fatal(err)
	}
}
