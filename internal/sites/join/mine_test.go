package join_test

import (
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"memcost/internal/gotool/escape"
	"memcost/internal/sites"
	"memcost/internal/sites/join"
)

// stack returns a location for each function, the leaf first.
func stack(functions ...string) (all []*profile.Location) {
	for i, name := range functions {
		all = append(all, &profile.Location{Address: uint64(100 + i), Line: []profile.Line{{Line: int64(10 + len(name)),
			Function: &profile.Function{Name: name, Filename: "/src/" + strings.ReplaceAll(name, ".", "_") + ".go"}}}})
	}
	return all
}

// Functions of net that only compute do not call the operating system, and what they make is explained
// by what they do; those that do call it are.
func TestWhoCallsTheOperatingSystem(t *testing.T) {
	heap := &profile.Profile{SampleType: []*profile.ValueType{{Type: "alloc_objects"}, {Type: "alloc_space"}},
		Sample: []*profile.Sample{
			{Value: []int64{2, 64}, Location: stack("net.IP.String", "m.F")},
			{Value: []int64{1, 48}, Location: stack("internal/poll.(*FD).Accept", "net.(*netFD).accept", "m.F")},
			{Value: []int64{1, 16}, Location: stack("runtime.doInit")}, // of which no frame is left
			{Value: []int64{1, 32}, Location: stack("sync.(*Pool).pinSlow", "sync.(*Pool).Get", "fmt.newPrinter", "fmt.Fprintf", "m.F")},
		}}
	r, err := join.Analyse(join.Input{Mode: "benchmarks", Packages: []join.Asked{{Path: "m",
		Measured: []join.Measured{{Name: "F", N: 1, Memory: heap}}}}})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"net.IP.String": "", "net.(*netFD).accept": "system", "fmt.Fprintf": "pool-refill"}
	for _, s := range r.Sites {
		if cause, ok := want[s.Callee.Via]; !ok || s.Cause.Key != cause {
			t.Errorf("%s: %q", s.Callee.Via, s.Cause.Key)
		}
	}
}

// What a package of the user's module allocates stands at its own line, whichever packages were asked
// for; what a dependency allocates stands at the line that calls it.
func TestTheModulesPackagesAreTheUsers(t *testing.T) {
	heap := &profile.Profile{SampleType: []*profile.ValueType{{Type: "alloc_objects"}, {Type: "alloc_space"}},
		Sample: []*profile.Sample{
			{Value: []int64{2, 64}, Location: stack("m/vm.Run", "m/bench.BenchmarkRun")},
			{Value: []int64{1, 48}, Location: stack("other/dep.Make", "m/vm.Run", "m/bench.BenchmarkRun")},
		}}
	var asked []string
	in := join.Input{Mode: "benchmarks", Packages: []join.Asked{{Path: "m/bench", Measured: []join.Measured{{Name: "Run", N: 1,
		Memory: heap}}}}, Dependencies: func(paths []string) map[string]join.Described {
		asked = paths
		return nil
	}}
	places := func() string {
		r, err := join.Analyse(in)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, s := range r.Sites {
			via := ""
			if s.Callee != nil {
				via = " calls " + s.Callee.Via
			}
			out = append(out, s.Package+"."+s.Function+via)
		}
		return strings.Join(out, ", ")
	}
	if got := places(); got != "m/bench.BenchmarkRun calls m/vm.Run" {
		t.Errorf("without a module: %s", got)
	}
	in.Mine = func(pkg string) bool { return pkg == "m/vm" }
	if got := places(); got != "m/vm.Run, m/vm.Run calls other/dep.Make" {
		t.Errorf("of one module: %s", got)
	}
	if got := strings.Join(asked, " "); got != "m/vm other/dep" {
		t.Errorf("the compiler was asked about %s", got)
	}
}

// Sites are ranked by CPU time where it was measured, else by bytes; of a function that ran nothing is
// called never executed.
func TestOrderAndClasses(t *testing.T) {
	log, err := escape.ReadLog(strings.NewReader("# m\nm.go:3:9: &T{} escapes to heap in Ran:\n" +
		"m.go:3:9:   flow: ~r0 ← &{storage for &T{}}:\nm.go:3:9:     from &T{} (spill) at m.go:3:9\n" +
		"m.go:3:9:     from return &T{} (return) at m.go:3:2\nm.go:3:9: &T{} escapes to heap\n" +
		"m.go:8:9: &U{} escapes to heap in Idle:\n" +
		"m.go:8:9:   flow: ~r0 ← &{storage for &U{}}:\nm.go:8:9:     from &U{} (spill) at m.go:8:9\n" +
		"m.go:8:9:     from return &U{} (return) at m.go:8:2\nm.go:8:9: &U{} escapes to heap\n"))
	if err != nil {
		t.Fatal(err)
	}
	counts := []*profile.ValueType{{Type: "alloc_objects"}, {Type: "alloc_space"}}
	heap := &profile.Profile{SampleType: counts, Sample: []*profile.Sample{
		{Value: []int64{1, 9000}, Location: stack("m.Large", "m.Ran")},
		{Value: []int64{100, 1000}, Location: stack("m.Often", "m.Ran")}}}
	cpu := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples"}, {Type: "cpu"}}, Sample: []*profile.Sample{
		{Value: []int64{5, 50}, Location: stack("runtime.mallocgc", "m.Often", "m.Ran")},
		{Value: []int64{1, 10}, Location: stack("runtime.mallocgc", "m.Large", "m.Ran")},
		{Value: []int64{4, 40}, Location: stack("m.Ran")}}}
	for _, x := range []struct {
		cpu   []*profile.Profile
		first string
	}{{nil, "Large"}, {[]*profile.Profile{cpu, cpu}, "Often"}} {
		r, err := join.Analyse(join.Input{Mode: "benchmarks", Packages: []join.Asked{{Path: "m",
			Described: join.Described{Log: log}, Measured: []join.Measured{{Name: "B", N: 1, Mallocs: 101, Bytes: 10000,
				Memory: heap, CPU: x.cpu, Time: []float64{1, 1}[:len(x.cpu)]}}}}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Sites[0].Function != x.first || r.ByCPU() != (x.cpu != nil) {
			t.Errorf("first is %s, by CPU %v", r.Sites[0].Function, r.ByCPU())
		}
		for _, s := range r.Sites {
			if want := map[string]sites.Class{"Ran": sites.DidNotAllocate, "Idle": sites.NeverExecuted}[s.Function]; want != "" &&
				s.Class != want {
				t.Errorf("%s: %q", s.Function, s.Class)
			}
		}
	}
}
