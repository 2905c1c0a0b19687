package claim

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/method/series"
	"memcost/internal/study/language"
)

// study parses directives of a whole study, "verb text" each; "Scope: verb text"
// stands in the doc comment of a benchmark.
func claimStudy(t testing.TB, lines ...[2]string) *language.Study {
	t.Helper()
	var ds []language.Directive
	for i, l := range lines {
		d := language.Directive{Verb: l[0], Text: l[1], Pos: language.Pos{File: "s_test.go", Line: i + 1}}
		if l[0] == "floor" {
			d.Text, d.Scope = "", l[1]
		}
		ds = append(ds, d)
	}
	st, err := language.Parse("s", ds, nil)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// A lab is a set of samples with planted truths.
type lab struct {
	set *series.Set
	rng *rand.Rand
}

func newLab(seed uint64) *lab {
	return &lab{series.New(func(string, string) int { return 0 }, "B/op", "allocs/op"), rand.New(rand.NewPCG(seed, 1))}
}

// add takes one sample of a case on an arm.
func (l *lab) add(name, arm, role string, round int, values ...benchfmt.Value) {
	r := &benchfmt.Result{Name: benchfmt.Name(name), Iters: 1_000_000,
		Values: append(values, benchfmt.Value{Value: float64(round), Unit: series.UnitRound})}
	for _, kv := range [][2]string{{series.KeyStudy, "s"}, {series.KeySide, arm}, {series.KeyRole, role}} {
		if kv[1] != "" {
			r.Config = append(r.Config, benchfmt.Config{Key: kv[0], Value: []byte(kv[1]), File: true})
		}
	}
	l.set.Add(r)
}

func sec(v float64) benchfmt.Value    { return benchfmt.Value{Value: v, Unit: "sec/op"} }
func allocs(v float64) benchfmt.Value { return benchfmt.Value{Value: v, Unit: "allocs/op"} }
func bytes(v float64) benchfmt.Value  { return benchfmt.Value{Value: v, Unit: "B/op"} }

// noisy is a cost with multiplicative noise and, one round in twenty, an outlier.
func (l *lab) noisy(cost, noise float64) float64 {
	x := 1 + noise*l.rng.NormFloat64()
	if l.rng.IntN(20) == 0 {
		x *= 1 + 10*noise*l.rng.Float64()
	}
	return cost * max(x, 0.01)
}

// places adds stack and heap cases of each size over the rounds: heap costs
// ratio(size) times as much. The machine drifts by half in the meantime.
func (l *lab) places(rounds int, noise float64, ratio func(size int) float64, sizes ...int) {
	for round := range rounds {
		drift := 1 + 0.5*float64(round)/float64(rounds)
		for _, size := range sizes {
			cost := 1e-11 * float64(size) * drift
			l.add(fmt.Sprintf("X/place=stack/size=%d-2", size), "a", "", round, sec(l.noisy(cost, noise)), allocs(0),
				bytes(0))
			l.add(fmt.Sprintf("X/place=heap/size=%d-2", size), "a", "", round, sec(l.noisy(cost*ratio(size), noise)),
				allocs(1), bytes(float64(size)))
		}
	}
}

func always(r float64) func(int) float64 { return func(int) float64 { return r } }

func (l *lab) judge(t testing.TB, st *language.Study) *Judged {
	t.Helper()
	return JudgeArms(Study{Name: "s", Written: st}, l.set, []string{"a"}, 0.05, nil)[0]
}

// verdict judges one claim.
func (l *lab) verdict(t testing.TB, text string) Verdict {
	t.Helper()
	return l.judge(t, claimStudy(t, [2]string{"claim", "C " + text})).Verdicts[0]
}
