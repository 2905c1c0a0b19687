package join_test

import (
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"memcost/internal/sites/join"
)

// stack returns a location for each function, the leaf first.
func stack(functions ...string) (all []*profile.Location) {
	for i, name := range functions {
		all = append(all, &profile.Location{Address: uint64(100 + i), Line: []profile.Line{{Line: int64(10 + i),
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
	if got := places(); got != "m/bench.BenchmarkRun calls m/vm.Run, m/bench.BenchmarkRun calls m/vm.Run" {
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
