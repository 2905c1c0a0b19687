package profile

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/pprof/profile"
)

// drawn is a flame graph as XML has it.
type drawn struct {
	Label  string `xml:"aria-label,attr"`
	Width  int    `xml:"width,attr"`
	Height int    `xml:"height,attr"`
	Groups []struct {
		Class string `xml:"class,attr"`
		Title string `xml:"title"`
		Rect  struct {
			X      float64 `xml:"x,attr"`
			Y      float64 `xml:"y,attr"`
			Width  float64 `xml:"width,attr"`
			Height float64 `xml:"height,attr"`
		} `xml:"rect"`
		Text string `xml:"text"`
	} `xml:"g"`
	Note  string `xml:"text"`
	Style string `xml:"style"`
}

func draw(t *testing.T, p *Profile, o Options) (drawn, string) {
	t.Helper()
	var out bytes.Buffer
	if err := p.SVG(&out, o); err != nil {
		t.Fatal(err)
	}
	var d drawn
	if err := xml.Unmarshal(out.Bytes(), &d); err != nil {
		t.Fatalf("not XML: %v\n%s", err, &out)
	}
	return d, out.String()
}

// Every function lies within the one that called it, above it, and as wide as its
// share; labels fit; nothing needs a script or a colour of its own.
func TestSVG(t *testing.T) {
	for _, path := range captured(t) {
		p := read(t, path)
		d, text := draw(t, p, Options{Width: 800, Label: `a "graph"`})
		if d.Label != `a "graph"` || d.Width != 800 {
			t.Errorf("%s: labelled %q, %d wide", path, d.Label, d.Width)
		}
		for _, word := range []string{"<script", "fill=", "style=", "href"} {
			if strings.Contains(text, word) {
				t.Errorf("%s: holds %s", path, word)
			}
		}
		root := d.Groups[0]
		if root.Rect.Width != 800 || root.Class != "flame-frame flame-root" || !strings.HasPrefix(root.Title, "all\n") {
			t.Errorf("%s: the root is %+v", path, root)
		}
		leaves := 0.0
		for i, g := range d.Groups {
			if max := g.Rect.Width / charWidth; float64(utf8.RuneCountInString(g.Text)) > max {
				t.Errorf("%s: %q on %g pixels", path, g.Text, g.Rect.Width)
			}
			if i == 0 {
				continue
			}
			below := false
			for _, b := range d.Groups[:i] { // the children of one function follow it
				below = below || b.Rect.Y == g.Rect.Y+rowHeight && b.Rect.X <= g.Rect.X+0.11 && b.Rect.X+b.Rect.Width >= g.Rect.X+g.Rect.Width-0.21
			}
			if !below {
				t.Errorf("%s: %q stands on nothing", path, g.Title)
			}
			if g.Rect.Y == root.Rect.Y-rowHeight {
				leaves += g.Rect.Width
			}
		}
		if math.Abs(leaves-800) > 1 && d.Note == "" {
			t.Errorf("%s: what lies on the root is %g wide", path, leaves)
		}
	}
}

// The widths are those of Top's Cum where a function has one place on the graph.
func TestWidths(t *testing.T) {
	p := read(t, "testdata/go1.27.4-pointer.prof")
	d, _ := draw(t, p, Options{Width: 1000})
	found := false
	for _, f := range p.Top(-1) {
		for _, g := range d.Groups {
			if f.Name == "memcost/study/gccost.Pointers" && strings.HasPrefix(g.Title, f.Name+"\n") {
				found = true
				if want := 1000 * float64(f.Cum) / float64(p.Total); math.Abs(g.Rect.Width-want) > 0.06 || g.Text != "gccost.Pointers" || g.Class != "flame-frame flame-user" {
					t.Errorf("%s is %+v, want it %.1f wide", f.Name, g, want)
				}
			}
		}
	}
	if !found {
		t.Error("Pointers is not drawn")
	}
}

// planted is a profile of one sample for each stack, leaf first.
func planted(stacks map[string]int64) *profile.Profile {
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}}}
	for names, v := range stacks {
		s := &profile.Sample{Value: []int64{1, v}}
		for _, name := range strings.Split(names, ";") {
			f := &profile.Function{ID: uint64(len(p.Function) + 1), Name: name}
			l := &profile.Location{ID: uint64(len(p.Location) + 1), Line: []profile.Line{{Function: f}}}
			p.Function, p.Location = append(p.Function, f), append(p.Location, l)
			s.Location = append(s.Location, l)
		}
		p.Sample = append(p.Sample, s)
	}
	return p
}

func plant(t *testing.T, stacks map[string]int64) *Profile {
	t.Helper()
	var b bytes.Buffer
	if err := planted(stacks).Write(&b); err != nil {
		t.Fatal(err)
	}
	p, err := Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestHostileNames(t *testing.T) {
	names := []string{`</title><script>alert(1)</script>`, `"onload="x`, "]]>", "a&b<c", "\x00\x1b[31m", "\xff\xfe", strings.Repeat("ü", 500), "(*[/..", ""}
	stacks := map[string]int64{}
	for i, name := range names {
		stacks[name+";main.main"] = int64(i + 100)
	}
	d, text := draw(t, plant(t, stacks), Options{Label: `"><script>`})
	if strings.Contains(text, "<script") || len(d.Groups) != len(names)+2 {
		t.Errorf("%d functions drawn, want %d:\n%s", len(d.Groups), len(names)+2, text)
	}
}

func TestMinShare(t *testing.T) {
	p := plant(t, map[string]int64{"big;main.main": 900, "small;main.main": 60, "least;less;main.main": 40})
	for share, want := range map[float64]int{0: 6, 0.05: 4, 0.1: 3} {
		d, _ := draw(t, p, Options{MinShare: share})
		if len(d.Groups) != want || (share > 0) != strings.Contains(d.Note, strconv.Itoa(5-want)+" functions with less") && share > 0 {
			t.Errorf("at least %g: %d functions drawn, want %d; %q", share, len(d.Groups), want, d.Note)
		}
	}
}

// A stack may be deeper than anyone draws.
func TestDeep(t *testing.T) {
	p := plant(t, map[string]int64{strings.Repeat("deep;", 5000) + "main.main": 10})
	d, _ := draw(t, p, Options{})
	if len(d.Groups) != maxDepth+1 || d.Height != (maxDepth+2)*rowHeight {
		t.Errorf("%d functions on %d pixels", len(d.Groups), d.Height)
	}
	if top := p.Top(1)[0]; top.Cum != 10 || top.Flat != 10 {
		t.Errorf("a function that calls itself 5000 times has %+v", top)
	}
}

func TestStyle(t *testing.T) {
	p := plant(t, map[string]int64{"main.main": 1})
	if d, _ := draw(t, p, Options{Style: true}); !strings.Contains(d.Style, "color-scheme:light dark") {
		t.Errorf("the style is %q", d.Style)
	}
	for _, c := range Categories {
		if strings.Count(CSS, ".flame-"+string(c)+" rect{fill:light-dark(#") != 1 {
			t.Errorf("no colour for %s, light and dark", c)
		}
	}
}

func TestSVGRefuses(t *testing.T) {
	p := plant(t, map[string]int64{"main.main": 1})
	for _, o := range []Options{{Width: 3}, {Width: -1}, {MinShare: 1}, {MinShare: math.NaN()}} {
		if err := p.SVG(io.Discard, o); err == nil {
			t.Errorf("%+v is drawn", o)
		}
	}
	if err := p.SVG(full{}, Options{}); !errors.Is(err, errFull) {
		t.Errorf("on a full disk: %v", err)
	}
}

var errFull = errors.New("no space left on device")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// The colours are those of Shares: what the functions of a category have in
// themselves is the category's share.
func TestColours(t *testing.T) {
	for _, path := range captured(t) {
		p, sums := read(t, path), map[Category]int64{}
		var walk func(*node)
		walk = func(n *node) {
			sums[n.category] += n.flat
			for _, c := range n.children {
				walk(c)
			}
		}
		walk(p.tree())
		for _, s := range p.Shares() {
			if sums[s.Category] != s.Value {
				t.Errorf("%s: %d in the colour of %s, its share is %d", path, sums[s.Category], s.Category, s.Value)
			}
		}
	}
}

func TestText(t *testing.T) {
	for _, x := range []struct {
		unit  string
		value int64
		want  string
	}{
		{"nanoseconds", 0, "0 ns"}, {"nanoseconds", 10_000_000, "10.0 ms"}, {"nanoseconds", 1_270_000_000, "1.27 s"}, {"nanoseconds", 754_000, "754 µs"}, {"nanoseconds", 123_400_000_000, "123 s"},
		{"bytes", 512, "512 B"}, {"bytes", 3 << 19, "1.50 MiB"}, {"count", 12345, "12345"},
	} {
		if got, share := (&Profile{Unit: x.unit, Total: 4 * x.value}).Text(x.value); got != x.want || x.value > 0 && share != "25.0%" {
			t.Errorf("%d %s: %q, %s, want %q", x.value, x.unit, got, share, x.want)
		}
	}
}
