package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
	"memcost/internal/method/series"
	"memcost/internal/study/language"
	"memcost/internal/testkit"
)

// smaug is a small study: one claim of each kind, a table that compares.
var smaug = []language.Directive{
	directive("question", "Which place is cheaper?"),
	{Verb: "floor", Scope: "Empty"},
	directive("expect", "place:stack allocs/op == 0"),
	directive("expect", "place:heap B/op >= size"),
	directive("claim", "S1 place:heap / place:stack > 1 for every size # the stack wins at every size"),
	directive("claim", "S2 place:stack linear in size # the stack's cost is linear in size"),
	directive("claim", "S3 place:stack size/sec in 1e9..2e9 for every size # copies run at 1 to 2 GB/s"),
	directive("claim", "S4 place:heap allocs/op == 1 for every size # the heap pays one allocation"),
	directive("claim", "S5 place:heap / place:stack falls with place:stack size/sec across machines # the heap "+
		"loses more on weaker memory"),
	directive("table",
		"Smaug by size: stack = place:stack | heap = place:heap | heap/stack = place:heap / place:stack"),
}

func smaugCases() []bench {
	var cs []bench
	for i, size := range []float64{1024, 4096, 65536} {
		cs = append(cs,
			bench{name: fmt.Sprintf("Smaug/place=stack/size=%.0f-2", size), sec: size * 20e-12, n: 1 << 20, group: i},
			bench{name: fmt.Sprintf("Smaug/place=heap/size=%.0f-2", size), sec: size*60e-12 + 100e-9, bytes: size,
				allocs: 1, n: 1 << 19, group: i})
	}
	return append(cs, bench{name: "Empty-2", sec: 0.25e-9, n: 1 << 28, group: 3})
}

// runs returns the run folders of testdata.
func runs() map[string]*run {
	small := func(edit func(x *run)) *run {
		x := &run{study: "smaug", directives: smaug, sides: []string{"go1.26.8"}, cases: smaugCases(), rounds: 14,
			noise: 0.02}
		edit(x)
		return x
	}
	return map[string]*run{
		"healthy": small(func(x *run) { x.double = "Smaug/place=stack/size=4096-2" }),
		"arms": small(func(x *run) {
			x.sides = append(x.sides, "go1.27.4")
			x.cases[1].slower, x.cases[2].slower = 1.3, 0.8
			x.noise = 0.003
			x.edit = func(q *plan.Question) { // one toolchain less, and other words for the same
				const heap, stack, large = "Smaug/place=heap/size=1024-2", "Smaug/place=stack/size=1024-2",
					"Smaug/place=heap/size=4096-2"
				q.Builds[0].Reasons = map[string][]plan.Reason{stack: {}, heap: {returned("~R0")},
					large: {returned("~R0"), conditional}}
				q.Builds[1].Reasons = map[string][]plan.Reason{stack: {conditional}, heap: {returned("~r0")}, large: {}}
			}
		}),
		"troubled": small(func(x *run) { // INVALID, optimised away, failed, flagged
			x.rounds = 24
			x.cases[0].allocs, x.cases[0].bytes = 0.4, 410
			x.cases[2].sec = 0.25e-9
			x.cases[5].fails = true
			x.cases[4].steps = 1.5
			x.edit = func(q *plan.Question) {
				q.Plan.Failures = []plan.Failure{{Name: "Lost-2", Side: "go1.26.8", Reason: "it did not end within 1m0s",
					Log: "logs/lost.txt"}}
				q.Warnings = []string{"the machine is busy"}
				q.LeftOut = []string{"go1.13.8: no network"}
			}
		}),
		"busy": small(func(x *run) { // other programs use 60% of a CPU in every second round
			x.sides = append(x.sides, "go1.27.4")
			x.cases[1].slower, x.noise = 1.3, 0.003
			for i := range x.cases { // where the block is large, the collector works on another core
				x.cases[i].cpu = x.cases[i].sec
			}
			x.cases[5].cpu *= 1.7
			x.sample = func(round int, _ string, r *benchfmt.Result) {
				wall, _ := r.Value(series.UnitWall)
				for i := range r.Values {
					if r.Values[i].Unit == series.UnitForeign && round%2 == 1 {
						r.Values[i].Value = round6(0.6 * wall)
					}
				}
			}
		}),
		"partial": small(func(x *run) { // two sizes are left to --full, one failed, some samples crashed
			x.noise = 0.003
			x.cases[4].fails, x.cases[5].fails = true, true
			x.edit = func(q *plan.Question) {
				for _, size := range []string{"262144", "1048576"} {
					for _, place := range []string{"stack", "heap"} {
						name := "Smaug/place=" + place + "/size=" + size + "-2"
						q.Plan.ToFull = append(q.Plan.ToFull, plan.Left{Name: name})
					}
				}
			}
		}),
		"progress": small(func(x *run) { x.rounds = 3 }),
		"empty":    small(func(x *run) { x.rounds = 0 }),
		"numbers": small(func(x *run) { // NaN, zero, negative, infinite and huge figures
			x.sample = func(round int, _ string, r *benchfmt.Result) {
				bad := []float64{math.NaN(), 0, -1, math.Inf(1), 1e300}
				if round < len(bad) && strings.Contains(string(r.Name), "size=4096") {
					r.Values[0] = benchfmt.Value{Value: bad[round], Unit: "sec/op"}
				}
			}
		}),
		"escapes": small(func(x *run) { // other people's text tries to drive the terminal
			const evil = "\x1b[31mred\x1b]0;title\x07 \u009b2J\u202egnp.exe\u00e9\u4e16\u754c"
			x.study = "smaug" + evil
			x.sides = []string{"go" + evil}
			x.directives = append([]language.Directive{}, smaug...)
			x.directives[0] = directive("question", "Which "+evil+"?")
			x.directives[4] = directive("claim", "S1 place:heap / place:stack > 1 for every size # "+evil)
			x.cases = append(x.cases, bench{name: "Bad/place=heap" + strings.ReplaceAll(evil, " ", "_") + "-2",
				sec: 1e-6, n: 1, group: 4, fails: true})
			x.edit = func(q *plan.Question) {
				q.Machine.CPUModel = evil
				q.Warnings = []string{evil + "\nand a second line"}
				q.Builds[0].Reasons = map[string][]plan.Reason{"Smaug/place=heap/size=1024-2": {{Where: evil,
					Says: evil, Cause: evil, Fix: evil, Flow: []string{evil}}}}
			}
		}),
	}
}

func returned(result string) plan.Reason {
	return plan.Reason{Where: "smaug_test.go:9", Says: result + " escapes to heap", Heap: true,
		Cause: "its address is returned", Fix: "return it by value",
		Flow: []string{"flow: {heap} ← " + result, "from return " + result + " (return) at smaug_test.go:9:2"}}
}

var conditional = plan.Reason{Where: "smaug_test.go:12", Says: "append escapes to heap",
	Cause: "append makes a larger block when the old one is full"}

const damage = "BenchmarkSmaug/place=stack/size=1024-2 12 oops " +
	"ns/op\n\x00\x00\x00\x1b[2J\nBenchmarkSmaug/place=heap/size=4096-2 100 5 ns/op 99999999999 " +
	"round\nBenchmarkSmaug/pla"

// TestGolden reads the run folders of testdata and compares their JSON with
// what they gave before.
func TestGolden(t *testing.T) {
	all := runs()
	all["damaged"] = all["healthy"]
	for name, x := range all {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join("testdata", name)
			if *testkit.Update {
				x.write(t, dir)
				if name == "damaged" {
					f, err := os.OpenFile(filepath.Join(dir, store.SamplesFile), os.O_APPEND|os.O_WRONLY, 0)
					if err != nil {
						t.Fatal(err)
					}
					fmt.Fprint(f, damage)
					f.Close()
				}
			}
			a, err := Read(dir, Options{})
			if err != nil {
				t.Fatal(err)
			}
			testkit.Golden(t, filepath.Join(dir, "answer.json"), shorten(marshal(t, a)))
			if again, err := Read(dir, Options{}); err != nil || marshal(t, again) != marshal(t, a) {
				t.Errorf("the same folder gave another answer (%v)", err)
			}
		})
	}
}

func marshal(t *testing.T, a *Answer) string {
	t.Helper()
	data, err := json.MarshalIndent(a, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data) + "\n"
}

var longNumber = regexp.MustCompile(`\d+\.\d{7,}(e[-+]\d+)?`)

// shorten rounds numbers to six digits: the last ones depend on whether the
// processor fuses multiplication and addition.
func shorten(s string) string {
	return longNumber.ReplaceAllStringFunc(s, func(n string) string {
		x, err := strconv.ParseFloat(n, 64)
		if err != nil {
			return n
		}
		return strconv.FormatFloat(x, 'g', 6, 64)
	})
}

func TestManyCases(t *testing.T) {
	x := &run{study: "many", sides: []string{"go1.26.8"}, rounds: 9, noise: 0.02}
	for i := range 300 {
		x.cases = append(x.cases, bench{name: fmt.Sprintf("Many/with_a_long_name=%s/i=%d-2", strings.Repeat("x", 40),
			i), sec: 1e-9 * float64(i+1), n: 1000, group: i})
	}
	dir := filepath.Join(t.TempDir(), "run")
	x.write(t, dir)
	a, err := Read(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(a.Studies[0].Cases); n != 300 {
		t.Fatalf("%d cases", n)
	}
}

func TestErrorsNameTheFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	runs()["empty"].write(t, dir)
	for _, tt := range []struct{ from, to, want string }{
		{`"format": 1`, `"format": 7`, "format 7"},
		{`"alpha": 0.05`, `"alpha": 2`, "alpha is 2"},
		{`"verb": "claim"`, `"verb": "klaim"`, `no directive "klaim"`},
		{`"arm": 0`, `"arm": 4`, "configuration 4, which the plan does not have"},
	} {
		file := filepath.Join(dir, store.QuestionFile)
		good, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		os.WriteFile(file, bytes.Replace(good, []byte(tt.from), []byte(tt.to), 1), 0o666)
		_, err = Read(dir, Options{})
		if err == nil || !strings.Contains(err.Error(), tt.want) ||
			!strings.Contains(err.Error(), "reading run folder "+dir) {
			t.Errorf("%s: %v, want %q and the folder", tt.to, err, tt.want)
		}
		os.WriteFile(file, good, 0o666)
	}
}
