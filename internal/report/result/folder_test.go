package result

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/machine"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
	"memcost/internal/method/series"
	"memcost/internal/study/language"
)

// A bench is a case of a made-up run: what it truly costs, and how.
type bench struct {
	name   string
	sec    float64 // per op, on the first side
	slower float64 // ratio of the second side to the first; 0 is 1
	bytes  float64
	allocs float64
	n      int64
	group  int
	cpu    float64 // per op; 0: not measured
	steps  float64 // cost at a quarter of n over that at n; 0 takes no quarter samples
	fails  bool    // never gives a result
}

// A run is a run folder to be made up.
type run struct {
	study      string
	directives []language.Directive
	show       *language.Show
	sides      []string
	cases      []bench
	rounds     int
	noise      float64 // of the logarithm of a figure; the machine's state drifts as much again
	double     string  // the case with an A′
	edit       func(q *plan.Question)
	sample     func(round int, side string, r *benchfmt.Result) // changes a sample before it is written
}

// directive returns a directive of a whole study.
func directive(verb, text string) language.Directive {
	return language.Directive{Verb: verb, Text: text, Pos: language.Pos{File: "study_test.go", Line: 1}}
}

func (x *run) question() *plan.Question {
	q := &plan.Question{
		Format: plan.Format, Tool: "memcost 0.0.0", Created: time.Date(2026, 11, 21, 10, 15, 30, 0, time.UTC),
		Command: []string{"memcost", "run", x.study},
		Machine: machine.Fingerprint{Hostname: "fixture", OS: "linux", Arch: "amd64", CPUModel: "Fixture 9000", CPUs: 2,
			MemoryBytes: 8 << 30},
		Plan: plan.Plan{
			Options: plan.Options{Profile: "quick", Seed: 1, Alpha: plan.Alpha, Precision: plan.QuickPrecision},
			Studies: []plan.Study{{Name: x.study, Pkg: x.study, Directives: x.directives, Show: x.show}},
		},
	}
	for _, a := range x.sides {
		q.Plan.Sides = append(q.Plan.Sides, plan.Side{Name: a, Toolchain: a})
		q.Builds = append(q.Builds, plan.Build{Side: len(q.Plan.Sides) - 1})
	}
	for i, c := range x.cases {
		q.Plan.Cases = append(q.Plan.Cases, plan.Case{Name: c.name, Base: c.name, Procs: 2, N: c.n, Group: c.group})
		if c.name == x.double {
			q.Plan.Doubles = []int{i}
		}
		if c.steps > 0 {
			q.Plan.Suspects = append(q.Plan.Suspects, i)
		}
	}
	if x.edit != nil {
		x.edit(q)
	}
	return q
}

// write makes the folder. The same run gives the same bytes.
func (x *run) write(t testing.TB, dir string) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(dir, 0o777))
	data, err := json.MarshalIndent(x.question(), "", "  ")
	must(err)
	must(os.WriteFile(filepath.Join(dir, store.QuestionFile), append(data, '\n'), 0o666))
	f, err := os.Create(filepath.Join(dir, store.SamplesFile))
	must(err)
	buf := bufio.NewWriterSize(f, 1<<20)
	must(x.samples(benchfmt.NewWriter(buf)))
	must(buf.Flush())
	must(f.Close())
}

func (x *run) samples(w *benchfmt.Writer) error {
	rng := rand.New(rand.NewPCG(1, 2))
	state := 0.0
	for round := range x.rounds {
		state = 0.9*state + x.noise*rng.NormFloat64()
		order := rng.Perm(len(x.cases))
		for at, c := range order {
			for _, t := range x.tasks(round, x.cases[c], rng) {
				t.order = at
				t.cost *= 1 + state + x.noise*rng.NormFloat64()
				r := x.result(t, rng)
				if x.sample != nil {
					x.sample(round, t.side, r)
				}
				if err := w.Write(r); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

type task struct {
	bench
	side, role   string
	round, order int
	cost         float64
}

func (x *run) tasks(round int, c bench, rng *rand.Rand) []task {
	var ts []task
	for i, side := range x.sides {
		t := task{bench: c, side: side, round: round, cost: c.sec}
		if i == 1 && c.slower > 0 {
			t.cost *= c.slower
		}
		ts = append(ts, t)
		if i > 0 {
			continue
		}
		if c.name == x.double {
			t.role = string(plan.Double)
			ts = append(ts, t)
		}
		if c.steps > 0 && round < plan.GuardRounds {
			t.role, t.cost, t.n = string(plan.Quarter), c.sec*c.steps, c.n/4
			ts = append(ts, t)
		}
	}
	rng.Shuffle(len(ts), func(i, j int) { ts[i], ts[j] = ts[j], ts[i] })
	return ts
}

// result has the units of a real sample, in their order.
func (x *run) result(t task, rng *rand.Rand) *benchfmt.Result {
	config := func(key, value string) benchfmt.Config {
		return benchfmt.Config{Key: key, Value: []byte(value), File: true}
	}
	r := &benchfmt.Result{
		Config: []benchfmt.Config{config("goos", "linux"), config("goarch", "amd64"),
			config(series.KeyStudy, x.study), config(series.KeySide, t.side), config(series.KeyToolchain, t.side)},
		Name: []byte(t.name), Iters: int(t.n),
	}
	if t.role != "" {
		r.Config = append(r.Config, config(series.KeyRole, t.role))
	}
	if t.fails {
		r.Config = append(r.Config, config(series.KeyFailed, "exit status 2: panic: index out of range"))
		r.Values = []benchfmt.Value{{Value: 1, Unit: series.UnitFailed},
			{Value: float64(t.round), Unit: series.UnitRound}}
		return r
	}
	loop := t.cost * float64(t.n)
	for _, v := range []benchfmt.Value{
		{Value: t.cost, Unit: "sec/op", OrigValue: round6(t.cost * 1e9), OrigUnit: "ns/op"},
		{Value: t.bytes, Unit: "B/op"}, {Value: t.allocs, Unit: "allocs/op"},
		{Value: 0, Unit: "gc-cycles"}, {Value: 0, Unit: "gc-cpu-share"},
		{Value: float64(6_000_000 + rng.IntN(1<<18)), Unit: series.UnitRSS},
		{Value: round6(loop * 0.97), Unit: series.UnitUser}, {Value: 0.004, Unit: series.UnitSys},
		{Value: float64(900 + rng.IntN(99)), Unit: series.UnitMinorFaults}, {Value: 0, Unit: series.UnitMajorFaults},
		{Value: float64(180 + rng.IntN(60)), Unit: series.UnitVoluntary}, {Value: float64(rng.IntN(60)),
			Unit: series.UnitInvoluntary},
		{Value: round6(loop + 0.007), Unit: series.UnitWall}, {Value: 0, Unit: series.UnitSteal},
		{Value: float64(rng.IntN(9)) / 1000, Unit: series.UnitForeign}, {Value: 0, Unit: series.UnitPSICPU},
		{Value: 0, Unit: series.UnitPSIMemory}, {Value: 0, Unit: series.UnitPSIIO},
		{Value: float64(t.round), Unit: series.UnitRound}, {Value: float64(t.order), Unit: series.UnitOrder},
		{Value: float64(rng.IntN(4)), Unit: series.UnitLayout}, {Value: float64(rng.IntN(4096)),
			Unit: series.UnitPadding},
	} {
		r.Values = append(r.Values, v)
	}
	if t.cpu > 0 {
		r.Values = append(r.Values, benchfmt.Value{Value: t.cpu * (t.cost / t.sec), Unit: series.UnitCPU})
	}
	return r
}

// round6 keeps six digits, as the testing package prints them.
func round6(x float64) float64 {
	var y float64
	fmt.Sscan(fmt.Sprintf("%.6g", x), &y)
	return y
}
