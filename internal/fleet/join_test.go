package fleet

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/machine"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
	"memcost/internal/method/series"
)

// attempt is one at shard of two, with two cases in the shard, each a comparison of its own.
func joinAttempt(shard, number, rounds int, whole bool) store.Source {
	q := &plan.Question{Format: plan.Format, Tool: "memcost 0.1.0", Created: time.Unix(1e9, 0),
		Packages: []string{"./..."}, Machine: machine.Fingerprint{Kernel: "6.1"},
		Builds: []plan.Build{{Hash: "abcdefgh"}},
		Attempt: &plan.Attempt{Plan: "p", Calibration: "c", Machine: "m", Boot: "b", Shard: shard, Shards: 2,
			Number: number, Token: fmt.Sprint(shard, number), Began: time.Unix(1e9+int64(number), 0), Whole: whole}}
	q.Plan = plan.Plan{Options: plan.Options{Alpha: .05, Shard: shard, Shards: 2, Draw: 5},
		Sides: []plan.Side{{Name: "go1"}}, Studies: []plan.Study{{Name: "s"}}, Parts: []int{1, 1, 2, 2}}
	for i := range 4 {
		q.Plan.Cases = append(q.Plan.Cases, plan.Case{Name: fmt.Sprintf("C%d", i), Base: fmt.Sprintf("C%d", i), N: 1})
	}
	q.Plan.Link(nil)
	return store.Source{Name: fmt.Sprintf("attempt %d/%d", shard, number), Question: q, Samples: func(fn func(*benchfmt.Result) error) ([]error, error) {
		for round := range rounds {
			for i, c := range []int{2*shard - 2, 2*shard - 1} {
				if err := fn(joinSample(c, round, i, float64(100*number+round))); err != nil {
					return nil, err
				}
			}
		}
		return nil, nil
	}}
}

func joinSample(c, round, order int, ns float64) *benchfmt.Result {
	r := &benchfmt.Result{Name: benchfmt.Name(fmt.Sprintf("C%d", c)), Iters: 1, Values: []benchfmt.Value{
		{Value: ns * 1e-9, Unit: "sec/op", OrigValue: ns, OrigUnit: "ns/op"},
		{Value: float64(round), Unit: series.UnitRound}, {Value: float64(order), Unit: series.UnitOrder}}}
	r.SetConfig(series.KeyStudy, "s")
	r.SetConfig(series.KeyToolchain, "go1")
	for i := range r.Config {
		r.Config[i].File = true
	}
	return r
}

// joined returns the question, the tally, and the samples of each case as "round:time".
func joined(t *testing.T, s Set) (*plan.Question, Tally, map[string][]string) {
	t.Helper()
	var b bytes.Buffer
	q, tally, err := s.Write(&b)
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Check(); err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	r := benchfmt.NewReader(&b, "joined")
	for r.Scan() {
		x, ok := r.Result().(*benchfmt.Result)
		if !ok {
			t.Fatalf("%v", r.Result())
		}
		round, _ := x.Value(series.UnitRound)
		sec, _ := x.Value("sec/op")
		out[string(x.Name)] = append(out[string(x.Name)], fmt.Sprintf("%v:%.0f", round, sec*1e9))
	}
	return q, tally, out
}

func one(t *testing.T, folders ...store.Source) Set {
	t.Helper()
	sets := Sets(folders)
	if len(sets) != 1 {
		t.Fatalf("%d data sets: %+v", len(sets), sets)
	}
	return sets[0]
}

// The rounds of an attempt that was killed count but for the last, and those of the next go on from
// them; the other shard is not changed by it.
func TestRoundsGoOnFromAttemptToAttempt(t *testing.T) {
	q, tally, got := joined(t, one(t, joinAttempt(1, 1, 2, true), joinAttempt(2, 0, 2, true), joinAttempt(1, 0, 3, false)))
	for c, want := range map[string]string{"C0": "0:0 1:1 2:100 3:101", "C1": "0:0 1:1 2:100 3:101", "C2": "0:0 1:1",
		"C3": "0:0 1:1"} {
		if s := strings.Join(got[c], " "); s != want {
			t.Errorf("%s: %s, want %s", c, s, want)
		}
	}
	if tally.Cut != 2 || tally.Kept != 12 || tally.Repeats != 0 || len(tally.Missing) != 0 {
		t.Errorf("tally %+v", tally)
	}
	if o := q.Plan.Options; q.Attempt != nil || o.Shard != 0 || o.Shards != 0 || q.Plan.Parts != nil || o.Draw != 0 {
		t.Errorf("the question is that of a shard: %+v", q)
	}
	if len(q.Warnings) != 1 || !strings.Contains(q.Warnings[0], "2 samples are left out") {
		t.Errorf("warnings %q", q.Warnings)
	}
}

// A board that lost its clock is put in order by the numbers of its attempts.
func TestClocksDoNotDecideTheOrder(t *testing.T) {
	first, second := joinAttempt(1, 0, 1, true), joinAttempt(1, 1, 1, true)
	first.Question.Attempt.Began, second.Question.Attempt.Began = time.Unix(2e9, 0), time.Unix(0, 0)
	_, _, got := joined(t, one(t, second, first, joinAttempt(2, 0, 1, true)))
	if s := strings.Join(got["C0"], " "); s != "0:0 1:100" {
		t.Errorf("in the order %s", s)
	}
}

// Of copies of an attempt, one of which is a part, every sample counts once; a shard that was run
// twice with one number was measured twice.
func TestRepeats(t *testing.T) {
	part, whole := joinAttempt(1, 0, 1, false), joinAttempt(1, 0, 3, true)
	_, tally, got := joined(t, one(t, part, whole, joinAttempt(2, 0, 3, true)))
	if s := strings.Join(got["C0"], " "); s != "0:0 1:1 2:2" || tally.Repeats != 2 || tally.Cut != 0 {
		t.Errorf("%s, %+v", s, tally)
	}
	again := joinAttempt(1, 0, 2, true)
	again.Question.Attempt.Token = "z"
	_, tally, got = joined(t, one(t, whole, again, joinAttempt(2, 0, 3, true)))
	if s := strings.Join(got["C0"], " "); s != "0:0 1:1 2:2 3:0 4:1" || tally.Repeats != 0 {
		t.Errorf("%s, %+v", s, tally)
	}
}

// What a machine measured after a change is a data set of its own, and so is what moved to another.
func TestSetsOfTheirOwn(t *testing.T) {
	for what, change := range map[string]func(*plan.Question){
		"kernel 6.2":    func(q *plan.Question) { q.Machine.Kernel = "6.2" },
		"binaries zz":   func(q *plan.Question) { q.Builds = []plan.Build{{Hash: "zz"}} },
		"memcost 0.2.0": func(q *plan.Question) { q.Tool = "memcost 0.2.0" },
		"calibration d": func(q *plan.Question) { q.Attempt.Calibration = "d" },
	} {
		moved := joinAttempt(2, 0, 2, true)
		change(moved.Question)
		if sets := Sets([]store.Source{joinAttempt(1, 0, 2, true), moved}); len(sets) != 2 || sets[0].State != "" ||
			sets[1].State != what {
			t.Errorf("%s: %+v", what, sets)
		}
	}
	moved := joinAttempt(2, 0, 2, true)
	moved.Question.Attempt.Machine = "other"
	sets := Sets([]store.Source{joinAttempt(1, 0, 2, true), moved})
	if len(sets) != 2 || sets[0].Machine != "m" || sets[1].Machine != "other" || sets[1].State != "" {
		t.Fatalf("moved to another machine: %+v", sets)
	}
	boot := joinAttempt(2, 0, 2, true)
	boot.Question.Attempt.Boot = "another"
	one(t, joinAttempt(1, 0, 2, true), boot) // a restart changes nothing
	shipped, elsewhere := joinAttempt(1, 0, 2, true), joinAttempt(2, 0, 2, true)
	shipped.Question.Packages, elsewhere.Question.Packages = nil, nil
	elsewhere.Question.Builds = []plan.Build{{Hash: "built in another folder"}}
	one(t, shipped, elsewhere)
}

// What no shard measured is missing by name.
func TestMissingShards(t *testing.T) {
	q, tally, _ := joined(t, one(t, joinAttempt(2, 0, 2, true)))
	if !slices.Equal(q.Plan.Missing, []int{0, 1}) || len(tally.Missing) != 2 || len(q.Plan.Cases) != 4 ||
		!strings.Contains(strings.Join(q.Warnings, "\n"), "2 of 4 cases are missing") ||
		!strings.Contains(strings.Join(q.Warnings, "\n"), "C0, C1") {
		t.Errorf("missing %v, %+v, warnings %q", q.Plan.Missing, tally, q.Warnings)
	}
}

// Sets are called by the names of their machines, as far as these tell them apart.
func TestLabels(t *testing.T) {
	a, b, c, d := joinAttempt(1, 0, 1, true), joinAttempt(1, 0, 1, true), joinAttempt(1, 0, 1, true), joinAttempt(1, 1, 1, true)
	a.Question.Machine.Hostname, b.Question.Machine.Hostname, c.Question.Machine.Hostname = "pi", "pi", "epyc"
	b.Question.Attempt.Machine, c.Question.Attempt.Machine = "m2", "m3"
	d.Question.Machine.Hostname, d.Question.Attempt.Machine, d.Question.Machine.Kernel = "epyc", "m3", "6.2"
	got := Labels(Sets([]store.Source{a, b, c, d}))
	if want := []string{"pi m", "pi m2", "epyc", "epyc, kernel 6.2"}; !slices.Equal(got, want) {
		t.Errorf("called %q, want %q", got, want)
	}
}
