package sample

import (
	"slices"
	"strings"
	"testing"
	"time"

	"memcost/internal/measure/plan"
	"memcost/internal/study/language"
)

// listedPlan has a case for each of some variants, which are listed and not yet calibrated.
func listedPlan(t *testing.T, executor *Executor, variants ...string) *plan.Plan {
	t.Helper()
	var all []language.Variant
	for _, v := range variants {
		all = append(all, language.Variant{Keys: "setting=" + v})
	}
	p := googlePlan(all...)
	p.Options.Bench = "Malloc/.*/op=malloc"
	if err := executor.List(t.Context(), p); err != nil || len(p.Cases) != len(variants) {
		t.Fatalf("%v, %d cases", err, len(p.Cases))
	}
	return p
}

func settings(names []string) string {
	var out []string
	for _, n := range names {
		_, n, _ = strings.Cut(n, "setting=")
		n, _, _ = strings.Cut(n, "/")
		out = append(out, n)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func namesOf(p *plan.Plan) (cases, left string) {
	var a, b []string
	for _, c := range p.Cases {
		a = append(a, c.Name)
	}
	for _, l := range p.NotReached {
		b = append(b, l.Name)
	}
	return settings(a), settings(b)
}

// Where the rest of the budget is owed to the rounds, one batch is calibrated all the same, the
// most needed, and the others are named; what is gone on with adds them behind it.
func TestCalibrationEndsWithTheBudget(t *testing.T) {
	executor := googleExecutor(t)
	p := listedPlan(t, executor, "a", "b", "c", "d", "e")
	batches := [][]int{{3, 1}, {1}, {0, 2}, {4}}
	executor.Batches = func([]plan.Case) [][]int { return batches }
	executor.Budget, executor.Owed = time.Hour, 2*time.Hour
	if err := executor.Calibrate(t.Context(), p, 0, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	if cases, left := namesOf(p); cases != "b d" || left != "a c e" || p.Prepared <= 0 {
		t.Fatalf("calibrated %s, left %s, in %v", cases, left, p.Prepared)
	}
	first := slices.Clone(p.Cases)
	listed := listedPlan(t, executor, "a", "c", "e")
	p.Cases = append(p.Cases, listed.Cases...)
	batches = [][]int{{2, 0}, {3}, {4}} // of b d a c e: b is calibrated already
	if err := executor.Calibrate(t.Context(), p, 2, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	if cases, left := namesOf(p); cases != "a b d" || left != "c e" || p.Cases[0].N != first[0].N {
		t.Fatalf("calibrated %s, left %s", cases, left)
	}
	executor.Owed = 0
	p.Cases = append(p.Cases, listed.Cases[1:]...)
	if err := executor.Calibrate(t.Context(), p, 3, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	if cases, left := namesOf(p); cases != "a b c d e" || left != "" {
		t.Fatalf("calibrated %s, left %s", cases, left)
	}
}

// Without a budget all are calibrated, and each process after the first is told the tick of
// the processor's counter.
func TestCalibrationWithoutABudget(t *testing.T) {
	executor := googleExecutor(t)
	p := listedPlan(t, executor, "a", "b", "c")
	if err := executor.Calibrate(t.Context(), p, 0, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	if cases, left := namesOf(p); cases != "a b c" || left != "" {
		t.Errorf("calibrated %s, left %s", cases, left)
	}
	if p.Studies[0].Tick != 0.5 {
		t.Errorf("the tick is %v ns", p.Studies[0].Tick)
	}
	p.Studies[0].Tick = 0.25
	target, _ := executor.Target(plan.Case{}, 0, 0)
	if cmd := Command(p, plan.Task{N: 4}, target); !slices.Contains(cmd.Env, "MEMCOST_TICK_NS=0.25") {
		t.Errorf("env %q", cmd.Env)
	}
}
