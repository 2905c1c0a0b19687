package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

func oldNew(t testing.TB) []*result.Answer {
	t.Helper()
	var out []*result.Answer
	for _, name := range []string{"old.txt", "new.txt"} {
		text, err := os.ReadFile("../result/testdata/files/" + name)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, read(t, name, string(text)))
	}
	return out
}

// read returns the answer of a file of that name.
func read(t testing.TB, name, text string) *result.Answer {
	t.Helper()
	a, err := result.ReadFile(name, strings.NewReader(text), result.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// What benchstat of golang.org/x/perf prints for the two files:
//
//	go install golang.org/x/perf/cmd/benchstat@latest
//	benchstat internal/report/result/testdata/files/old.txt internal/report/result/testdata/files/new.txt
//
//	Encode/size=1024-8   1.517µ ± 3%   1.372µ ± 3%  -9.56% (p=0.000 n=10)
//	Encode/size=4096-8   5.767µ ± 3%   5.722µ ± 3%       ~ (p=0.971 n=10)
//	Decode-8             891.2n ± 2%   941.2n ± 2%  +5.62% (p=0.000 n=10)
//	Hash-8               33.52n ± 1%   33.67n ± 4%       ~ (p=0.810 n=10)
//	geomean              715.0n        706.2n       -1.22%
func TestCompareAgainstBenchstat(t *testing.T) {
	all := Answers(oldNew(t))
	if len(all) != 1 || all[0].Study != "example.com/p" || len(all[0].Table.Rows) != 4 {
		t.Fatalf("%+v", all)
	}
	v := all[0]
	for i, want := range []struct {
		old, new, percent float64
		note              string
	}{
		{1.517e-6, 1.372e-6, -9.56, "p=0.000 n=10+10"}, {5.767e-6, 5.722e-6, -0.78, "p=0.971 n=10+10"},
		{891.2e-9, 941.2e-9, 5.62, "p=0.000 n=10+10"}, {33.52e-9, 33.67e-9, 0.45, "p=0.810 n=10+10"},
		{715.0e-9, 706.2e-9, -1.22, ""},
	} {
		r := v.Geomean()
		if i < 4 {
			r = v.Table.Rows[i]
		}
		near := func(got figures.Number, want, tolerance float64) bool {
			return math.Abs(float64(got)-want) <= tolerance
		}
		f := r.Cells[2]
		if !near(r.Cells[0].Medians, want.old, 0.001*want.old) || !near(r.Cells[1].Medians, want.new, 0.001*want.new) ||
			!near(100*(f.Medians-1), want.percent, 0.05) || f.Note != want.note {
			t.Errorf("%s: %v %v %v %q, want %+v", r.Label, r.Cells[0].Medians, r.Cells[1].Medians, f.Medians, f.Note,
				want)
		}
		// The interval leaves 1 out exactly where p is at most 0.05.
		if i < 4 && (f.Lo > 1 || f.Hi < 1) != (want.note == "p=0.000 n=10+10") {
			t.Errorf("%s: [%v, %v] with %s", r.Label, f.Lo, f.Hi, f.Note)
		}
	}
	if got := fmt.Sprint(v.Table.Columns); got != "[old.txt new.txt new.txt/old.txt]" {
		t.Errorf("columns %s", got)
	}
	if p := v.Picture; len(p.Sets) != 1 || p.Sets[0].Data != "new.txt" || len(p.Sets[0].Rows) != 4 ||
		len(v.Runs) != 1 || v.Runs[0] != 1 {
		t.Errorf("picture %+v of %v", p, v.Runs)
	}
}

// lines makes a benchmark file: n samples of each case around a cost in ns.
func lines(config string, n int, costs ...any) string {
	rng := rand.New(rand.NewPCG(5, uint64(n)))
	var b strings.Builder
	b.WriteString(config)
	for i := 0; i < len(costs); i += 2 {
		for range n {
			fmt.Fprintf(&b, "Benchmark%s 100 %.5g ns/op\n", costs[i],
				float64(costs[i+1].(int))*(1+0.01*rng.NormFloat64()))
		}
	}
	return b.String()
}

// Cases are the same by name, then without GOMAXPROCS where that is no question.
func TestCompareMatchesCases(t *testing.T) {
	a := read(t, "a", lines("pkg: p\n", 8, "Exact-8", 100, "Cpus-8", 200, "Two-2", 10, "Two-4", 20, "OnlyA-8", 5,
		"Plain", 50))
	b := read(t, "b", lines("pkg: p\n", 8, "Exact-8", 110, "Exact-4", 900, "Cpus-16", 210, "Two-16", 30, "Plain-4", 50,
		"OnlyB-8", 6))
	v := Answers([]*result.Answer{a, b})[0]
	got := map[string]float64{}
	for _, r := range v.Table.Rows {
		got[r.Label] = math.Round(float64(r.Cells[1].Value)*1e8) / 10
	}
	if want := map[string]float64{"Exact-8": 1.1, "Cpus-8": 2.1, "Plain": 0.5}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("matched %v, want %v", got, want)
	}
	if notes := fmt.Sprint(v.Table.Notes); !strings.Contains(notes, "3 cases of a ") ||
		!strings.Contains(notes, "3 cases of b ") {
		t.Errorf("notes %s", notes)
	}
}

func TestCompareMatchesStudies(t *testing.T) {
	named := func(dir, pkg string, costs ...any) *result.Answer {
		return read(t, dir, lines("pkg: "+pkg+"\n", 6, costs...))
	}
	bare := func(dir string, costs ...any) *result.Answer { return read(t, dir, lines("", 6, costs...)) }
	for _, tt := range []struct {
		name    string
		answers []*result.Answer
		want    string
	}{
		{"one", []*result.Answer{bare("a", "X", 1)}, "[]"},
		{"same package", []*result.Answer{named("a", "p", "X", 1), named("b", "p", "X", 2)}, "[p:a,b]"},
		{"other package", []*result.Answer{named("a", "p", "X", 1), named("b", "q", "X", 2)}, "[]"},
		{"no names", []*result.Answer{bare("a", "X", 1), bare("b", "X", 2)}, "[a:a,b]"},
		{"nothing in common", []*result.Answer{bare("a", "X", 1), bare("b", "Y", 2)}, "[]"},
		{"same package, nothing in common", []*result.Answer{named("a", "p", "X", 1), named("b", "p", "Y", 2)}, "[]"},
		{"one without a name", []*result.Answer{bare("a", "X", 1), named("b", "p", "X", 2)}, "[p:a,b]"},
		{"the other", []*result.Answer{named("b", "p", "X", 2), bare("a", "X", 1)}, "[p:b,a]"},
		{"three", []*result.Answer{named("a", "p", "X", 1), named("b", "q", "Z", 1), named("c", "p", "X", 3, "W", 1),
			bare("d", "X", 1)}, "[p:a,c,d]"},
		{"equal names", []*result.Answer{bare("x/a", "X", 1), bare("y/a", "X", 1), bare("y/a", "X", 1)},
			"[a:a in x,a in y,a in y (3)]"},
	} {
		var got []string
		for _, v := range Answers(tt.answers) {
			got = append(got, v.Study+":"+strings.Join(v.Table.Columns[:v.Answers()], ","))
			if len(v.Runs) != len(v.Picture.Sets) || len(v.Runs) != v.Answers()-1 {
				t.Errorf("%s: runs %v, %d sets", tt.name, v.Runs, len(v.Picture.Sets))
			}
		}
		if fmt.Sprint(got) != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, got, tt.want)
		}
	}
}

// A case that does not count in one answer has no ratio, and is said to be so.
func TestCompareInvalid(t *testing.T) {
	healthy, err := result.Read("../result/testdata/healthy", result.Options{})
	if err != nil {
		t.Fatal(err)
	}
	troubled, err := result.Read("../result/testdata/troubled", result.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range Answers([]*result.Answer{healthy, troubled})[0].Table.Rows {
		invalid := r.Label == "Smaug/place=stack/size=1024-2" || r.Label == "Smaug/place=stack/size=4096-2" ||
			r.Label == "Smaug/place=stack/size=65536-2"
		failed := r.Label == "Smaug/place=heap/size=65536-2"
		if invalid != (r.Cells[1].String() == result.Invalid) || (invalid || failed) != (r.Cells[2].String() == "–") {
			t.Errorf("%s: %s %s", r.Label, r.Cells[1].String(), r.Cells[2].String())
		}
	}
}

// Beside other programs a case costs more than by itself: a difference from such a run gets no verdict.
func TestCompareBusy(t *testing.T) {
	var answers []*result.Answer
	for _, name := range []string{"healthy", "busy"} {
		a, err := result.Read("../result/testdata/"+name, result.Options{})
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, a)
	}
	v := Answers(answers)[0]
	if got := v.Count(v.Answers()); got != "busy/healthy: no verdict, the machine was busy in busy" {
		t.Error(got)
	}
	if n := len(v.Table.Notes); n == 0 || !strings.Contains(v.Table.Notes[n-1], "the machine was busy in busy") {
		t.Errorf("notes %q", v.Table.Notes)
	}
	quiet := Answers([]*result.Answer{answers[0], answers[0]})[0]
	if got := quiet.Count(quiet.Answers()); !strings.Contains(got, "7 undecided, of 7 cases") || len(quiet.Busy) > 0 {
		t.Error(got)
	}
}

func TestCompareManyCases(t *testing.T) {
	many := func(dir string, factor int) *result.Answer {
		var costs []any
		for i := range 10_000 {
			cost := 1000 + i
			if i%500 == 7 {
				cost *= factor
			}
			costs = append(costs, fmt.Sprintf("Case/with_a_name_of_some_length/i=%d-8", i), cost)
		}
		return read(t, dir, lines("pkg: p\n", 6, costs...))
	}
	answers := []*result.Answer{many("a", 1), many("b", 3)}
	start := time.Now()
	v := Answers(answers)[0]
	t.Logf("compared in %v", time.Since(start))
	if len(v.Table.Rows) != 10_000 {
		t.Errorf("%d rows", len(v.Table.Rows))
	}
	rows := v.Picture.Sets[0].Rows
	changed := 0
	for _, r := range rows {
		if r.Cells[0].Value > 2 {
			changed++
		}
	}
	if len(rows) != figures.MaxForest || changed != 20 || len(v.Picture.Sets[0].Notes) != 1 {
		t.Errorf("picture of %d, %d of them changed; %v", len(rows), changed, v.Picture.Sets[0].Notes)
	}
}
