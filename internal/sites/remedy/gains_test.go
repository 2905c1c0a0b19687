package remedy

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"memcost/internal/sites"
)

func measured(v, half float64) sites.Interval {
	return sites.Interval{Value: v, Lo: v - half, Hi: v + half, Runs: 10}
}

// The pair saves 80 ns for each of its two objects of 32 bytes, of which 30 ns are the
// object's own price.
func known() Prices {
	return Prices{
		Classes: map[int64]sites.Interval{16: measured(20e-9, 1e-9), 32: measured(30e-9, 2e-9), 64: measured(50e-9, 4e-9),
			1024: measured(530e-9, 40e-9)},
		Pairs: map[string]Pair{"boxing": {Escapes: measured(200e-9, 6e-9), Fixed: measured(40e-9, 8e-9), Objects: 2,
			Bytes: 64}},
	}
}

func report(objects float64, sizes ...sites.SizeClass) *sites.Report {
	return &sites.Report{
		Benchmarks: []sites.Benchmark{{Time: measured(9e-6, 0.1e-6)}, {Time: measured(2e-6, 0.1e-6)}},
		Sites: []sites.Site{{Class: sites.CertainHeap, Cause: sites.Cause{Key: "boxing"}, Advice: "use the concrete type",
			Sizes: sizes,
			Costs: []sites.Cost{{Benchmark: 1, Objects: objects}, {Objects: 1}}}},
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*math.Max(math.Abs(want), 1e-9) {
		t.Errorf("%s is %g, want %g", what, got, want)
	}
}

func TestGains(t *testing.T) {
	r := report(5, sites.SizeClass{Bytes: 64, Objects: 1})
	Gains(r, known())
	s := r.Sites[0]
	if s.Price == nil || s.Gain == nil {
		t.Fatalf("price %+v, gain %+v", s.Price, s.Gain)
	}
	near(t, "the price", s.Price.Value, 50e-9)
	near(t, "its lower end", s.Price.Lo, 46e-9)
	// 5 × (50 - 30 + 80) ns
	near(t, "the gain", s.Gain.Seconds.Value, 500e-9)
	// 5 × √(4² + 2² + (6² + 8²)/2²) ns
	half := 5e-9 * math.Sqrt(16+4+25)
	near(t, "half its interval", s.Gain.Seconds.Hi-s.Gain.Seconds.Value, half)
	near(t, "the share", s.Gain.Share.Value, 0.25)
	near(t, "half its interval", s.Gain.Share.Hi-0.25, math.Hypot(half, 0.25*0.1e-6)/2e-6)
	if s.Gain.Benchmark != 1 || s.Gain.Seconds.Runs != 10 {
		t.Errorf("%+v", s.Gain)
	}
	for _, words := range []string{"the study escape", "80 ns", "32 bytes", "50.0 ns"} {
		if !strings.Contains(s.Gain.From, words) {
			t.Errorf("%q does not hold %q", s.Gain.From, words)
		}
	}
}

// The prices of the site and of the pair are the same measurement: its error cancels out.
func TestGainOfTheSameSize(t *testing.T) {
	r := report(1, sites.SizeClass{Bytes: 32, Objects: 1})
	Gains(r, known())
	near(t, "the gain", r.Sites[0].Gain.Seconds.Value, 80e-9)
	near(t, "half its interval", r.Sites[0].Gain.Seconds.Hi-80e-9, 5e-9)
}

// 48 bytes lie half way between 32 and 64.
func TestPriceBetweenClasses(t *testing.T) {
	r := report(1, sites.SizeClass{Bytes: 48, Objects: 0.5}, sites.SizeClass{Bytes: 16, Objects: 0.5})
	Gains(r, known())
	s := r.Sites[0]
	near(t, "the price", s.Price.Value, 30e-9)
	near(t, "half its interval", s.Price.Hi-s.Price.Value, math.Sqrt(0.25*0.25*(4+16)+0.25)*1e-9)
	if !strings.Contains(s.Gain.From, "the price of 1 size lies between") {
		t.Error(s.Gain.From)
	}
}

func TestNoGain(t *testing.T) {
	for name, change := range map[string]func(r *sites.Report, p *Prices){
		"no pair":          func(r *sites.Report, p *Prices) { r.Sites[0].Cause.Key = "panic" },
		"inside a callee":  func(r *sites.Report, p *Prices) { r.Sites[0].Callee = &sites.Callee{} },
		"nothing measured": func(r *sites.Report, p *Prices) { p.Pairs = nil },
		"never executed":   func(r *sites.Report, p *Prices) { r.Sites[0].Class = sites.NeverExecuted },
		"no cost":          func(r *sites.Report, p *Prices) { r.Sites[0].Costs = nil },
		"the pair does not allocate": func(r *sites.Report, p *Prices) {
			p.Pairs["boxing"] = Pair{Escapes: measured(200e-9, 1e-9), Fixed: measured(40e-9, 1e-9)}
		},
		"the interval reaches 0": func(r *sites.Report, p *Prices) {
			p.Pairs["boxing"] = Pair{Escapes: measured(200e-9, 300e-9), Fixed: measured(40e-9, 1e-9), Objects: 2,
				Bytes: 64}
		},
		"more than the whole":     func(r *sites.Report, p *Prices) { r.Benchmarks[1].Time = measured(300e-9, 1e-9) },
		"the pair's has no price": func(r *sites.Report, p *Prices) { delete(p.Classes, 16); delete(p.Classes, 32) },
	} {
		r, p := report(5, sites.SizeClass{Bytes: 64, Objects: 1}), known()
		change(r, &p)
		Gains(r, p)
		if s := r.Sites[0]; s.Price == nil || s.Gain != nil {
			t.Errorf("%s: price %+v, gain %+v", name, s.Price, s.Gain)
		}
	}
}

// Objects that are smaller or larger than all that was measured have no price, few of them are
// left out, and a time that was not measured leaves the share out.
func TestOutsideOfWhatWasMeasured(t *testing.T) {
	r := report(5, sites.SizeClass{Bytes: 64, Objects: 0.5}, sites.SizeClass{Bytes: 2048, Objects: 0.5})
	Gains(r, known())
	if s := r.Sites[0]; s.Price != nil || s.Gain != nil {
		t.Errorf("price %+v, gain %+v", s.Price, s.Gain)
	}
	r = report(5, sites.SizeClass{Bytes: 64, Objects: 0.97}, sites.SizeClass{Bytes: 8, Objects: 0.03})
	r.Benchmarks[1].Time = sites.Interval{}
	Gains(r, known())
	s := r.Sites[0]
	near(t, "the price", s.Price.Value, 50e-9)
	if s.Gain == nil || s.Gain.Share.Runs != 0 {
		t.Errorf("%+v", s.Gain)
	}
	r.Sites = append(r.Sites, sites.Site{})
	Gains(r, Prices{})
	if r.Sites[0].Price != nil || r.Sites[0].Gain != nil {
		t.Error("a price of nothing")
	}
	if _, err := json.Marshal(r.Sites); err != nil {
		t.Error(err)
	}
}

func TestNeeds(t *testing.T) {
	var all []sites.Site
	for i := range int64(20) {
		all = append(all, sites.Site{Costs: []sites.Cost{{}}, Cause: sites.Cause{Key: "store"},
			Sizes: []sites.SizeClass{{Bytes: 16 * (i + 1), Objects: float64(i%4) + 1}}})
	}
	all = append(all, sites.Site{Cause: sites.Cause{Key: "boxing"}, Sizes: []sites.SizeClass{{Bytes: 8, Objects: 9}}})
	all[3].Cause.Key, all[4].Callee = "fmt", &sites.Callee{}
	classes, causes := Needs(all)
	if len(classes) != mostClasses || classes[0] != 16 || classes[9] != 320 || !slices.IsSorted(classes) ||
		!slices.Contains(classes, 64) || slices.Contains(classes, 32) {
		t.Errorf("classes %v", classes)
	}
	if !slices.Equal(causes, []string{"fmt", "store"}) {
		t.Errorf("causes %v", causes)
	}
}

// What is left of append's growth is its last block, and what is too large for a frame stays.
func TestWhatTheFixLeaves(t *testing.T) {
	p := known()
	p.Pairs["append-growth"] = p.Pairs["boxing"]
	r := report(4, sites.SizeClass{Bytes: 32, Objects: 0.5}, sites.SizeClass{Bytes: 64, Objects: 0.5})
	r.Sites[0].Cause.Key = "append-growth"
	Gains(r, p)
	s := r.Sites[0]
	near(t, "the price", s.Price.Value, 40e-9)
	near(t, "the gain", s.Gain.Seconds.Value, 2*80e-9)
	if !strings.Contains(s.Gain.From, "costs 30.0 ns, and the fix is taken to remove 50.0% of them") {
		t.Error(s.Gain.From)
	}
	r = report(4, sites.SizeClass{Bytes: 64, Objects: 1})
	r.Sites[0].Cause.Key = "append-growth"
	Gains(r, p)
	if s := r.Sites[0]; s.Price == nil || s.Gain != nil {
		t.Errorf("one block only: %+v", s.Gain)
	}
	p.Classes[1<<20] = measured(1e-4, 1e-6)
	r = report(0.01, sites.SizeClass{Bytes: 1 << 20, Objects: 1})
	Gains(r, p)
	if s := r.Sites[0]; s.Price == nil || s.Gain != nil {
		t.Errorf("too large for a frame: %+v", s.Gain)
	}
}

// No more is promised than allocating at the site takes of the CPU time, and nothing where there is no
// advice.
func TestNoMoreThanIsSpent(t *testing.T) {
	r := report(5, sites.SizeClass{Bytes: 64, Objects: 1})
	r.Sites[0].Costs[0].Share = sites.Interval{Value: 0.1, Lo: 0.08, Hi: 0.12, Runs: 10}
	Gains(r, known())
	g := r.Sites[0].Gain
	if g == nil {
		t.Fatal("no gain")
	}
	near(t, "the gain", g.Seconds.Value, 0.1*2e-6)
	near(t, "its lower end", g.Seconds.Lo, 0.08*1.9e-6)
	near(t, "its upper end", g.Seconds.Hi, 0.12*2.1e-6)
	r.Sites[0].Costs[0].Share.Lo = 0
	if Gains(r, known()); r.Sites[0].Gain != nil {
		t.Errorf("of what may be nothing: %+v", r.Sites[0].Gain)
	}
	r = report(5, sites.SizeClass{Bytes: 64, Objects: 1})
	r.Sites[0].Advice = ""
	if Gains(r, known()); r.Sites[0].Gain != nil {
		t.Errorf("without advice: %+v", r.Sites[0].Gain)
	}
}
