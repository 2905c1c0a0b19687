package toolchain

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// countSource is added to the testing package as a file of its own.
//
//go:embed count.go.txt
var countSource string

// CountVar names the variable that asks a binary of BuildCounted for figures. Its value are
// lines key=value:
//
//	file=PATH    where lines of fields, separated by tabs, are appended
//	mode=MODE    list: all benchmarks; memory: the memory profile of one; cpu: its CPU profile; test: the memory
//	             profile of one test
//	name=NAME    of the benchmark ("BenchmarkDecode/size=4096") or test
//	pass=N       the first pass of the benchmark function that is counted, from 1
//	resets=N     calls of ResetTimer in a pass after which it is counted
//	cpu=PATH     of the CPU profile
//
// The lines of the file are "begin", "end" or "parent" with name=… and what was counted, and
// "done" where the process came to its end. The variable is not passed on to what the benchmark starts. Run it with
// GODEBUG=memprofilerate=0, so that nothing is recorded before.
const CountVar = "MEMCOST_COUNT"

// CountOwn is how the names of functions begin that were added to count: what they allocate
// is not the benchmark's.
const CountOwn = "testing.memcost"

// countEdit is a statement of package testing that is changed, with how often it occurs. They
// were the same from Go 1.16 to 1.27, and each stays on its line.
type countEdit struct {
	old, new string
	count    int
}

var countEdits = map[string][]countEdit{
	"benchmark.go": {
		{"b.startAllocs = memStats.Mallocs\n", "b.startAllocs = memStats.Mallocs; memcostMark(b)\n", 2},
		{"runtime.ReadMemStats(&memStats)\n\t\tb.netAllocs += memStats.Mallocs - b.startAllocs\n",
			"memcostStop(b); runtime.ReadMemStats(&memStats)\n\t\tb.netAllocs += memStats.Mallocs - b.startAllocs; " +
				"memcostAdd(b)\n", 1},
		{"b.netBytes = 0\n", "b.netBytes = 0; memcostZero(b)\n", 1},
		{"\tb.N = n\n", "\tb.N = n; memcostBegin(b)\n", 1},
		{"\tb.previousN = n\n", "\tb.previousN = n; memcostEnd(b, n)\n", 1},
	},
	"testing.go": {
		{"\tfn(t)\n", "\tmemcostTest(t.name); fn(t)\n", 1},
		{"func (m *M) writeProfiles() {\n", "func (m *M) writeProfiles() { memcostTested()\n", 1},
		{"func (m *M) Run() (code int) {\n", "func (m *M) Run() (code int) { memcostDeps = m.deps\n", 1},
	},
}

// hasSubTests are the expressions that say whether a benchmark has sub-benchmarks: to Go 1.19,
// and from then on.
var hasSubTests = []string{"atomic.LoadInt32(&b.hasSub) != 0", "b.hasSub.Load()"}

// countTesting returns the changed files of package testing, by name.
func countTesting(dir string) (map[string]string, error) {
	files := map[string]string{"memcost_count.go": countSource}
	for name, edits := range countEdits {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		source := string(text)
		for _, e := range edits {
			if n := strings.Count(source, e.old); n != e.count {
				return nil, fmt.Errorf("%s is not as expected: %q occurs %d times, not %d", path, e.old, n, e.count)
			}
			source = strings.ReplaceAll(source, e.old, e.new)
		}
		if name == "benchmark.go" {
			expression := hasSubTests[1]
			if !strings.Contains(source, expression) {
				expression = hasSubTests[0]
			}
			source += "\nfunc memcostHasSub(b *B) bool { return " + expression + " } // added by memcost\n"
		}
		files[name] = source
	}
	return files, nil
}

// tinyJoins is the condition under which a small object shares a block with others that are
// there: in malloc.go from Go 1.16 to 1.27, in the functions for one size in malloc_generated.go
// of 1.26, and in both of them in 1.27.
var tinyJoins = regexp.MustCompile(`(off\+(?:const)?size <= maxTinySize && c\.tiny != 0) \{`)

// exactRuntime returns the changed files of package runtime, by name: those in which no object
// shares a block while every object is profiled, so that each has its record.
func exactRuntime(dir string) (map[string]string, error) {
	all, err := filepath.Glob(filepath.Join(dir, "malloc*.go"))
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, path := range all {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		source := string(text)
		tiny := strings.Count(source, "c.tinyAllocs++")
		if tiny == 0 || strings.HasSuffix(path, "_test.go") {
			continue
		}
		if n := len(tinyJoins.FindAllString(source, -1)); n != tiny {
			return nil, fmt.Errorf("%s is not as expected: %d conditions like %q, %d objects that share a block", path,
				n, tinyJoins, tiny)
		}
		files[filepath.Base(path)] = tinyJoins.ReplaceAllString(source, "$1 && MemProfileRate != 1 {")
	}
	if files["malloc.go"] == "" {
		return nil, fmt.Errorf("%s is not as expected: no object shares a block", filepath.Join(dir, "malloc.go"))
	}
	return files, nil
}

// countOverlay writes the file for -overlay below dir, with what the user's own one replaces.
// Without it the files depend on the toolchain alone, so that the go command's cache serves
// every later build. The toolchain is one that OutsideModuleCache returned.
func countOverlay(tc Toolchain, dir string, exact bool, user map[string]string) (string, error) {
	testing := filepath.Join(tc.GOROOT, "src", "testing")
	files, err := countTesting(testing)
	if err != nil {
		return "", err
	}
	changed := map[string]string{}
	for name, source := range files {
		changed[filepath.Join(testing, name)] = source
	}
	if exact {
		runtime := filepath.Join(tc.GOROOT, "src", "runtime")
		if files, err = exactRuntime(runtime); err != nil {
			return "", err
		}
		for name, source := range files {
			changed[filepath.Join(runtime, name)] = source
		}
	}
	replace := map[string]string{}
	for path, source := range changed {
		to := filepath.Join(dir, "overlay-"+hash(path, source), filepath.Base(path))
		if err := writeFile(to, []byte(source)); err != nil {
			return "", err
		}
		replace[path] = to
	}
	for path, to := range user {
		replace[path] = to
	}
	index, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay-"+hash(string(index)), "overlay.json")
	return path, writeFile(path, index)
}

// userOverlay takes an -overlay out of build flags, and reads what it replaces.
func userOverlay(flags []string) (rest []string, replace map[string]string, err error) {
	for i := 0; i < len(flags); i++ {
		path, ok := flagValue(flags[i], "overlay")
		if !ok {
			rest = append(rest, flags[i])
			continue
		}
		if !strings.Contains(flags[i], "=") && i+1 < len(flags) {
			i++
			path = flags[i]
		}
		text, err := os.ReadFile(path)
		var overlay struct{ Replace map[string]string }
		if err == nil {
			err = json.Unmarshal(text, &overlay)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("reading the file of -overlay: %w", err)
		}
		replace = overlay.Replace
	}
	return rest, replace, nil
}
