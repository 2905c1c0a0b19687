package toolchain

import (
	"bytes"
	"cmp"
	"debug/elf"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/proc"
)

// study is a tree of studies with one benchmark package whose allocations are
// known, in code that Go 1.13 compiles.
var study = fstest.MapFS{
	"known/doc.go": {Data: []byte("// Package known has benchmarks of known cost.\npackage known\n\nfunc Third(i " +
		"int) *int {\n\tif i%3 == 0 {\n\t\treturn new(int)\n\t}\n\treturn nil\n}\n")},
	"known/known_test.go": {Data: []byte(`package known

import "testing"

var sink *int
var block []byte
var pages [300 << 20]byte // untouched

func BenchmarkThird(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = Third(i)
	}
}

func BenchmarkNothing(b *testing.B) {
	for i := 0; i < b.N; i++ {
	}
}

func BenchmarkGarbage(b *testing.B) {
	for i := 0; i < b.N; i++ {
		block = make([]byte, 1<<20)
	}
}

func BenchmarkLeak(b *testing.B) {
	for i := 0; i < b.N; i++ {
		go func() { <-make(chan int) }()
		b.StopTimer()
		b.StartTimer()
	}
}

func BenchmarkFaults(b *testing.B) {
	for i := 0; i < b.N; i++ {
		pages[i<<20] = 1
	}
}

func BenchmarkDebt(b *testing.B) {
	var old [][]byte
	for i := 0; i < 48; i++ {
		old = append(old, make([]byte, 1<<20))
	}
	block, old = old[0], nil
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		block = make([]byte, 1<<18)
	}
}

func BenchmarkOwn(b *testing.B) {
	for i := 0; i < b.N; i++ {
	}
	b.ReportMetric(2.5, "allocs/op")
	b.ReportMetric(1234567.25, "B/op")
	b.ReportMetric(123456.78, "ns/op")
	b.ReportMetric(7, "own/op")
}
`)},
	"known/ext_test.go": {Data: []byte("package known_test\n\nimport \"testing\"\n\nfunc BenchmarkExternal(b " +
		"*testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t}\n}\n")},
	"known/testdata/a.json": {Data: []byte("{}\n")},
	"malloc/malloc.cc":      {Data: []byte("int main() {}\n")},
	"broken/broken_test.go": {Data: []byte("package broken\n\nimport \"testing\"\n\nfunc BenchmarkX(b *testing.B) { " +
		"undefined1() }\n")},
	"bare/bare.go": {Data: []byte("package bare\n")},
}

// bench is a builder with the commands that it ran.
type bench struct {
	*Builder
	trace *commands
}

// commands are what was run, links side by side among them.
type commands struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (c *commands) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.Write(b)
}

func (c *commands) String() string { return c.text.String() }

func (c *commands) Reset() { c.text.Reset() }

func builder(t *testing.T, cache string) bench {
	t.Helper()
	trace := new(commands)
	return bench{&Builder{
		Runner:   &proc.Runner{Trace: trace},
		CacheDir: cache,
		Env:      append(os.Environ(), goEnvFile(t), "GOFLAGS=-nonsense", "GOWORK=/nowhere/go.work"),
	}, trace}
}

func prepare(t *testing.T, dest string, tc Toolchain) string {
	t.Helper()
	dir, err := PrepareStudies(study, dest, tc)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// figures runs a binary with so many iterations: benchmark → unit → value.
func figures(t *testing.T, binary string) map[string]map[string]float64 {
	t.Helper()
	res, err := new(proc.Runner).Run(t.Context(), proc.Cmd{
		Path: binary, Args: []string{"-test.bench=.", "-test.benchtime=300x", "-test.benchmem", "-test.run=^$",
			"-test.cpu=1"},
		Env: proc.CleanEnv(os.Environ()),
	})
	if err == nil {
		err = res.Err("running " + binary)
	}
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]map[string]float64{}
	for r := benchfmt.NewReader(bytes.NewReader(res.Stdout), "out"); r.Scan(); {
		switch rec := r.Result().(type) {
		case *benchfmt.Result:
			values := map[string]float64{}
			for _, v := range rec.Values {
				values[v.Unit] = v.Value
			}
			all[string(rec.Name.Full())] = values
		case *benchfmt.SyntaxError:
			t.Errorf("benchfmt cannot read %v in\n%s", rec, res.Stdout)
		}
	}
	return all
}

// checkExact checks the figures of a binary with the changed testing package.
func checkExact(t *testing.T, binary string) {
	t.Helper()
	all := figures(t, binary)
	near := func(name, unit string, want, within float64) {
		got, ok := all[name][unit]
		if !ok || math.Abs(got-want) > within {
			t.Errorf("%s: %v %s (there: %v), want %v within %v", name, got, unit, ok, want, within)
		}
	}
	near("Third", "allocs/op", 100./300, 0.1) // the runtime may allocate a little meanwhile
	near("Nothing", "allocs/op", 0, 0.1)
	near("Garbage", "B/op", 1<<20, 1<<16)
	near("Own", "allocs/op", 2.5, 0)
	near("Own", "B/op", 1234567.25, 0.5)
	near("Own", "sec/op", 123456.78e-9, 0.5e-9)
	near("Own", "own/op", 7, 0)
	if got := all["Third"]["allocs/op"]; got == math.Trunc(got) {
		t.Errorf("Third: %v allocs/op were rounded", got)
	}
	// 300 MiB of garbage collect the heap; the case after it starts from zero again.
	if g := all["Garbage"]; g["gc-cycles"] < 3 || g["gc-pause-sec"] <= 0 || g["gc-cpu-share"] <= 0 ||
		g["gc-cpu-share"] > 1 {
		t.Errorf("Garbage: %v", g)
	}
	for _, name := range []string{"Nothing", "Own"} {
		if g, ok := all[name]["gc-cycles"]; !ok || g != 0 || all[name]["gc-cpu-share"] != 0 {
			t.Errorf("%s: %v", name, all[name])
		}
	}
	checkGuardFigures(t, all)
	if peak := all["Own"]["peak-RSS-bytes"]; runtime.GOOS == "linux" && (peak < 1<<20 || peak > 1<<30) {
		t.Errorf("peak RSS of %v bytes", peak)
	}
}

// checkGuardFigures checks what the changed testing package says for the guards.
func checkGuardFigures(t *testing.T, all map[string]map[string]float64) {
	t.Helper()
	for name, g := range all {
		left, starts := 0., 1.
		if name == "Leak" {
			left, starts = 1, 301
		}
		if g["goroutines-left"] != left || g["timer-starts"] != starts {
			t.Errorf("%s: %v goroutines left, %v starts of the timer, want %v and %v", name, g["goroutines-left"],
				g["timer-starts"], left, starts)
		}
		if _, ok := g["goroutines-left-cpu"]; ok != (left > 0) {
			t.Errorf("%s: CPUs of the goroutines left: %v", name, g)
		}
		if goal := g["heap-goal-bytes"]; goal < 1<<20 || goal > 1<<30 {
			t.Errorf("%s: a heap goal of %v bytes", name, goal)
		}
	}
	// A block of 1 MiB for each op is zeroed by this process.
	if g := all["Garbage"]; runtime.GOOS != "windows" && !(g["cpu-sec/op"] > 0.1*g["sec/op"]) {
		t.Errorf("Garbage: %v s of CPU time per op of %v s", g["cpu-sec/op"], g["sec/op"])
	}
	if g := all["Faults"]; runtime.GOOS == "linux" && (g["loop-faults"] < 100 || g["loop-faults"] > 600) {
		t.Errorf("Faults: %v faults for 300 pages, or for 300 MiB of large ones", g["loop-faults"])
	}
	if g := all["Nothing"]; g["loop-faults"] > 20 || g["gc-freed-bytes"] != 0 {
		t.Errorf("Nothing: %v", g)
	}
	// The 48 blocks from before the timer are freed beside those of the loop.
	if g := all["Debt"]; g["gc-freed-bytes"] < 300*(1<<18) {
		t.Errorf("Debt: %v bytes freed, %v allocated", g["gc-freed-bytes"], 300*g["B/op"])
	}
}

// Links of a run are its own: they lie where it says, the cache keeps none, and what is
// known of the build beside them is found again.
func TestFreshLinks(t *testing.T) {
	tc, dest, cache := local(t), t.TempDir(), t.TempDir()
	b := builder(t, cache)
	dir, err := b.Temporary()
	if err != nil {
		t.Fatal(err)
	}
	spec := Build{Toolchain: tc, Dir: prepare(t, dest, tc), Pkg: "./known", Fresh: dir,
		Layouts: []uint64{7, 1 << 62, 9}}
	first, err := b.Build(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	checkDiagnostics(t, first.Diagnostics)
	if !slices.Equal(first.Layouts, spec.Layouts) || !first.RandLayout || !first.FloatAllocs {
		t.Errorf("got %+v", first)
	}
	sums := map[string]bool{}
	for _, path := range first.Paths {
		if !strings.HasPrefix(path, dir) {
			t.Errorf("%s is not in %s", path, dir)
		}
		sum, _, err := examine(path, marker)
		if sums[sum] || err != nil {
			t.Errorf("%s repeats a layout (%v)", path, err)
		}
		sums[sum] = true
	}
	checkExact(t, first.Paths[2])

	b.trace.Reset()
	spec.Layouts = []uint64{7, 11}
	second, err := b.Build(t.Context(), spec)
	if err != nil || second.Hash != first.Hash || !bytes.Equal(second.Diagnostics, first.Diagnostics) {
		t.Errorf("the second time: %v, hash %s and %s", err, second.Hash, first.Hash)
	}
	if n := strings.Count(b.trace.String(), "test -c"); n != 2 || strings.Contains(b.trace.String(), "-m=2") {
		t.Errorf("the second time %d links:\n%s", n, b.trace)
	}
	spec.Layouts = []uint64{13}
	if more, err := b.Link(t.Context(), spec); err != nil || len(more.Paths) != 1 || more.Hash == first.Hash {
		t.Errorf("a further link: %+v, %v", more, err)
	}

	// Links behind that are the linker's alone, and put the code where the go command's links of the same seed do.
	if runtime.GOOS == "linux" {
		b.trace.Reset()
		spec.Layouts = []uint64{9, 1 << 62}
		more, err := b.Link(t.Context(), spec)
		if err != nil || len(more.Paths) != 2 || strings.Contains(b.trace.String(), "test -c") {
			t.Fatalf("links of the linker alone: %+v, %v\n%s", more, err, b.trace)
		}
		for i, made := range []string{first.Paths[2], first.Paths[1]} {
			if all := functions(t, made); len(all) < 1000 || !slices.Equal(functions(t, more.Paths[i]), all) {
				t.Errorf("seed %d gives another order", spec.Layouts[i])
			}
		}
		checkExact(t, more.Paths[0])
		work, _ := filepath.Glob(filepath.Join(dir, "go-build*"))
		if len(work) == 0 {
			t.Error("what links are made of is not with them")
		}
		for _, path := range work { // the go command makes what the linker cannot
			os.RemoveAll(path)
		}
		spec.Layouts = []uint64{17}
		if more, err := b.Link(t.Context(), spec); err != nil || len(more.Paths) != 1 || !strings.Contains(b.trace.String(), "test -c") {
			t.Errorf("without its objects: %+v, %v", more, err)
		}
	}
	if kept, _ := filepath.Glob(filepath.Join(cache, "*", "bench.test*")); len(kept) > 0 {
		t.Errorf("the cache keeps %q", kept)
	}
}

// functions are the names of a binary's functions by their addresses.
func functions(t *testing.T, path string) []string {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(all, func(a, b elf.Symbol) int { return cmp.Compare(a.Value, b.Value) })
	var names []string
	for _, s := range all {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			names = append(names, s.Name)
		}
	}
	return names
}

func TestBuildStudy(t *testing.T) {
	tc, dest, cache := local(t), t.TempDir(), t.TempDir()
	b := builder(t, cache)
	spec := Build{Toolchain: tc, Dir: prepare(t, dest, tc), Pkg: "./known", Layouts: []uint64{0, 1, 1<<63 | 2}}
	got, err := b.Build(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if !got.RandLayout || !got.FloatAllocs || len(got.Warnings) != 0 || !slices.Equal(got.Layouts, spec.Layouts) {
		t.Errorf("got %+v", got)
	}
	if len(got.Paths) != 3 || got.Paths[0] == got.Paths[1] || got.Paths[1] == got.Paths[2] {
		t.Fatalf("the layouts are not three binaries: %q", got.Paths)
	}
	if sum, _, err := examine(got.Paths[0], marker); err != nil || sum != got.Hash {
		t.Errorf("the hash is %s, but the binary's %s (%v)", got.Hash, sum, err)
	}
	checkExact(t, got.Paths[2])
	checkDiagnostics(t, got.Diagnostics)

	b.trace.Reset()
	second, err := b.Build(t.Context(), spec)
	if err != nil || !slices.Equal(second.Paths, got.Paths) || !bytes.Equal(second.Diagnostics, got.Diagnostics) ||
		second.Hash != got.Hash {
		t.Errorf("the second time: %+v, %v", second, err)
	}
	if strings.Contains(b.trace.String(), "test -c") || !strings.Contains(b.trace.String(), "env -json") {
		t.Errorf("the second time it built again:\n%s", b.trace)
	}

	// A damaged or lost binary is noticed, and made again.
	if err := os.WriteFile(got.Paths[1], []byte("no program"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(got.Paths[2]); err != nil {
		t.Fatal(err)
	}
	second, err = b.Build(t.Context(), spec)
	if err != nil || !slices.Equal(second.Paths, got.Paths) {
		t.Errorf("after binaries were lost: %+v, %v", second, err)
	}
	checkExact(t, second.Paths[1])
	checkExact(t, second.Paths[2])
	left, _ := filepath.Glob(filepath.Join(cache, ".new-*"))
	if len(left) != 0 {
		t.Errorf("left in the cache: %q", left)
	}
}

func checkDiagnostics(t *testing.T, text []byte) {
	t.Helper()
	var headers []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "# ") {
			headers = append(headers, strings.TrimSpace(line))
		}
	}
	slices.Sort(headers)
	want := []string{"# memcost/study/known [memcost/study/known.test]",
		"# memcost/study/known_test [memcost/study/known.test]"}
	if !slices.Equal(headers, want) {
		t.Errorf("sections %q, want %q", headers, want)
	}
	if !bytes.Contains(text, []byte("doc.go:6:13: new(int) escapes to heap")) {
		t.Errorf("no new(int) escapes in\n%s", text)
	}
}

// Two at once, as two memcost processes are, from an empty cache.
func TestBuildAtTheSameTime(t *testing.T) {
	tc, dest, cache := local(t), t.TempDir(), t.TempDir()
	var group sync.WaitGroup
	var results [2]Binaries
	for i := range results {
		b := builder(t, cache)
		group.Go(func() {
			dir, err := PrepareStudies(study, dest, tc)
			if err == nil {
				results[i], err = b.Build(t.Context(), Build{Toolchain: tc, Dir: dir, Pkg: "./known"})
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if !slices.Equal(results[0].Paths, results[1].Paths) || len(results[0].Paths) != 1 || results[0].RandLayout {
		t.Errorf("got %+v\nand %+v", results[0], results[1])
	}
}

func TestBuildFails(t *testing.T) {
	tc := local(t)
	b, dir := builder(t, t.TempDir()), prepare(t, t.TempDir(), tc)
	for _, c := range []struct {
		spec Build
		want []string
	}{
		{Build{Pkg: "./broken"}, []string{"building ./broken in ", " with " + tc.Version + " failed:",
			"broken_test.go:5:33: undefined: undefined1"}},
		{Build{Pkg: "./bare"}, []string{"no test files"}},
		{Build{Pkg: "./nowhere"}, []string{"building ./nowhere", "directory not found"}},
		{Build{Pkg: "./known", Flags: []string{"-nonsense"}},
			[]string{"hint: " + tc.Version + " does not know one of the flags -nonsense"}},
	} {
		c.spec.Toolchain, c.spec.Dir = tc, dir
		_, err := b.Build(t.Context(), c.spec)
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%+v: %v\nit should say %q", c.spec, err, want)
			}
		}
	}
}

// A user's module may change at any time: it is always built, and a binary that
// is in use stays.
func TestBuildModule(t *testing.T) {
	tc, dir := local(t), t.TempDir()
	if err := os.CopyFS(dir, study); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/user\n\ngo 1.21\n")
	b := builder(t, t.TempDir())
	b.Env = append(b.Env, "GOWORK=off")
	spec := Build{Toolchain: tc, Dir: dir, Pkg: "./known", Flags: []string{"-gcflags=-N -l"}}
	first, err := b.Build(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(first.Diagnostics, []byte("inlining call to")) ||
		!bytes.Contains(first.Diagnostics, []byte("escapes to heap")) {
		t.Errorf("the diagnostics are not of a build with -N -l:\n%s", first.Diagnostics)
	}
	write("known/doc.go", "package known\n\nfunc Third(i int) *int { return nil }\n")
	second, err := b.Build(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if first.Hash == second.Hash || first.Paths[0] == second.Paths[0] {
		t.Error("a change of the source went unnoticed")
	}
	if _, err := os.Stat(first.Paths[0]); err != nil {
		t.Error(err)
	}
	write("go.mod", "module example.com/user\n\ngo 1.99\n")
	if _, err = b.Build(t.Context(), spec); err == nil ||
		!strings.Contains(err.Error(), "hint: the module asks for a newer Go than "+tc.Version) {
		t.Errorf("got %v", err)
	}
}

// A GOROOT behind a link: the overlay must name the sources as go knows them.
func TestBuildThroughLink(t *testing.T) {
	tc := local(t)
	link := filepath.Join(t.TempDir(), "go")
	if err := os.Symlink(tc.GOROOT, link); err != nil {
		t.Skip(err)
	}
	f := finder(t, "PATH="+filepath.Join(link, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	linked, err := f.Local(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if linked.GOROOT != tc.GOROOT || !strings.HasPrefix(linked.GoCmd, link) {
		t.Fatalf("got %+v", linked)
	}
	got, err := builder(t, t.TempDir()).Build(t.Context(), Build{Toolchain: linked, Dir: prepare(t, t.TempDir(), tc),
		Pkg: "./known"})
	if err != nil || !got.FloatAllocs {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestBuildWithOldToolchains(t *testing.T) {
	versions := []string{"1.13.15", "1.16.15", "1.18.10", "1.20.14", "1.21.13", "1.22.12", "1.23.12", "1.24.13",
		"1.25.4", "1.27.4"}
	if os.Getenv("MEMCOST_LONG") != "1" {
		versions = []string{"1.13.15", "1.18.10", "1.25.4"} // without overlay, without layouts, with both
	}
	for _, v := range versions {
		t.Run(v, func(t *testing.T) {
			tc := needs(t, v)
			dir := prepare(t, t.TempDir(), tc)
			got, err := builder(t, t.TempDir()).Build(t.Context(), Build{Toolchain: tc, Dir: dir, Pkg: "./known",
				Layouts: []uint64{5, 6}})
			if err != nil {
				t.Fatal(err)
			}
			float, seeds := !strings.HasPrefix(v, "1.13"), v >= "1.23"
			if got.FloatAllocs != float || got.RandLayout != seeds {
				t.Errorf("float allocations %v (want %v), layouts %v (want %v): %q", got.FloatAllocs, float,
					got.RandLayout, seeds, got.Warnings)
			}
			text := strings.Join(got.Warnings, "\n")
			if strings.Contains(text, "has no -overlay") == float ||
				strings.Contains(text, "has no -randlayout") == seeds {
				t.Errorf("warnings: %q", got.Warnings)
			}
			if want := map[bool]int{true: 2, false: 1}[seeds]; len(got.Paths) != want || len(got.Layouts) != want ||
				!seeds && got.Layouts[0] != 0 {
				t.Errorf("%d binaries for layouts %v", len(got.Paths), got.Layouts)
			}
			checkDiagnostics(t, got.Diagnostics)
			if float {
				checkExact(t, got.Paths[0])
			} else if a := figures(t, got.Paths[0])["Third"]["allocs/op"]; a != 0 {
				t.Errorf("%v allocs/op, want the integer 0 of an unchanged testing package", a)
			}
		})
	}
}
