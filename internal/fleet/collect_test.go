package fleet

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/fleet/place"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
	"memcost/internal/method/series"
)

// measured makes the run folder of an attempt with some rounds of the case of its shard.
func measured(t *testing.T, f *File, a plan.Attempt, rounds int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	folder, err := store.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	folder.SyncEvery = time.Hour // a million samples, in the simulation
	p, err := f.Kinds[0].Shard(a)
	if err != nil {
		t.Fatal(err)
	}
	q := &plan.Question{Format: plan.Format, Tool: f.Tool, Plan: p, Attempt: &a}
	if err := folder.WriteQuestion(q); err != nil {
		t.Fatal(err)
	}
	for round := range rounds {
		for c, x := range p.Cases {
			if !p.Mine(x.Group) {
				continue
			}
			r := &benchfmt.Result{Name: benchfmt.Name(x.Name), Iters: 1, Values: []benchfmt.Value{
				{Value: 1e-9, Unit: "sec/op", OrigValue: 1, OrigUnit: "ns/op"},
				{Value: float64(round), Unit: series.UnitRound}, {Value: float64(c), Unit: series.UnitOrder}}}
			r.SetConfig(series.KeyStudy, "s")
			r.Config[0].File = true
			if err := folder.Append(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// collected joins a place, and returns the rounds of each case in each data set, and what was noted.
func collected(t *testing.T, hash string, at ...*place.Place) (sets []map[string]int, notes string) {
	t.Helper()
	var said []string
	dirs, err := Collect(t.Context(), at, hash, t.TempDir(), func(s string) { said = append(said, s) })
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		rounds := map[string]int{}
		count := func(r *benchfmt.Result) error { rounds[string(r.Name)]++; return nil }
		if _, err := store.ReadSamples(dir, count); err != nil {
			t.Fatal(err)
		}
		sets = append(sets, rounds)
	}
	return sets, strings.Join(said, "\n")
}

func TestSendAndCollect(t *testing.T) {
	f := aPlan(1)
	at := aPlace(t, f)
	whole := attempt(f, "m1", 1, 0)
	whole.Whole, whole.Ended = true, "done"
	dir := measured(t, f, whole, 4)
	for range 2 { // sent twice, it is there once
		if err := send(t.Context(), at, dir); err != nil {
			t.Fatal(err)
		}
	}
	if !wasSent(dir, at) {
		t.Error("the run folder does not say that it was sent")
	}
	killed := attempt(f, "m1", 2, 0)
	if err := send(t.Context(), at, measured(t, f, killed, 4)); err != nil {
		t.Fatal(err)
	}
	sets, notes := collected(t, f.Hash, at)
	if got := fmt.Sprint(sets); got != "[map[C0:4 C1:3]]" || !strings.HasSuffix(notes, "is here: C2") {
		t.Errorf("joined %s, noted %q", got, notes)
	}

	// The same number again, measured by another process: the place keeps the first.
	twice := whole
	twice.Token = "other"
	if err := send(t.Context(), at, measured(t, f, twice, 9)); err == nil ||
		!strings.Contains(err.Error(), "has another attempt 0 at shard 1/3") {
		t.Errorf("sending another attempt 0: %v", err)
	}
	if sets, _ := collected(t, f.Hash, at); fmt.Sprint(sets) != "[map[C0:4 C1:3]]" {
		t.Errorf("joined then %v", sets)
	}

	// Two places that hold the same attempt, one of them another besides.
	other := aPlace(t, f)
	more := attempt(f, "m1", 3, 0)
	more.Whole = true
	for _, dir := range []string{dir, measured(t, f, more, 2)} {
		if err := send(t.Context(), other, dir); err != nil {
			t.Fatal(err)
		}
	}
	if sets, _ := collected(t, f.Hash, at, other); fmt.Sprint(sets) != "[map[C0:4 C1:3 C2:2]]" {
		t.Errorf("of two places: %v", sets)
	}

	// A shard that moved to another machine is a data set of its own.
	moved := attempt(f, "m2", 3, 0)
	moved.Whole = true
	if err := send(t.Context(), at, measured(t, f, moved, 5)); err != nil {
		t.Fatal(err)
	}
	if sets, _ := collected(t, f.Hash, at); fmt.Sprint(sets) != "[map[C0:4 C1:3] map[C2:5]]" {
		t.Errorf("of two machines: %v", sets)
	}
}

// What is not whole in the place is left out, by name.
func TestHalfWrittenAttempts(t *testing.T) {
	f := aPlan(1)
	at := aPlace(t, f)
	sent := func(shard int) (string, plan.Attempt) {
		a := attempt(f, "m1", shard, 0)
		a.Whole = true
		if err := send(t.Context(), at, measured(t, f, a, 3)); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(at.Name, filepath.FromSlash(keyOf(a))), a
	}
	sent(1)
	half, _ := sent(2)
	if err := os.Remove(filepath.Join(half, doneFile)); err != nil {
		t.Fatal(err)
	}
	short, a := sent(3)
	samples := filepath.Join(short, a.Token, store.SamplesFile)
	if err := os.Truncate(samples, 20); err != nil {
		t.Fatal(err)
	}
	sets, notes := collected(t, f.Hash, at)
	if fmt.Sprint(sets) != "[map[C0:3]]" {
		t.Errorf("joined %v", sets)
	}
	for _, want := range []string{"shard 2/3 of m1 is left out: it is half-written", "shard 3/3 of m1 is left out",
		"not as long as when it was sent"} {
		if !strings.Contains(notes, want) {
			t.Errorf("not noted: %q in %q", want, notes)
		}
	}
	// The same length, but not what was sent.
	first := filepath.Join(at.Name, filepath.FromSlash(keyOf(attempt(f, "m1", 1, 0))), "t10", store.SamplesFile)
	data, err := os.ReadFile(first)
	if err == nil {
		data[len(data)-2] ^= 1
		err = os.WriteFile(first, data, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	_, err = Collect(t.Context(), []*place.Place{at}, f.Hash, t.TempDir(), func(s string) { notes += "\n" + s })
	if err == nil || !strings.Contains(notes, "its hash differs") {
		t.Errorf("a file that changed: %v, noted %q", err, notes)
	}
}

// The status of a plan goes by what is there, and not by what done.json says of it.
func TestStatusOfWhatIsNotWhole(t *testing.T) {
	for name, spoil := range map[string]func(folder string, a plan.Attempt) error{
		"": func(string, plan.Attempt) error { return nil },
		"not as long": func(folder string, a plan.Attempt) error {
			return os.Truncate(filepath.Join(folder, a.Token, store.SamplesFile), 20)
		},
		"its hash differs": func(folder string, a plan.Attempt) error {
			return edit(filepath.Join(folder, a.Token, store.SamplesFile), "ns/op", "ns/oq")
		},
		"it has 3 samples, and its done.json says 1222": func(folder string, _ plan.Attempt) error {
			return edit(filepath.Join(folder, doneFile), `"samples": 3`, `"samples": 1222`)
		},
	} {
		f := aPlan(1)
		at := aPlace(t, f)
		a := attempt(f, "m1", 1, 0)
		a.Whole = true
		err := send(t.Context(), at, measured(t, f, a, 3))
		if err == nil {
			err = spoil(filepath.Join(at.Name, filepath.FromSlash(keyOf(a))), a)
		}
		if err != nil {
			t.Fatal(err)
		}
		s, err := StatusOf(t.Context(), at, f.Hash, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		m := s.Machines[0]
		if said := strings.Join(s.Warnings, "\n"); name == "" && (len(m.Done) != 1 || m.Samples != 3 || said != "") ||
			name != "" && (len(m.Lost) != 1 || m.Samples != 0 || !strings.Contains(said, name)) {
			t.Errorf("%s: %+v, %q", name, m, said)
		}
	}
}

func edit(file, from, to string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !strings.Contains(string(data), from) {
		return fmt.Errorf("%s has no %s", file, from)
	}
	return os.WriteFile(file, []byte(strings.Replace(string(data), from, to, 1)), 0o666)
}

// An attempt without a sample is not sent.
func TestNothingMeasured(t *testing.T) {
	f := aPlan(1)
	at := aPlace(t, f)
	if err := send(t.Context(), at, measured(t, f, attempt(f, "m1", 1, 0), 0)); err == nil {
		t.Error("an empty attempt was sent")
	}
	if _, err := Collect(t.Context(), []*place.Place{at}, f.Hash, t.TempDir(), func(string) {}); err == nil {
		t.Error("an empty place was joined")
	}
}
