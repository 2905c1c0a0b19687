package curve

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"
)

const (
	ms  = time.Millisecond
	mib = 1 << 20
)

// known is a program that grows for a second to 200 MiB, works for another second, frees all but 10 MiB at
// once, and is idle for 8 s.
func known() *Curve {
	c := &Curve{End: End{Work: 2 * time.Second, Found: "found", Peak: 201 * mib, Processes: 1, Seen: 1, Looks: 2000,
		Gap: 7 * ms, Sampler: 31 * ms, How: Stopped}}
	for at := time.Duration(0); at <= 10*time.Second; at += Every {
		p := Point{At: at, CPU: min(at, 2*time.Second)}
		switch {
		case at < time.Second:
			p.Resident = int64(at.Seconds()*200*mib) / 4096 * 4096
		case at < 2*time.Second:
			p.Resident = 200 * mib
		default:
			p.Resident = 10 * mib
		}
		c.Points = append(c.Points, p)
	}
	return c
}

func TestFigures(t *testing.T) {
	c := known()
	if c.Top() != 201*mib {
		t.Errorf("peak %d", c.Top())
	}
	for _, d := range After() {
		if n, ok := c.Settled(d); !ok || n != 10*mib {
			t.Errorf("%v after the work %d, %v", d, n, ok)
		}
	}
	if _, ok := c.Settled(9 * time.Second); ok {
		t.Error("a figure of what nobody looked at")
	}
	if area := c.Area() / mib; math.Abs(area-(100+200+80)) > 2 {
		t.Errorf("area %f MiB·s", area)
	}
	if d, ok := c.Returned(); !ok || d != 0 {
		t.Errorf("given back after %v, %v", d, ok)
	}
	c.Points = c.Points[:len(c.Points)-1200]
	var names []string
	for _, p := range c.Phases() {
		names = append(names, p.Name)
	}
	if got := strings.Join(names, " "); got != "start growth peak idle" {
		t.Errorf("phases %s", got)
	}
	c.Marks = []Mark{{500 * ms, "load"}}
	if p := c.Phases(); len(p) != 3 || p[1].Name != "load" || p[1].From != 500*ms || p[1].To != 2*time.Second {
		t.Errorf("%+v", p)
	}
}

// The end of the work is found to a look, whatever pauses there were before, and background threads do not
// hide it.
func TestRest(t *testing.T) {
	for name, use := range map[string]func(at time.Duration) float64{ // of a core
		"plain":      func(at time.Duration) float64 { return works(at < 2*time.Second) },
		"pauses":     func(at time.Duration) float64 { return works(at < 300*ms || at > 1500*ms && at < 2*time.Second) },
		"background": func(at time.Duration) float64 { return max(works(at < 2*time.Second), 0.04) },
	} {
		var r Rest
		var p Point
		since := time.Duration(0)
		for at := time.Duration(0); at < 6*time.Second; at += Every {
			p.CPU += time.Duration(use(at) * float64(Every))
			p.At = at
			since = r.Add(p)
		}
		if d := (since - 2*time.Second).Abs(); d > 2*Every {
			t.Errorf("%s: the work ended at 2 s, and %v was found", name, since)
		}
	}
}

func works(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// What is written is read again, and an hour of a program that always changes is small.
func TestText(t *testing.T) {
	c := known()
	c.Marks, c.Exact = []Mark{{time.Second, "all is there"}}, []Exact{{time.Second, 200 * mib, 199 * mib, 0, 200 * mib}}
	var b bytes.Buffer
	w := NewWriter(&b, 4096)
	for _, p := range c.Points {
		w.Point(p)
	}
	w.Mark(c.Marks[0])
	w.Exact(c.Exact[0])
	if err := w.End(c.End); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	got, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if got.End != c.End || got.Marks[0] != c.Marks[0] || got.Exact[0] != c.Exact[0] {
		t.Errorf("%+v\n%+v", got.End, c.End)
	}
	for _, p := range c.Points {
		if n, ok := got.At(p.At); !ok || n != p.Resident {
			t.Fatalf("at %v: %d, %v, and it was %d", p.At, n, ok, p.Resident)
		}
	}
	if a, b := got.Area(), c.Area(); math.Abs(a/b-1) > 1e-3 {
		t.Errorf("area %f, and it was %f", a, b)
	}
	half, err := Read(strings.NewReader(text[:len(text)/2]))
	if err != nil || half.Work != -1 || len(half.Points) == 0 {
		t.Errorf("half a curve: %v", err)
	}
	for _, bad := range []string{"", "curve 2 1 1\n", "curve 1 0 0\n", "curve 1 100000 4096\nwhat\n50 1 1\n"} {
		if _, err := Read(strings.NewReader(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
	b.Reset()
	w = NewWriter(&b, 4096)
	for i := range 3600 * 200 {
		w.Point(Point{time.Duration(i) * Every, int64(i%7919) * 4096, time.Duration(i) * 4 * ms})
	}
	if err := w.End(c.End); err != nil || b.Len() > 20e6 {
		t.Errorf("an hour takes %d bytes: %v", b.Len(), err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("curve 1 100000 4096\n50 1 1\nx 1 2 3 4 5\nm 1 idle\ne 1 load 1 1 1 1 1 1 false 0 ended\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Read(strings.NewReader(text))
		if err == nil {
			c.Phases()
			c.Returned()
			BandOf([]*Curve{c}, 10)
		}
	})
}

func TestBand(t *testing.T) {
	a, b := known(), known()
	for i := range b.Points {
		b.Points[i].Resident *= 2
	}
	band := BandOf([]*Curve{a, b, a}, 40)
	if band.Work != 2*time.Second || len(band.Rows) != 81 {
		t.Fatalf("%v, %d rows", band.Work, len(band.Rows))
	}
	for _, r := range band.Rows[1:] {
		if r.Top != 2*r.Low || r.Mid != r.Low {
			t.Fatalf("%+v", r)
		}
	}
}
