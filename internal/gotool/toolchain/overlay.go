package toolchain

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The sources that are added to the testing package: exact.go.txt goes to the end of
// benchmark.go, the others become files of their own.
var (
	//go:embed exact.go.txt
	exactSource string
	//go:embed exact_unix.go.txt
	exactUnixSource string
	//go:embed exact_other.go.txt
	exactOtherSource string
)

// marker is a text that only a binary with the changed testing package holds.
const marker = "idle-cpu-ns"

// An edit is a statement of the standard library that is changed, with how often it occurs. Each
// stays on its line, so that the line numbers of the file do not change.
type edit struct {
	old, new string
	count    int
}

// changed returns a source with all edits made. One that is not as expected is an error.
func changed(source string, edits []edit) (string, error) {
	for _, e := range edits {
		if n := strings.Count(source, e.old); n != e.count {
			return "", fmt.Errorf("%q occurs %d times, not %d", e.old, n, e.count)
		}
		source = strings.ReplaceAll(source, e.old, e.new)
	}
	return source, nil
}

// edits are those of src/testing/benchmark.go. The statements were the same from Go 1.16 to 1.27.
var edits = []edit{
	{"b.startAllocs = memStats.Mallocs\n", "b.startAllocs = memStats.Mallocs; memcostMark()\n", 2},
	// The CPU time is taken before ReadMemStats, which stops the world and may take longer
	// than what is timed.
	{"runtime.ReadMemStats(&memStats)\n\t\tb.netAllocs += memStats.Mallocs - b.startAllocs\n",
		"memcostStop(); runtime.ReadMemStats(&memStats)\n\t\tb.netAllocs += memStats.Mallocs - b.startAllocs; " +
			"memcostAdd()\n", 1},
	{"b.netAllocs = 0\n", "b.netAllocs = 0; memcostZero(b.timerOn)\n", 1},
	{"\tb.N = n\n", "\tb.N = n; memcostRun(n)\n", 1},
	{`prettyPrint(buf, ns, "ns/op")`, `memcostPrettyPrint(buf, ns, "ns/op")`, 1},
	{"return fmt.Sprintf(\"%8d B/op\\t%8d allocs/op\",\n\t\tr.AllocedBytesPerOp(), r.AllocsPerOp())\n",
		"return memcostMemString(\n\t\tr)\n", 1},
}

// patch changes the source of testing/benchmark.go so that allocations are
// printed as decimals, not truncated to integers ("0.4 allocs/op" is 0 else),
// ns/op with six digits, not four, and what else the guards and the tables need is
// printed too. "In the timed part" is between the timer's start and its stop, all starts
// together:
//
//	gc-cycles            cycles completed in the timed part, without forced ones
//	gc-pause-ns          sum of their stop-the-world pauses
//	gc-cpu-share         share of the timed part × GOMAXPROCS spent in the collector
//	gc-freed-bytes       what the collector freed in the timed part
//	heap-goal-bytes      heap size at which the next cycle begins, 0 while the collector is off
//	timer-starts         how often the timer was started, 1 but for StopTimer in the loop
//	goroutines-left      goroutines that the pass with N = 1 left over
//	goroutines-left-cpu  CPUs that they keep busy; only if there are any
//	b-loop               1 where the loop is b.Loop; only there
//	cpu-sec/op           CPU time of the process in the timed part, user and system (unix)
//	loop-faults          minor page faults in the timed part (unix)
//	peak-RSS-bytes       of the process until then (Linux)
//	idle-cpu-ns          CPU time of the process while it waited for its turn; only where it takes turns
//
// All of it is read outside the timed part.
//
// With MEMCOST_SLICES in its environment (unix), the process takes turns with others: after its
// first result it waits at the start of each pass that is timed, behind the pass with N = 1 and
// runtime.GC. When it waits it writes a byte to file 4, the part of its turn's CPU time that was
// timed in 255ths. It goes on when it has read one from file 3, the part of the heap's room that is to be
// filled before the pass, in 256ths.
func patch(source string) (string, error) {
	source, err := changed(source, edits)
	return source + exactSource, err
}

// OutsideModuleCache returns the toolchain with a GOROOT that -overlay accepts. From Go
// 1.25 on, the go command refuses to replace files beneath GOMODCACHE, where downloaded
// toolchains are; it compares names, and accepts a link below dir. Run go with GOROOT
// set to the result's.
func (tc Toolchain) OutsideModuleCache(dir string) (Toolchain, error) {
	if !strings.Contains(filepath.ToSlash(tc.GOROOT), "/"+module+"@") {
		return tc, nil
	}
	link := filepath.Join(dir, "goroot", hash(tc.GOROOT)[:16], tc.Version)
	if err := os.MkdirAll(filepath.Dir(link), 0o777); err != nil {
		return tc, err
	}
	err := os.Symlink(tc.GOROOT, link)
	if err != nil {
		if to, reading := os.Readlink(link); reading != nil || to != tc.GOROOT {
			return tc, fmt.Errorf("linking to %s: %w", tc.GOROOT, err)
		}
	}
	tc.GOROOT = link
	return tc, nil
}

// writeOverlay writes the changed source of a toolchain and the file for
// -overlay below dir. It returns the path of that file and the GOROOT that the
// go command must be run with for the file to name its sources as it does.
func writeOverlay(tc Toolchain, dir string) (path, goroot string, err error) {
	tc, err = tc.OutsideModuleCache(dir)
	if err != nil {
		return "", "", err
	}
	testing := filepath.Join(tc.GOROOT, "src", "testing")
	key := filepath.Join(testing, "benchmark.go")
	original, err := os.ReadFile(key)
	if err != nil {
		return "", "", err
	}
	changed, err := patch(string(original))
	if err != nil {
		return "", "", fmt.Errorf("%s is not as expected: %w", key, err)
	}
	replace, err := replacements(dir, map[string]string{key: changed,
		filepath.Join(testing, "memcost_unix.go"):  exactUnixSource,
		filepath.Join(testing, "memcost_other.go"): exactOtherSource})
	if err != nil {
		return "", "", err
	}
	path, err = overlayFile(dir, replace)
	return path, tc.GOROOT, err
}

// replacements writes sources below dir, each by the path of the file that it replaces, and returns
// where each lies. That depends on the sources alone, as the file of an overlay does, so that the go
// command's cache serves every later build.
func replacements(dir string, sources map[string]string) (map[string]string, error) {
	replace := map[string]string{}
	for path, source := range sources {
		replace[path] = filepath.Join(dir, "overlay-"+hash(path, source), filepath.Base(path))
		if err := writeFile(replace[path], []byte(source)); err != nil {
			return nil, err
		}
	}
	return replace, nil
}

// overlayFile writes a file for -overlay below dir.
func overlayFile(dir string, replace map[string]string) (path string, err error) {
	index, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "overlay-"+hash(string(index)), "overlay.json")
	return path, writeFile(path, index)
}
