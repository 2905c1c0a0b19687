package fleet

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/fleet/place"
	"memcost/internal/machine"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/session"
)

// aPlan is a plan of three comparisons.
func aPlan(seed uint64) *File {
	p := plan.Plan{Options: plan.Options{Alpha: .05, Seed: seed, Budget: time.Minute, Sample: time.Millisecond,
		Layouts: 1}, Sides: []plan.Side{{Name: "go1.26.8"}}, Studies: []plan.Study{{Name: "s"}}}
	for i := range 3 {
		name := fmt.Sprintf("C%d", i)
		p.Cases = append(p.Cases, plan.Case{Name: name, Base: name, N: 10, Estimate: 1e-4})
	}
	p.Link(nil)
	f := &File{Format: Format, Tool: "memcost 0.1.0", Asked: session.Options{Seed: &seed}}
	f.Add(Kind{Kind: "k", Question: &plan.Question{Format: plan.Format, Plan: p,
		Machine: machine.Fingerprint{Hostname: "h"}}, Rounds: []int{8, 8, 8}})
	return f
}

// aPlace is a place with a plan in it.
func aPlace(t *testing.T, plans ...*File) *place.Place {
	t.Helper()
	at, err := place.Open(t.Context(), t.TempDir(), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range plans {
		if err := writePlan(t.Context(), at, f); err != nil {
			t.Fatal(err)
		}
	}
	return at
}

func attempt(f *File, machine string, shard, number int) plan.Attempt {
	return plan.Attempt{Plan: f.Hash, Calibration: f.Kinds[0].Hash, Machine: machine, Boot: "b", Shard: shard,
		Shards: 3, Number: number, Token: fmt.Sprintf("t%d%d", shard, number), Began: now()}
}

func put(t *testing.T, at *place.Place, key string, v any) {
	t.Helper()
	data, err := json.Marshal(v)
	if err == nil {
		err = at.Write(t.Context(), key, data)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func starts(t *testing.T, at *place.Place, a plan.Attempt, expected time.Duration) {
	t.Helper()
	put(t, at, keyOf(a)+begunFile, begun{Attempt: a, Host: "host", CPU: "cpu", Expected: expected})
}

func TestStatus(t *testing.T) {
	f := aPlan(1)
	at := aPlace(t, f)
	finished := attempt(f, "m1", 1, 0)
	starts(t, at, finished, time.Minute)
	finished.Whole = true
	put(t, at, keyOf(finished)+doneFile, done{Attempt: finished, Samples: 7})
	starts(t, at, attempt(f, "m1", 2, 0), time.Hour)
	killed := attempt(f, "m2", 1, 0)
	starts(t, at, killed, time.Minute)
	stopped := attempt(f, "m2", 2, 0)
	put(t, at, keyOf(stopped)+doneFile, done{Attempt: stopped, Samples: 5})

	in := func(d time.Duration) *Status {
		t.Helper()
		s, err := StatusOf(t.Context(), at, f.Hash, time.Now().Add(d))
		if err != nil || len(s.Machines) != 2 {
			t.Fatalf("%+v, %v", s, err)
		}
		return s
	}
	says := func(s *Status) string {
		var out []string
		for _, m := range s.Machines {
			out = append(out, fmt.Sprint(m.ID, m.Done, m.Running, m.Interrupted, m.Lost, m.NotBegun, m.Samples))
		}
		return strings.Join(out, " ")
	}
	s := in(0)
	if got, want := says(s), "m1[1] [2] [] [] [3] 7 m2[] [1] [2] [] [3] 5"; got != want {
		t.Errorf("at first %s, want %s", got, want)
	}
	if s.Left < 50*time.Minute || s.Left > time.Hour || len(s.Warnings) > 0 || s.Comparisons != 3 {
		t.Errorf("%+v", s)
	}
	if got, want := says(in(30*time.Minute)), "m1[1] [2] [] [] [3] 7 m2[] [] [2] [1] [3] 5"; got != want {
		t.Errorf("in half an hour %s, want %s: what takes far longer than expected is lost", got, want)
	}
	// The attempt was repeated: the best of a shard's attempts counts.
	again := attempt(f, "m2", 1, 1)
	again.Whole = true
	put(t, at, keyOf(again)+doneFile, done{Attempt: again, Samples: 9})
	if got, want := says(in(30*time.Minute)), "m1[1] [2] [] [] [3] 7 m2[1] [] [2] [] [3] 14"; got != want {
		t.Errorf("repeated: %s, want %s", got, want)
	}
}

// An attempt that was killed in preparation does not run once a later one began on the machine, or ended.
func TestKilledInPreparation(t *testing.T) {
	for _, whole := range []bool{false, true} {
		f := aPlan(1)
		at := aPlace(t, f)
		starts(t, at, attempt(f, "m1", 1, 0), time.Hour)
		later := attempt(f, "m1", 1, 1)
		if whole {
			starts(t, at, later, time.Minute)
		}
		later.Whole = whole
		put(t, at, keyOf(later)+doneFile, done{Attempt: later})
		s, err := StatusOf(t.Context(), at, f.Hash, time.Now())
		if err != nil || s.Left != 0 || len(s.Machines[0].Running) > 0 {
			t.Errorf("whole %v: %+v, %v", whole, s, err)
		}
	}
}

// Of what a scheduler was given, tasks that began are counted once, however often they were begun.
func TestSubmissions(t *testing.T) {
	f := aPlan(1)
	at := aPlace(t, f)
	first := Submitted{Number: 0, On: "slurm", Jobs: []Job{{ID: "17", Kind: "a", Tasks: 2},
		{ID: "18", Kind: "b", Tasks: 2}}}
	if err := first.Record(t.Context(), at, f.Hash, true); err != nil {
		t.Fatal(err)
	}
	if err := first.Record(t.Context(), at, f.Hash, true); !errors.Is(err, place.ErrThere) {
		t.Errorf("two submissions have one number: %v", err)
	}
	if n, err := NextSubmission(t.Context(), at, f.Hash); n != 1 || err != nil {
		t.Errorf("the next is %d, %v", n, err)
	}
	for i, job := range []string{"0/a/0", "0/a/0", "0/b/1", "1/a/0", ""} {
		a := attempt(f, "m1", 1, i)
		put(t, at, keyOf(a)+begunFile, begun{Attempt: a, Host: "host", Expected: time.Hour, Job: job})
	}
	put(t, at, f.Hash+"/submitted/3.json", "no submission")
	if err := at.Write(t.Context(), f.Hash+"/submitted/4.json", []byte("{")); err != nil {
		t.Fatal(err)
	}
	s, err := StatusOf(t.Context(), at, f.Hash, time.Now().Add(3*time.Hour))
	if err != nil || len(s.Submissions) != 1 {
		t.Fatalf("%+v, %v", s, err)
	}
	if x := s.Submissions[0]; x.Tasks != 4 || x.Begun != 2 || x.Since < 2*time.Hour || x.Jobs[1].ID != "18" {
		t.Errorf("%+v", x)
	}
	if len(s.Warnings) < 2 || !strings.Contains(strings.Join(s.Warnings, "\n"), "submitted/4.json is damaged") {
		t.Errorf("warnings %q", s.Warnings)
	}
}

// Clocks that differ are said, and change nothing: times are those of the place.
func TestClocksThatDiffer(t *testing.T) {
	f := aPlan(1)
	f.Created = now()
	at := aPlace(t, f)
	a := attempt(f, "m1", 1, 0)
	a.Began = time.Unix(0, 0) // a board without a clock
	starts(t, at, a, time.Hour)
	s, err := StatusOf(t.Context(), at, f.Hash, time.Now().Add(-2*time.Hour))
	if err != nil || len(s.Machines[0].Running) != 1 || s.Left != time.Hour {
		t.Fatalf("%+v, %v", s, err)
	}
	said := strings.Join(s.Warnings, "\n")
	if len(s.Warnings) != 2 || !strings.Contains(said, "the clock of host (m1) is") ||
		!strings.Contains(said, "the clock of this machine is") {
		t.Errorf("warnings %q", s.Warnings)
	}
}

// A place that was copied has other times, and no clock differs for that; one whose files agree with it is behind.
func TestCopiedPlace(t *testing.T) {
	for _, c := range []struct {
		name         string
		copied       bool // the files have the time of copying
		took, behind time.Duration
		want         int // warnings
	}{
		{"copied", true, time.Minute, 0, 0},
		{"copied, of a short attempt", true, time.Second, 0, 0},
		{"as it was", false, time.Minute, 0, 0},
		{"a clock that is behind", false, time.Minute, 3 * time.Hour, 1},
	} {
		f := aPlan(1)
		f.Created = now().Add(-24 * time.Hour)
		at := aPlace(t, f)
		a := attempt(f, "m1", 1, 0)
		ended := now().Add(-c.behind)
		if c.copied {
			ended = ended.Add(-2 * time.Hour)
		}
		a.Began = ended.Add(-c.took)
		starts(t, at, a, time.Hour)
		if !c.copied {
			wrote := time.Now().Add(-c.took)
			if err := os.Chtimes(filepath.Join(at.Name, filepath.FromSlash(keyOf(a)+begunFile)), wrote, wrote); err != nil {
				t.Fatal(err)
			}
		}
		put(t, at, keyOf(a)+doneFile, done{Attempt: a, Sent: ended})
		left := attempt(f, "m2", 1, 0) // killed, long ago
		left.Began = a.Began
		starts(t, at, left, time.Minute)
		s, err := StatusOf(t.Context(), at, f.Hash, time.Now())
		if err != nil || len(s.Warnings) != c.want {
			t.Errorf("%s: %q, %v", c.name, s.Warnings, err)
		}
		if lost := len(s.Machines[1].Lost); c.copied && c.took >= least && lost != 1 {
			t.Errorf("%s: %+v", c.name, s.Machines[1])
		}
	}
}

// What does not belong into a place is named and left out.
func TestForeignObjects(t *testing.T) {
	f, other := aPlan(1), aPlan(2)
	if f.Hash == other.Hash {
		t.Fatal("two seeds have one hash")
	}
	at := aPlace(t, f, other)
	plans, err := Plans(t.Context(), at)
	if err != nil || len(plans) != 2 {
		t.Fatalf("plans %q, %v", plans, err)
	}
	wrong := attempt(other, "m1", 1, 0)
	here := attempt(f, "m1", 1, 0)
	put(t, at, keyOf(here)+doneFile, done{Attempt: wrong}) // copied by hand into another plan's folder
	put(t, at, f.Hash+"/notes.txt", "hello")
	put(t, at, f.Hash+"/m1/1-of-2000000000/0/begun.json", begun{Attempt: here}) // no table of so many is made
	if err := at.Write(t.Context(), keyOf(attempt(f, "m1", 2, 0))+doneFile, []byte("{")); err != nil {
		t.Fatal(err)
	}
	s, err := StatusOf(t.Context(), at, f.Hash, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	said := strings.Join(s.Warnings, "\n")
	for _, want := range []string{"is of plan " + other.Hash, "notes.txt is no part of an attempt", "1-of-2000000000/0/begun.json is no part of an attempt", "is damaged"} {
		if !strings.Contains(said, want) {
			t.Errorf("the warnings do not say %q: %q", want, s.Warnings)
		}
	}
	if len(s.Machines) != 1 || len(s.Machines[0].Done) != 0 {
		t.Errorf("%+v", s.Machines)
	}
	// A plan that was changed in the place is refused.
	path := filepath.Join(at.Name, f.Hash, Name)
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, []byte(strings.Replace(string(data), `"n": 10`, `"n": 11`, 1)), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	_, err = StatusOf(t.Context(), at, f.Hash, time.Now())
	if err == nil || !strings.Contains(err.Error(), "changed") {
		t.Errorf("a plan that was changed: %v", err)
	}
}

// Kinds that were calibrated since are added to the plan in the place, from whichever file they come; none is lost.
func TestKindsReachThePlace(t *testing.T) {
	f := aPlan(1)
	at := aPlace(t, f)
	with := func(kind string, calibrated time.Time) *File {
		g := aPlan(1)
		k := g.Kinds[0]
		k.Kind, k.Calibrated = kind, calibrated
		g.Add(k)
		if g.Hash != f.Hash {
			t.Fatalf("a kind changes the hash: %s, %s", g.Hash, f.Hash)
		}
		return g
	}
	then := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, g := range []*File{with("pi", then), with("epyc", then), with("pi", then.Add(time.Hour)), f, with("pi", then)} {
		if err := writePlan(t.Context(), at, g); err != nil {
			t.Fatal(err)
		}
	}
	l, err := list(t.Context(), at, f.Hash)
	if err != nil {
		t.Fatal(err)
	}
	if l.plan.Of("k") == nil || l.plan.Of("epyc") == nil || !l.plan.Of("pi").Calibrated.Equal(then.Add(time.Hour)) {
		t.Errorf("%+v", l.plan.Kinds)
	}
}

// The hint of a machine that is not calibrated names the plan that was given.
func TestNotCalibrated(t *testing.T) {
	for file, want := range map[string]string{"plans/pi.json": "memcost plan --add plans/pi.json",
		"s3://b/p/h/plan.json": "the file that was submitted"} {
		_, got := hint.Split(notCalibrated(Options{Plan: aPlan(1), File: file}, machine.Fingerprint{}, machine.Place{}))
		if !strings.Contains(strings.Join(got, "\n"), want) {
			t.Errorf("%s: %q", file, got)
		}
	}
}
