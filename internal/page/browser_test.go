package page

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

	"memcost/internal/result"
)

// patience is how long a browser may take over anything: a hang ends the test,
// slowness does not.
const patience = 3 * time.Minute

// chromium is one browser for all tests of the package.
var chromium struct {
	once  sync.Once
	ctx   context.Context
	stop  []func()
	blame string // why there is none
	err   error
}

func TestMain(m *testing.M) {
	m.Run()
	for i := len(chromium.stop) - 1; i >= 0; i-- {
		chromium.stop[i]()
	}
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

// tab is a page in the browser, and what the browser said against it.
type tab struct {
	testing.TB
	ctx context.Context
	url string

	mu       sync.Mutex
	said     []string
	expected func(string) bool // complaints that the test provokes
}

// open shows the page of some answers in a new tab of 1280 pixels, with a
// fragment. When the test ends, the browser must not have warned of anything nor
// asked for anything but the page itself.
func open(t testing.TB, fragment string, answers ...*result.Answer) *tab {
	t.Helper()
	return openHTML(t, fragment, render(t, answers...))
}

func openHTML(t testing.TB, fragment, html string, before ...chromedp.Action[chromedp.Void]) *tab {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	put(t, file, []byte(html))
	p := newTab(t, (&url.URL{Scheme: "file", Path: file}).String())
	p.size(1280, 900)
	p.media("", "light")
	p.do(before...)
	p.do(chromedp.Navigate(p.url + fragment))
	return p
}

func newTab(t testing.TB, address string) *tab {
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
	ctx, timeout := context.WithTimeout(ctx, patience)
	p := &tab{TB: t, ctx: ctx, url: address, expected: func(string) bool { return false }}
	t.Cleanup(func() {
		timeout()
		cancel()
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, s := range p.said {
			if !p.expected(s) {
				t.Errorf("the browser says: %s", s)
			}
		}
	})
	if err := chromedp.Listen(ctx, p.listen); err != nil {
		t.Fatalf("opening a tab: %v", err)
	}
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
		// What a page draws of its own data goes through data: and blob: addresses.
		if u := e.Request.URL; u != p.url && !strings.HasPrefix(u, "data:") && !strings.HasPrefix(u, "blob:") {
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

// check reports an expression of the page that is not true.
func (p *tab) check(what, js string) {
	p.Helper()
	if !eval[bool](p, js) {
		p.Errorf("%s: not so: %s", what, js)
	}
}

// size sets the window's size. Pictures follow it in their own time: see draw.
func (p *tab) size(width, height int64) {
	p.Helper()
	p.do(chromedp.EmulateViewport(width, height))
}

// theme returns what the reader's system prefers: light or dark.
func (p *tab) theme(name string) {
	p.Helper()
	p.media("", name)
}

// media returns what the page is shown on: "print", or "" for a screen. Readers who
// want no motion are asked for by every test: one clicks badly on what glides.
func (p *tab) media(media, theme string) {
	p.Helper()
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: media,
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme},
			{Name: "prefers-reduced-motion", Value: "reduce"}}}); err != nil {
		p.Fatal(err)
	}
}

// draw scrolls past every picture, as a reader does, until each is drawn as wide
// as its column, or says why not.
func (p *tab) draw() {
	p.Helper()
	if left := eval[[]string](p, `(async () => {
		const frame = () => new Promise(r => setTimeout(r, 8));
		const left = [];
		for (const f of document.querySelectorAll("figure.picture")) {
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
