package machinespage

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"memcost/internal/report/across"
	"memcost/internal/report/figures"
)

// made is a report of made-up machines: kinds of two boards, with a line through them.
func made(kinds int, name string) *across.Report {
	r := &across.Report{Says: "what there is"}
	l := &across.Line{Title: name, Says: "what the line says", Figure: "heap / stack", Strength: "stack"}
	c := across.Claim{ID: "C8", Prose: name, Says: "holds: kinds", Line: l}
	for i := range 2 * kinds {
		m := across.Machine{Name: name + strconv.Itoa(i), Kind: fmt.Sprint("CPU ", i/2)}
		r.Machines = append(r.Machines, m)
		c.Cells = append(c.Cells, across.Cell{Status: []string{"holds", "fails"}[i%2], Says: name})
		x := math.Pow(2, float64(i/2))
		l.Points = append(l.Points, across.Point{Name: m.Name, Kind: m.Kind, Strength: figures.Number(1e9 * x),
			Published: i == 0, Figure: figures.Figure{Value: figures.Number(8 / x), Lo: figures.Number(7 / x),
				Hi: figures.Number(9 / x)}})
		l.Fitted = append(l.Fitted, across.Fitted{Strength: figures.Number(1e9 * x),
			Value: figures.Number(8 / x), Lo: figures.Number(6 / x), Hi: figures.Number(10 / x)})
	}
	r.Studies = []across.Study{{Name: "s", Claims: []across.Claim{c}}}
	return r
}

func TestHTML(t *testing.T) {
	html, err := HTML(made(4, "board"))
	if err != nil {
		t.Fatal(err)
	}
	got := string(html)
	for what, want := range map[string]int{`class="box holds"`: 4, `class="box fails"`: 4, "<circle": 8, "<svg": 1,
		"<polyline": 1, "<polygon": 1, `fill="none" stroke="currentColor"/><text`: 1, ">D</text>": 2} {
		if n := strings.Count(got, what); n != want {
			t.Errorf("%d of %s, want %d", n, what, want)
		}
	}
	if none, err := HTML(nil); none != "" || err != nil {
		t.Errorf("of one machine: %q %v", none, err)
	}
}

// What is greater stands higher, what is stronger farther to the right, and all of it within the picture.
func TestDotsStandInOrder(t *testing.T) {
	html, err := HTML(made(6, "board"))
	if err != nil {
		t.Fatal(err)
	}
	lastX, lastY := 0.0, 0.0
	for i, m := range regexp.MustCompile(`<circle cx="([^"]*)" cy="([^"]*)"`).FindAllStringSubmatch(string(html), -1) {
		x, errX := strconv.ParseFloat(m[1], 64)
		y, errY := strconv.ParseFloat(m[2], 64)
		if errX != nil || errY != nil || x < left || x > width-right || y < top || y > height-bottom {
			t.Errorf("dot %d at %s, %s", i, m[1], m[2])
		}
		if i%2 == 0 && (x <= lastX || y <= lastY) {
			t.Errorf("dot %d at %v, %v, and the one before at %v, %v", i, x, y, lastX, lastY)
		}
		lastX, lastY = x, y
	}
	if lastX == 0 {
		t.Error("there are no dots")
	}
}

// Names come from run folders of others.
func TestHostileNames(t *testing.T) {
	html, err := HTML(made(2, `"><script>alert(1)</script>`))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(html), "<script") {
		t.Error("a name became an element")
	}
}

func TestTicks(t *testing.T) {
	for _, s := range []scale{
		{lo: 1, hi: 1000}, {lo: 1, hi: 1e9}, {lo: 2.1, hi: 2.9}, {lo: 1e-9, hi: 3e-8}, {lo: 2.41, hi: 2.43},
	} {
		at := ticks(s)
		twos := doublings(s)
		if len(at) < 2 || len(at) > 12 || len(twos) < 1 || len(twos) > 8 {
			t.Errorf("%v: %v %v", s, at, twos)
		}
		for _, v := range append(at, twos...) {
			if float64(v) < s.lo || float64(v) > s.hi {
				t.Errorf("%v: %v lies outside", s, v)
			}
		}
	}
}
