package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

// readAnswer returns the output of memcost report --json for a run folder.
func readAnswer(t *testing.T, dir string) *answer {
	t.Helper()
	read, err := result.Read(dir, result.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(read.Warnings) > 0 {
		t.Errorf("warnings: %q", read.Warnings)
	}
	data, err := json.Marshal([]*result.Answer{read})
	if err != nil {
		t.Fatal(err)
	}
	a, err := parseAnswer(data)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Two benchmarks on two arms: one alike, one 20% slower. The answer comes from
// memcost's own report.
func TestPairsOfAnAnswer(t *testing.T) {
	const rounds = 60
	dir := t.TempDir()
	q := madeQuestion(&language.Study{}, nil)
	q.Plan.Sides = append(q.Plan.Sides, plan.Side{Name: "other", Toolchain: madeArm, Env: []string{"X=1"}})
	q.Builds = append(q.Builds, plan.Build{Side: 1})
	names := []string{"Alike", "Slower"}
	for i, name := range names {
		q.Plan.Cases = append(q.Plan.Cases, plan.Case{Name: name, Base: name, Procs: 1, N: 1000, Group: i})
	}
	f, err := store.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.WriteQuestion(q); err != nil {
		t.Fatal(err)
	}
	var samples strings.Builder
	samples.WriteString("study: stackheap\n")
	for _, arm := range []string{madeArm, "other"} {
		fmt.Fprintf(&samples, "\narm: %s\n\n", arm)
		for round := range rounds {
			for i, slower := range []float64{1, 1.2} {
				ns := 100 + 3*math.Sin(float64(7*round+i)) // the same on both arms …
				if arm == "other" {
					ns *= slower * (1 + 0.01*math.Sin(float64(11*round+i))) // … but for this
				}
				fmt.Fprintf(&samples, "Benchmark%s 1000 %.6g ns/op 0.2 wall-sec %d round\n", names[i], ns, round)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(dir, store.SamplesFile), []byte(samples.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	a := readAnswer(t, dir)
	if a.Rounds != rounds || a.Samples != 2*2*rounds || a.Folder != dir ||
		math.Abs(float64(a.WallSec)-0.2*4*rounds) > 1e-6 {
		t.Errorf("%d rounds, %d samples, %v s in %s", a.Rounds, a.Samples, a.WallSec, a.Folder)
	}
	got := map[string]pair{}
	for _, p := range a.pairs() {
		got[p.Case] = p
	}
	for _, want := range []pair{
		{Case: "Alike", Ratio: 1, Rounds: rounds},
		{Case: "Slower", Ratio: 1.2, Rounds: rounds, Different: true, Changed: true},
	} {
		p := got[want.Case]
		if math.Abs(p.Ratio-want.Ratio) > 0.02 {
			t.Errorf("%s: ratio %v, want %v", want.Case, p.Ratio, want.Ratio)
		}
		p.Ratio = want.Ratio
		if p != want {
			t.Errorf("%+v, want %+v", p, want)
		}
	}
}

func TestParseAnswer(t *testing.T) {
	const form = `[{"suites":[{"cases":[{"name":"A","vs_first_arm":%s},{"name":"B"}]}]}]`
	for _, c := range []struct {
		figure string
		want   []pair
	}{
		{`{"value":1.1,"lo":1.01,"hi":1.2,"medians":1.1,"rounds":9,"difference":"open"}`,
			[]pair{{Case: "A", Different: true, Ratio: 1.1, Rounds: 9}}},
		{`{"value":0.9,"lo":0.8,"hi":0.99,"medians":0.9,"rounds":9,"difference":"changed"}`,
			[]pair{{Case: "A", Different: true, Changed: true, Ratio: 0.9, Rounds: 9}}},
		{`{"value":1.1,"lo":0.9,"hi":1.2,"medians":1.1,"rounds":9}`, []pair{{Case: "A", Ratio: 1.1, Rounds: 9}}},
		{`{"value":1.1,"lo":null,"hi":null,"medians":1.1,"rounds":3}`, []pair{{Case: "A", Ratio: 1.1, Rounds: 3}}},
		{`{"value":1.1,"lo":null,"hi":null,"medians":1.1,"rounds":60,"note":"not constant over the run"}`,
			[]pair{{Case: "A", Different: true, Ratio: 1.1, Rounds: 60}}},
		{`{"value":null,"lo":null,"hi":null,"medians":null,"rounds":0}`, nil},
	} {
		a, err := parseAnswer(fmt.Appendf(nil, form, c.figure))
		if err != nil {
			t.Fatal(err)
		}
		if got := a.pairs(); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s\ngives %+v, want %+v", c.figure, got, c.want)
		}
	}
	for _, bad := range []string{"", "[]", "[{},{}]", "{}", `[{"rounds":"x"}]`} {
		if _, err := parseAnswer([]byte(bad)); err == nil {
			t.Errorf("%s passes", bad)
		}
	}
}
