package explain

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memcost/internal/measure/sample"
	"memcost/internal/measure/session"
	"memcost/internal/sites"
)

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "memcost-explain-test-")
	if err != nil {
		panic(err)
	}
	os.Setenv("MEMCOST_CACHE", dir)
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// explained explains the planted package.
func explained(t *testing.T, o Options) *sites.Report {
	t.Helper()
	if testing.Short() {
		t.Skip("builds and runs benchmarks")
	}
	tools, err := session.NewTools(noted{t}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if o.Dir, err = filepath.Abs("testdata/planted"); err != nil {
		t.Fatal(err)
	}
	o.Patterns, o.Timeout = []string{"."}, time.Minute
	k, err := Explain(context.Background(), tools, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(k.Sides) != 1 {
		t.Fatalf("%d sides", len(k.Sides))
	}
	return k.Sides[0].Report
}

// in returns the sites of a function that allocated in the first benchmark, and what they made.
func in(r *sites.Report, function string) (sites []*sites.Site, objects, bytes float64) {
	for i := range r.Sites {
		s := &r.Sites[i]
		if s.Function != function || s.Rank == 0 {
			continue
		}
		sites = append(sites, s)
		for _, c := range s.Costs {
			if r.Benchmarks[c.Benchmark].Name == "All" {
				objects += c.Objects
				bytes += c.Bytes
			}
		}
	}
	return sites, objects, bytes
}

func near(a, b, within float64) bool { return math.Abs(a-b) <= within*math.Max(math.Abs(b), 1) }

// What is planted is found: how much, where, and why. Every object is in one site.
func TestPlanted(t *testing.T) {
	for _, exact := range []bool{false, true} {
		r := explained(t, Options{Exact: exact, Runs: 0})
		for _, x := range []struct {
			function, cause string
			class           sites.Class
			objects, bytes  float64
		}{
			{"Returned", "returned-pointer", sites.CertainHeap, 1, 24},
			{"inlined", "store", sites.CertainHeap, 1, 24},
			{"Boxed", "boxing", sites.CertainHeap, 1, 24},
			{"Small", "returned-pointer", sites.CertainHeap, 3, 0},
			{"Grown", "append-growth", "", 0, 0}, // versions differ in how many blocks it takes
			{"Formatted", "", "", 2, 0},
			{"Generic[...]", "", "", 2, 64 + 208},
			{"Captured", "", sites.CertainHeap, 2, 0},
			{"Joined", "", "", 2, 0},
		} {
			sites, objects, bytes := in(r, x.function)
			if len(sites) == 0 {
				t.Errorf("exact %v: nothing allocates in %s", exact, x.function)
				continue
			}
			if !exact && x.function == "Joined" {
				continue // small objects of several sizes share blocks, and are shared out by estimate
			}
			if x.objects > 0 && !near(objects, x.objects, 0.3) || x.bytes > 0 && !near(bytes, x.bytes, 0.02) {
				t.Errorf("exact %v: %s makes %.2f objects of %.0f bytes, want %.0f of %.0f", exact, x.function, objects,
					bytes, x.objects, x.bytes)
			}
			varies := x.function == "Formatted" || x.function == "Captured"
			if exact && x.objects > 0 && !near(objects, x.objects, 0.02) && !varies {
				t.Errorf("%s makes exactly %.3f objects, want %.0f", x.function, objects, x.objects)
			}
			if s := sites[0]; x.cause != "" && s.Cause.Key != x.cause || x.class != "" && s.Class != x.class {
				t.Errorf("%s: %s by %q, want %s by %q", x.function, s.Class, s.Cause.Key, x.class, x.cause)
			}
		}
		if sites, _, _ := in(r, "Mapped"); len(sites) == 0 || sites[0].Cause.Key != "map-growth" {
			t.Errorf("the map that grows: %+v", sites)
		}
		if sites, objects, _ := in(r, "BenchmarkAll"); objects > 0.01 {
			t.Errorf("the set-up counts: %.3f objects, %+v", objects, sites[0])
		}
		sums(t, r, exact)
		idle(t, r)
	}
}

// sums checks that each object is in one site, and that all of them are what the runtime counted.
func sums(t *testing.T, r *sites.Report, exact bool) {
	t.Helper()
	for i, b := range r.Benchmarks {
		objects, bytes := b.Other, b.OtherBytes
		for _, s := range r.Sites {
			for _, c := range s.Costs {
				if c.Benchmark == i {
					objects += c.Objects
					bytes += c.Bytes
				}
			}
		}
		if !near(objects, b.Counted, 1e-9) || !near(b.Counted, b.Objects, 0.01) ||
			!near(bytes, b.Bytes, 0.01) && !exact {
			t.Errorf("exact %v: %s: the sites make %.3f objects and %.1f bytes; the profile has %.3f objects, the "+
				"runtime counted %.3f and %.1f bytes", exact, b.Name, objects, bytes, b.Counted, b.Objects, b.Bytes)
		}
	}
	if j := r.Join; j.Uncategorised > 0 || len(j.Unmatched) > 0 || j.Outside != j.OutsideExplained {
		t.Errorf("exact %v: not all is explained: %+v", exact, j)
	}
}

// idle checks what did not allocate.
func idle(t *testing.T, r *sites.Report) {
	t.Helper()
	found := false
	for _, s := range r.Sites {
		switch {
		case s.Function == "Stays":
			t.Errorf("a function that allocates nothing has a site: %+v", s)
		case s.Function == "Never":
			found = true
			if s.Class != sites.NeverExecuted || s.Would != sites.CertainHeap || s.Rank != 0 {
				t.Errorf("what is not called: %s, would be %s, rank %d", s.Class, s.Would, s.Rank)
			}
		}
	}
	if !found {
		t.Error("the function that is not called has no site")
	}
}

// Without a run the compiler's words are shown alone.
func TestStatic(t *testing.T) {
	r := explained(t, Options{Static: true})
	if r.Mode != "static" || !strings.HasPrefix(r.Answer(), "Nothing was run.") {
		t.Errorf("mode %q: %s", r.Mode, r.Answer())
	}
	certain := 0
	for _, s := range r.Sites {
		if s.Class == sites.NeverExecuted || s.Rank != 0 {
			t.Errorf("nothing was run, and %s is %s with rank %d", s.Function, s.Class, s.Rank)
		}
		if s.Class == sites.CertainHeap {
			certain++
		}
	}
	if certain < 8 {
		t.Errorf("only %d sites are certain", certain)
	}
}

// noted writes the notes to the log of a test.
type noted struct{ t *testing.T }

func (n noted) Note(line string)       { n.t.Log(line) }
func (n noted) Step(string)            {}
func (n noted) Sample(sample.Progress) {}
func (n noted) End()                   {}
