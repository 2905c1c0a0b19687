package testfleet

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memcost/internal/fleet"
	"memcost/internal/fleet/place"
	"memcost/internal/measure/store"
	"memcost/internal/method/series"

	"golang.org/x/perf/benchfmt"
)

// figures are the samples of a run folder, by case.
type figures struct{ samples map[string][]measured }

// A measured sample has its round, its figure, and all that was recorded of it, which no other sample has.
type measured struct {
	round int
	ns    float64
	all   string
}

func (f figures) names() []string { return slices.Sorted(maps.Keys(f.samples)) }

func readFigures(t *testing.T, dir string) figures {
	t.Helper()
	f := figures{map[string][]measured{}}
	_, err := store.ReadSamples(dir, func(r *benchfmt.Result) error {
		if r.GetConfig(series.KeyRole) != "" {
			return nil
		}
		var x measured
		for _, v := range r.Values {
			switch v.Unit {
			case series.UnitRound:
				x.round = int(v.Value)
				continue
			case "sec/op":
				x.ns = 1e9 * v.Value
			case "order":
				continue
			}
			x.all += fmt.Sprint(v.Value, v.Unit, " ")
		}
		name := string(r.Name)
		f.samples[name] = append(f.samples[name], x)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// median of a case's figures.
func (f figures) median(name string) float64 {
	var ns []float64
	for _, x := range f.samples[name] {
		ns = append(ns, x.ns)
	}
	slices.Sort(ns)
	return ns[len(ns)/2]
}

// joined returns the figures of each data set of a place, as memcost report joins them.
func (s *site) joined(t *testing.T, where string) []figures {
	t.Helper()
	at, err := place.Open(t.Context(), where, false)
	if err != nil {
		t.Fatal(err)
	}
	dirs, err := fleet.Collect(t.Context(), []*place.Place{at}, s.plan.Hash, t.TempDir(),
		func(note string) { t.Log(note) })
	if err != nil {
		t.Fatal(err)
	}
	var out []figures
	for _, dir := range dirs {
		out = append(out, readFigures(t, dir))
	}
	return out
}

// likeUnbroken holds what was joined to the unbroken run: all its cases and no others, rounds that are
// counted without a gap and of which both sides of a ratio are there, no sample twice, and the heap as
// much dearer than the stack as noise allows.
func (s *site) likeUnbroken(t *testing.T, sets []figures) {
	t.Helper()
	cases, seen := map[string]bool{}, map[string]bool{}
	samples := 0
	for i, f := range sets {
		for _, name := range f.names() {
			cases[name] = true
			samples += len(f.samples[name])
			f.checkRounds(t, i, name)
			for _, x := range f.samples[name] {
				if seen[name+x.all] {
					t.Errorf("set %d: a sample of %s is there twice: %s", i, name, x.all)
				}
				seen[name+x.all] = true
			}
			s.checkRatio(t, i, f, name)
		}
	}
	if got := slices.Sorted(maps.Keys(cases)); !slices.Equal(got, s.unbroken.names()) {
		t.Errorf("joined are the cases %q, and an unbroken run has %q", got, s.unbroken.names())
	}
	t.Logf("%d data sets, %d samples, none twice", len(sets), samples)
}

func (f figures) checkRounds(t *testing.T, set int, name string) {
	t.Helper()
	of := f.samples[name]
	slices.SortFunc(of, func(a, b measured) int { return a.round - b.round })
	for i, x := range of {
		if x.round != i {
			t.Errorf("set %d: round %d of %s is called %d", set, i, name, x.round)
			return
		}
	}
	if n := len(f.samples[otherSide(name)]); n != len(of) {
		t.Errorf("set %d: %s has %d rounds, and %s has %d", set, name, len(of), otherSide(name), n)
	}
}

func otherSide(name string) string {
	if strings.Contains(name, "place=stack") {
		return strings.Replace(name, "place=stack", "place=heap", 1)
	}
	return strings.Replace(name, "place=heap", "place=stack", 1)
}

// noise is how far a ratio may be from that of the unbroken run: three nodes share two processors.
const noise = 5

func (s *site) checkRatio(t *testing.T, set int, f figures, name string) {
	t.Helper()
	if !strings.Contains(name, "place=heap") || len(f.samples[otherSide(name)]) == 0 {
		return
	}
	is := f.median(name) / f.median(otherSide(name))
	was := s.unbroken.median(name) / s.unbroken.median(otherSide(name))
	t.Logf("set %d: %s: %d rounds, heap/stack %.1f, unbroken %.1f", set, name, len(f.samples[name]), is, was)
	if is < 1 || was < 1 || max(is/was, was/is) > noise {
		t.Errorf("set %d: %s: heap/stack is %.1f, and in an unbroken run %.1f", set, name, is, was)
	}
}

// status is what memcost status --json says of the plan.
func (s *site) status(t *testing.T, env []string, where string) fleet.Status {
	t.Helper()
	var all []fleet.Status
	if err := json.Unmarshal([]byte(s.mustEnv(t, env, s.memcost, "status", where, "--json")), &all); err != nil ||
		len(all) != 1 {
		t.Fatalf("%v: %+v", err, all)
	}
	return all[0]
}

// at names a folder of the site.
func (s *site) at(name string) string { return filepath.Join(s.dir, name) }
