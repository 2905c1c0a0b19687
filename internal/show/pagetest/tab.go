// Package pagetest is what tests do with a page of memcost: they open it in a browser, look at
// what the browser says against it, and put hostile words on it. Only tests import it.
package pagetest

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
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Patience is how long a browser may take over anything: a hang ends the test,
// slowness does not.
const Patience = 3 * time.Minute

// chromium is one browser for all tests of the package.
var chromium struct {
	once  sync.Once
	ctx   context.Context
	stop  []func()
	blame string // why there is none
	err   error
}

// Main runs the tests of a package, and ends the browser: TestMain calls it.
func Main(m *testing.M) int {
	status := m.Run()
	for i := len(chromium.stop) - 1; i >= 0; i-- {
		chromium.stop[i]()
	}
	return status
}

func startBrowser() {
	var path string
	for _, name := range []string{"chromium", "google-chrome", "chromium-browser"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		chromium.blame = "neither chromium nor google-chrome is on PATH: scripts/setup.sh test installs one"
		return
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	alloc, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(alloc)
	chromium.ctx, chromium.stop = ctx, []func(){stop, cancel}
	chromium.err = chromedp.Do(ctx)
}

// A Tab is a page in the browser, and what the browser said against it.
type Tab struct {
	testing.TB
	Ctx context.Context // of the tab
	url string

	mu      sync.Mutex
	said    []string
	ownData bool // see Page
}

// A Page is what is opened.
type Page struct {
	HTML     string
	Fragment string // of the address: "#site"
	// OwnData says that addresses which hold their data (data:, blob:) are no requests.
	OwnData bool
	Focus   bool                             // the window has the focus, as keys need it
	Before  []chromedp.Action[chromedp.Void] // before the page is loaded
}

// Open shows a page in a new tab of 1280 pixels. When the test ends, the browser must not have
// warned of anything, nor asked for anything but the page itself.
func Open(t testing.TB, x Page) *Tab {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(x.HTML), 0o666); err != nil {
		t.Fatal(err)
	}
	p := newTab(t, (&url.URL{Scheme: "file", Path: file}).String(), x.OwnData)
	p.Size(1280, 900)
	p.Media("", "light")
	if x.Focus {
		if _, err := chromedp.Call(p.Ctx, emulation.SetFocusEmulationEnabled,
			emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
			t.Fatal(err)
		}
	}
	p.Do(x.Before...)
	p.Do(chromedp.Navigate(p.url + x.Fragment))
	return p
}

func newTab(t testing.TB, address string, ownData bool) *Tab {
	t.Helper()
	chromium.once.Do(startBrowser)
	if chromium.blame != "" {
		if os.Getenv("MEMCOST_NEED_BROWSER") == "1" {
			t.Fatalf("MEMCOST_NEED_BROWSER is set, and %s", chromium.blame)
		}
		t.Skip(chromium.blame)
	}
	if chromium.err != nil {
		t.Fatalf("starting the browser: %v", chromium.err)
	}
	ctx, cancel := chromedp.NewContext(chromium.ctx)
	ctx, timeout := context.WithTimeout(ctx, Patience)
	p := &Tab{TB: t, Ctx: ctx, url: address, ownData: ownData}
	t.Cleanup(func() {
		timeout()
		cancel()
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, s := range p.said {
			t.Errorf("the browser says: %s", s)
		}
	})
	if err := chromedp.Listen(ctx, p.listen); err != nil {
		t.Fatalf("opening a tab: %v", err)
	}
	return p
}

func (p *Tab) listen(event any) {
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
		u := e.Request.URL
		own := p.ownData && (strings.HasPrefix(u, "data:") || strings.HasPrefix(u, "blob:"))
		if u != p.url && !own {
			s = "request of " + u
		}
	case *network.EventWebSocketCreated:
		s = "web socket to " + e.URL
	case *page.EventJavascriptDialogOpening:
		s = "dialog: " + e.Message
	}
	if s != "" {
		p.mu.Lock()
		p.said = append(p.said, s)
		p.mu.Unlock()
	}
}

// Do takes steps in the tab.
func (p *Tab) Do(steps ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	if err := chromedp.Do(p.Ctx, steps...); err != nil {
		p.Fatal(err)
	}
}

// Eval evaluates an expression in the page; a promise is awaited.
func Eval[T any](p *Tab, js string) T {
	p.Helper()
	v, err := chromedp.Run(p.Ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		p.Fatalf("%v, in: %.200s", err, js)
	}
	return v
}

// Check reports an expression of the page that is not true.
func (p *Tab) Check(what, js string) {
	p.Helper()
	if !Eval[bool](p, js) {
		p.Errorf("%s: not so: %s", what, js)
	}
}

// Size sets the window's size. Pictures follow it in their own time: see draw.
func (p *Tab) Size(width, height int64) {
	p.Helper()
	p.Do(chromedp.EmulateViewport(width, height))
}

// Theme returns what the reader's system prefers: light or dark.
func (p *Tab) Theme(name string) {
	p.Helper()
	p.Media("", name)
}

// Media returns what the page is shown on: "print", or "" for a screen. Readers who
// want no motion are asked for by every test: one clicks badly on what glides.
func (p *Tab) Media(media, theme string) {
	p.Helper()
	if _, err := chromedp.Call(p.Ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: media,
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme},
			{Name: "prefers-reduced-motion", Value: "reduce"}}}); err != nil {
		p.Fatal(err)
	}
}

// Run evaluates an expression whose value is of no interest.
func (p *Tab) Run(js string) {
	p.Helper()
	Eval[bool](p, "("+js+", true)")
}

// Picture writes a picture of the window into the folder that MEMCOST_SCREENSHOTS names, if it
// names one.
func (p *Tab) Picture(name string) {
	p.Helper()
	dir := os.Getenv("MEMCOST_SCREENSHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(p.Ctx, chromedp.FullScreenshot(100))
	if err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".png"), png, 0o644); err != nil {
		p.Fatal(err)
	}
}
