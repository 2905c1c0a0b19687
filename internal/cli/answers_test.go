package cli

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/measure/sample"
	"memcost/internal/method/claim"
	"memcost/internal/method/series"
	"memcost/internal/study/language"
)

// running is a study of made-up samples that are judged after each round.
type running struct {
	study *language.Study
	set   *series.Set
	rng   *rand.Rand
	round int
	sides int
}

func newRunning(t *testing.T, claims ...string) *running {
	t.Helper()
	var ds []language.Directive
	for _, c := range claims {
		ds = append(ds, language.Directive{Verb: "claim", Text: c})
	}
	st, err := language.Parse("heaps", ds, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &running{st, series.New(nil), rand.New(rand.NewPCG(1, 2)), 0, 1}
}

// measure takes a round of cases, by their costs, with a noise of 2%.
func (r *running) measure(costs map[string]float64) {
	for _, name := range slices.Sorted(maps.Keys(costs)) { // in an order, for the noise has a seed
		cost := costs[name]
		res := &benchfmt.Result{Name: benchfmt.Name(name), Iters: 1, Values: []benchfmt.Value{
			{Value: cost * math.Exp(0.02*r.rng.NormFloat64()), Unit: "sec/op"},
			{Value: float64(r.round), Unit: series.UnitRound}}}
		for _, kv := range [][2]string{{series.KeyStudy, "heaps"}, {series.KeySide, "go1.26"}} {
			res.Config = append(res.Config, benchfmt.Config{Key: kv[0], Value: []byte(kv[1]), File: true})
		}
		r.set.Add(res)
	}
	r.round++
}

// progress is what a run tells at the beginning of a round.
func (r *running) progress() sample.Progress {
	studies := []claim.Study{{Name: "heaps", Written: r.study}}
	return sample.Progress{Round: r.round, Studies: studies,
		Judged: claim.JudgeArms(studies[0], r.set, []string{"go1.26"}, 0.05, nil),
		Arms:   func(int) []int { return make([]int, r.sides) }}
}

// told measures some rounds and returns what is told meanwhile, with the round.
func (r *running) told(rounds int, costs map[string]float64) (lines []string) {
	var a liveAnswers
	for range rounds {
		r.measure(costs)
		x := r.progress()
		for _, line := range a.Decided(x) {
			lines = append(lines, fmt.Sprintf("%d: %s", r.round, line))
		}
		if x.Done = 1; a.Decided(x) != nil {
			lines = append(lines, "in the middle of a round")
		}
	}
	return lines
}

var costs = map[string]float64{"A": 1e-6, "B": 3e-6, "C": 1.001e-6}

// An answer is told once, when it is decided, in the study's own words and with its interval.
func TestAnswerIsToldWhenItIsDecided(t *testing.T) {
	r := newRunning(t, "near .name:C / .name:A > 1.2 # C costs more than A",
		"far .name:B / .name:A > 2 # B costs twice as much as A",
		"other .name:B / .name:C > 2 # B costs twice as much as C")
	r.study.Answer = []string{"far", "other"}
	r.study.Front.Say = map[string]map[string]string{"far": {language.Holds: "The heap costs {value} times the stack."}}
	lines := r.told(20, costs)
	if len(lines) != 1 {
		t.Fatalf("%d answers are told: %q", len(lines), lines)
	}
	round, line, _ := strings.Cut(lines[0], ": ")
	says := regexp.MustCompile(`^decided: the heap costs \d\.\d \[\d\.\d, \d\.\d\] times the stack \(heaps far\)$`)
	if round == "1" || !says.MatchString(line) {
		t.Errorf("%q", lines[0])
	}
}

// Without a sentence the general form names both sides.
func TestAnswerInTheGeneralForm(t *testing.T) {
	r := newRunning(t, "far .name:B / .name:A > 2 # B costs twice as much as A")
	r.study.Answer = []string{"far"}
	for sides, at := range map[int]string{1: " (heaps far)", 2: " (heaps far, go1.26)"} {
		r.set, r.round, r.sides = series.New(nil), 0, sides
		lines := r.told(20, costs)
		if len(lines) != 1 || !strings.Contains(lines[0], "decided: B costs 3.") || !strings.HasSuffix(lines[0], at) {
			t.Errorf("%q", lines)
		}
	}
}

// What answers before what was told is told, too, when it is decided later; what answers behind it
// is not.
func TestAnswersInTheirOrder(t *testing.T) {
	r := newRunning(t, "near .name:C / .name:A < 1.02 # C costs as much as A",
		"far .name:B / .name:A > 2 # B costs twice as much as A")
	for _, x := range []struct{ answer, want []string }{
		{[]string{"near", "far"}, []string{"(heaps far)", "(heaps near)"}},
		{[]string{"far", "near"}, []string{"(heaps far)"}},
	} {
		r.set, r.round, r.study.Answer = series.New(nil), 0, x.answer
		var got []string
		for _, l := range r.told(60, costs) {
			got = append(got, l[strings.LastIndex(l, "("):])
		}
		if !slices.Equal(got, x.want) {
			t.Errorf("the answers are %v: %q are told, want %q", x.answer, got, x.want)
		}
	}
}

// Of a package that does not say which claims answer, the first few are told.
func TestFewOfAPackage(t *testing.T) {
	var claims []string
	for i := range 10 {
		claims = append(claims, fmt.Sprintf("far%d .name:B / .name:A > 1.%d # B costs more than A", i, i))
	}
	if lines := newRunning(t, claims...).told(20, costs); len(lines) != few {
		t.Errorf("%d of 10 claims are told: %q", len(lines), lines)
	}
	if lines := newRunning(t).told(3, costs); len(lines) > 0 {
		t.Errorf("there is no claim, and told are %q", lines)
	}
}

func TestSentenceAfterAColon(t *testing.T) {
	for s, want := range map[string]string{"The heap": "the heap", "M_TOP_PAD=0 costs": "M_TOP_PAD=0 costs",
		"Go's stack": "Go's stack", "A pool": "a pool", "": ""} {
		if got := within(s); got != want {
			t.Errorf("%q becomes %q, want %q", s, got, want)
		}
	}
}
