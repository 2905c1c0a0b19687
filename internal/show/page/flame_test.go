package page

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	pprof "github.com/google/pprof/profile"

	"memcost/internal/gotool/profile"
)

// drawnFlame is a flame graph as XML has it.
type drawnFlame struct {
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

const profilesDir = "../../gotool/profile/testdata/"

// profiles returns the files of package profile's testdata.
func profiles(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(profilesDir + "*.prof")
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d profiles: %v", len(paths), err)
	}
	return paths
}

func readProfile(t *testing.T, path string) *profile.Profile {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := profile.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func drawnOf(t *testing.T, p *profile.Profile, o flameOptions) (drawnFlame, string) {
	t.Helper()
	var out bytes.Buffer
	if err := drawFlame(&out, p, o); err != nil {
		t.Fatal(err)
	}
	var d drawnFlame
	if err := xml.Unmarshal(out.Bytes(), &d); err != nil {
		t.Fatalf("not XML: %v\n%s", err, &out)
	}
	return d, out.String()
}

// Every function lies within the one that called it, above it, and as wide as its
// share; labels fit; nothing needs a script or a colour of its own.
func TestFlame(t *testing.T) {
	for _, path := range profiles(t) {
		p := readProfile(t, path)
		d, text := drawnOf(t, p, flameOptions{Width: 800, Label: `a "graph"`})
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
				below = below || b.Rect.Y == g.Rect.Y+rowHeight && b.Rect.X <= g.Rect.X+0.11 &&
					b.Rect.X+b.Rect.Width >= g.Rect.X+g.Rect.Width-0.21
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
func TestFlameWidths(t *testing.T) {
	p := readProfile(t, profilesDir+"go1.27.4-pointer.prof")
	d, _ := drawnOf(t, p, flameOptions{Width: 1000})
	found := false
	for _, f := range p.Top(-1) {
		for _, g := range d.Groups {
			if f.Name == "memcost/study/gccost.Pointers" && strings.HasPrefix(g.Title, f.Name+"\n") {
				found = true
				if want := 1000 * float64(f.Cum) / float64(p.Total); math.Abs(g.Rect.Width-want) > 0.06 ||
					g.Text != "gccost.Pointers" || g.Class != "flame-frame flame-user" {
					t.Errorf("%s is %+v, want it %.1f wide", f.Name, g, want)
				}
			}
		}
	}
	if !found {
		t.Error("Pointers is not drawn")
	}
}

// planted returns a profile of one sample for each stack, leaf first.
func planted(stacks map[string]int64) *pprof.Profile {
	p := &pprof.Profile{SampleType: []*pprof.ValueType{{Type: "samples", Unit: "count"},
		{Type: "cpu", Unit: "nanoseconds"}}}
	for names, v := range stacks {
		s := &pprof.Sample{Value: []int64{1, v}}
		for _, name := range strings.Split(names, ";") {
			f := &pprof.Function{ID: uint64(len(p.Function) + 1), Name: name}
			l := &pprof.Location{ID: uint64(len(p.Location) + 1), Line: []pprof.Line{{Function: f}}}
			p.Function, p.Location = append(p.Function, f), append(p.Location, l)
			s.Location = append(s.Location, l)
		}
		p.Sample = append(p.Sample, s)
	}
	return p
}

func plant(t *testing.T, stacks map[string]int64) *profile.Profile {
	t.Helper()
	var b bytes.Buffer
	if err := planted(stacks).Write(&b); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestFlameOfHostileNames(t *testing.T) {
	names := []string{`</title><script>alert(1)</script>`, `"onload="x`, "]]>", "a&b<c", "\x00\x1b[31m", "\xff\xfe",
		strings.Repeat("ü", 500), "(*[/..", ""}
	stacks := map[string]int64{}
	for i, name := range names {
		stacks[name+";main.main"] = int64(i + 100)
	}
	d, text := drawnOf(t, plant(t, stacks), flameOptions{Label: `"><script>`})
	if strings.Contains(text, "<script") || len(d.Groups) != len(names)+2 {
		t.Errorf("%d functions drawn, want %d:\n%s", len(d.Groups), len(names)+2, text)
	}
}

func TestFlameLeavesOut(t *testing.T) {
	p := plant(t, map[string]int64{"big;main.main": 900, "small;main.main": 60, "least;less;main.main": 40})
	for share, want := range map[float64]int{0: 6, 0.05: 4, 0.1: 3} {
		d, _ := drawnOf(t, p, flameOptions{MinShare: share})
		if len(d.Groups) != want || (share > 0) != strings.Contains(d.Note, strconv.Itoa(5-want)+
			" functions with less") && share > 0 {
			t.Errorf("at least %g: %d functions drawn, want %d; %q", share, len(d.Groups), want, d.Note)
		}
	}
}

// A stack may be deeper than anyone draws.
func TestFlameOfDeepStacks(t *testing.T) {
	p := plant(t, map[string]int64{strings.Repeat("deep;", 5000) + "main.main": 10})
	d, _ := drawnOf(t, p, flameOptions{})
	if len(d.Groups) != profile.MaxDepth+1 || d.Height != (profile.MaxDepth+2)*rowHeight {
		t.Errorf("%d functions on %d pixels", len(d.Groups), d.Height)
	}
	if top := p.Top(1)[0]; top.Cum != 10 || top.Flat != 10 {
		t.Errorf("a function that calls itself 5000 times has %+v", top)
	}
}

func TestFlameStyle(t *testing.T) {
	p := plant(t, map[string]int64{"main.main": 1})
	if d, _ := drawnOf(t, p, flameOptions{Style: true}); !strings.Contains(d.Style, "color-scheme:light dark") {
		t.Errorf("the style is %q", d.Style)
	}
	for _, c := range profile.Categories {
		if strings.Count(flameCSS, ".flame-"+string(c)+" rect{fill:light-dark(#") != 1 {
			t.Errorf("no colour for %s, light and dark", c)
		}
	}
}

func TestFlameRefuses(t *testing.T) {
	p := plant(t, map[string]int64{"main.main": 1})
	for _, o := range []flameOptions{{Width: 3}, {Width: -1}, {MinShare: 1}, {MinShare: math.NaN()}} {
		if err := drawFlame(io.Discard, p, o); err == nil {
			t.Errorf("%+v is drawn", o)
		}
	}
	if err := drawFlame(full{}, p, flameOptions{}); !errors.Is(err, errFull) {
		t.Errorf("on a full disk: %v", err)
	}
}

var errFull = errors.New("no space left on device")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// Whatever a profile holds, it is drawn as XML.
func FuzzFlame(f *testing.F) {
	for _, name := range []string{"go1.27.4-pointer.prof", "go1.15.15-heap.prof"} {
		data, err := os.ReadFile(profilesDir + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, err := profile.Read(bytes.NewReader(data)); err == nil {
			drawnOf(t, p, flameOptions{})
		}
	})
}
