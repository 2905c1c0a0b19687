package answer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"memcost/internal/measure/plan"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

// smaugFront is what a study.toml could say of the study of the run folders in testdata.
const smaugFront = `
ask = "Which place is cheaper?"
answer = ["S1"]
key = "By size"

[say]
S1.holds = "The heap costs {lo} times the stack at {lo.at} and {hi} times at {hi.at}."
S1.fails = "At {at} the stack costs {inverse} times the heap."
S2.holds = "Up to {upto} nothing turns, from {from} on it does."
S2.fails = "Twice the size takes {times} times as long."

[[advise]]
claim = "S1 holds"
do = "Pass values up to {last}"
when = "one goroutine"
because = "The heap costs {lo} to {hi} times the stack."

[[advise]]
claim = "S1 fails"
do = "Pass pointers"
when = "one goroutine"
because = "The stack costs {inverse} times the heap."

[[axis]]
mean = "stack"
label = "Go stack"
short = "stack"
family = "stack"
cases = ".name:Smaug place:stack"
ends = "its cases end there"

[[axis]]
mean = "heap"
label = "Go heap"
short = "heap"
family = "heap"
cases = ".name:Smaug place:heap"

[[axis]]
mean = "pool"
label = "sync.Pool"
short = "pool"
family = "pool"
cases = ".name:Smaug place:pool"

[names]
"place:heap" = "the heap"
"place:stack" = "the stack"

[[picture]]
kind = "curve"
title = "By size"
by = "size"
of = "Smaug"
columns = ["stack = place:stack", "heap = place:heap"]
`

// recordedRun returns a run folder of internal/report/result's tests: of the study smaug, of one
// machine, by a tool that knew no front.
func recordedRun(t testing.TB, name string) *result.Answer {
	t.Helper()
	a, err := result.Read(filepath.Join("..", "result", "testdata", name), result.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// smaug returns the study of a run folder as a program of today ships it, with a front.
func smaug(t testing.TB, name string) *language.Study {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "result", "testdata", name, "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	var q plan.Question
	if err := json.Unmarshal(data, &q); err != nil {
		t.Fatal(err)
	}
	show, err := language.ReadShow("study.toml", []byte(smaugFront))
	if err != nil {
		t.Fatal(err)
	}
	code := slices.DeleteFunc(q.Plan.Studies[0].Directives, func(d language.Directive) bool {
		return d.Verb == "question" || d.Verb == "table"
	})
	st, err := language.Parse(q.Plan.Studies[0].Name, code, show)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// frontOf returns the front of a recorded run, with the sentences of today.
func frontOf(t testing.TB, name string) *Front {
	t.Helper()
	return Of([]*result.Answer{recordedRun(t, name)}, Options{Shipped: []*language.Study{smaug(t, name)}})
}

// verdictOf returns the verdict of an answer on a claim, to be changed.
func verdictOf(t testing.TB, a *result.Answer, id string) *result.Verdict {
	t.Helper()
	v := verdict(judged(&a.Studies[0], id))
	if v == nil {
		t.Fatalf("no verdict on %s", id)
	}
	return v
}

// mean returns a curve of an axis here.
func (a *Axis) mean(t testing.TB, key string) *Mean {
	t.Helper()
	i := slices.IndexFunc(a.Means, func(m Mean) bool { return m.Key == key && m.Run == 0 })
	if i < 0 {
		t.Fatalf("no curve of %s", key)
	}
	return &a.Means[i]
}
