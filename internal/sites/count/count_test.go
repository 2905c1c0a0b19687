package count

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/exp/trace"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/sites"
	"memcost/internal/sites/join"
)

// cacheDir is shared by the tests: they build the same.
var cacheDir string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "memcost-count-test-")
	if err != nil {
		panic(err)
	}
	cacheDir = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func setUp(t *testing.T) (*toolchain.Builder, Options) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds and runs benchmarks")
	}
	tc, err := (&toolchain.Finder{Runner: &proc.Runner{}}).Local(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.Abs("testdata/allocates")
	if err != nil {
		t.Fatal(err)
	}
	return &toolchain.Builder{Runner: &proc.Runner{}, CacheDir: cacheDir}, Options{Toolchain: tc, Dir: dir,
		Patterns: []string{"."}, Timeout: time.Minute}
}

func countOne(t *testing.T, b *toolchain.Builder, o Options) Counted {
	t.Helper()
	all, err := Count(context.Background(), b, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 {
		t.Fatalf("%d packages, not 1", len(all))
	}
	return all[0]
}

func find(t *testing.T, c Counted, name string) join.Measured {
	t.Helper()
	for _, m := range c.Measured {
		if m.Name == name {
			return m
		}
	}
	t.Fatalf("there is no %s in %v; %v", name, names(c), c.Warnings)
	return join.Measured{}
}

// near reports whether a count is that of so many objects per operation, within 1%.
func near(got float64, n int64, each float64) bool {
	return got >= 0.99*each*float64(n)-32 && got <= 1.01*each*float64(n)+32
}

func TestOnlyTheTimedPartIsCounted(t *testing.T) {
	b, o := setUp(t)
	o.Bench = "Pair|Tiny|Sub|Parallel|Loop"
	o.CPURuns, o.CPUTime = 2, 50*time.Millisecond
	c := countOne(t, b, o)
	if !strings.Contains(string(c.Diagnostics), filepath.Join(o.Dir, "allocates.go")+":9:") {
		t.Error("the compiler's diagnostics do not name allocates.go by its path")
	}
	if c.Folders["fmt"] == "" {
		t.Error("the folder of fmt is not known")
	}
	for name, tiny := range map[string]float64{"Pair": 0, "Tiny": 0.5, "Sub/size=1": 0, "Sub/size=two_words": 0,
		"Parallel": 0, "Loop": 0} {
		m := find(t, c, name)
		if m.Err != nil {
			t.Errorf("%s: %v", name, m.Err)
			continue
		}
		objects, _ := sum(m.Memory)
		if m.N < leastOps || !near(float64(m.Mallocs), m.N, 1) || !near(float64(m.Tiny), m.N, tiny) ||
			!near(float64(objects), m.N, 1-tiny) {
			t.Errorf("%s: %d operations, %d objects of which %d share a block, and %d in the profile", name, m.N,
				m.Mallocs, m.Tiny, objects)
		}
		if len(m.Time) != 2 || len(m.CPU) != 2 || m.Time[0] <= 0 {
			t.Errorf("%s: %d runs and %d CPU profiles, not 2", name, len(m.Time), len(m.CPU))
		}
	}
	for _, s := range find(t, c, "Pair").Memory.Sample {
		for _, l := range s.Location {
			if name := l.Line[0].Function.Name; strings.HasSuffix(name, ".prepare") {
				t.Errorf("the profile has %s, which ran before ResetTimer", name)
			}
		}
	}
}

// The objects that a trace saw between two marks are those that exact counting says.
func TestExactCountsEachObject(t *testing.T) {
	b, o := setUp(t)
	file := filepath.Join(t.TempDir(), "trace")
	o.Exact, o.Bench = true, "Tiny"
	o.Args, o.Vars = []string{"-test.trace=" + file}, []string{"GODEBUG=traceallocfree=1"}
	c := countOne(t, b, o)
	m := find(t, c, "Tiny")
	if m.Err != nil {
		t.Fatal(m.Err)
	}
	objects, _ := sum(m.Memory)
	if m.Tiny != 0 || !near(float64(objects), m.N, 1) || !near(float64(m.Mallocs), m.N, 1) {
		t.Errorf("%d operations, %d objects of which %d share a block, and %d in the profile", m.N, m.Mallocs, m.Tiny,
			objects)
	}
	if m.AsItIs < 7.5 || m.AsItIs > 9 { // two objects of 8 bytes share a block of 16
		t.Errorf("%v bytes for each operation as it is, and %d of %d operations where each object has a block", m.AsItIs, m.Bytes, m.N)
	}
	// one pass is of one operation
	if traced := tracedObjects(t, file); !near(float64(traced), m.N+1, 1) {
		t.Errorf("the trace has %d objects of %d operations", traced, m.N)
	}
}

// tracedObjects counts the objects between the marks of BenchmarkTiny.
func tracedObjects(t *testing.T, path string) int {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := trace.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	timed, objects := false, 0
	for {
		e, err := r.ReadEvent()
		if errors.Is(err, io.EOF) {
			return objects
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e.Kind() {
		case trace.EventLog:
			timed = e.Log().Message == "begins"
		case trace.EventExperimental:
			if timed && e.Experimental().Name == "HeapObjectAlloc" {
				objects++
			}
		}
	}
}

func TestABadBenchmarkCostsItsOwnFigures(t *testing.T) {
	b, o := setUp(t)
	o.Bench, o.Timeout = "Bad|Skipped|Pair", 20*time.Second
	c := countOne(t, b, o)
	for name, want := range map[string]string{"BadPanic": "panic: out of luck", "BadHang": "time limit",
		"BadExit": "os.Exit", "BadFail/fails": "it does not work"} {
		if m := find(t, c, name); m.Err == nil || !strings.Contains(m.Err.Error(), want) {
			t.Errorf("%s: error %v, not one with %q", name, m.Err, want)
		}
	}
	for name, objects := range map[string]float64{"Pair": 1, "BadFail/works": 1, "BadReset": 0} {
		m := find(t, c, name)
		if m.Err != nil {
			t.Errorf("%s: %v", name, m.Err)
		} else if !near(float64(m.Mallocs), m.N, objects) {
			t.Errorf("%s: %d objects of %d operations", name, m.Mallocs, m.N)
		}
	}
	for _, m := range c.Measured {
		if m.Name == "Skipped" {
			t.Error("a benchmark that skips is in the list")
		}
	}
}

func TestEachTestIsCounted(t *testing.T) {
	b, o := setUp(t)
	o.Test = "Te|Fa"
	c := countOne(t, b, o)
	m := find(t, c, "TestText")
	if m.Err != nil || m.N != 1 || m.Mallocs == 0 {
		t.Errorf("%+v", m)
	}
	own := false
	for _, s := range m.Memory.Sample {
		for _, l := range s.Location {
			for _, line := range l.Line {
				own = own || line.Function.Name == "allocates.text"
			}
		}
	}
	if !own {
		t.Error("what text allocates is not in the profile of TestText")
	}
	if m := find(t, c, "TestFails"); m.Err == nil || !strings.Contains(m.Err.Error(), "it fails") {
		t.Errorf("TestFails: error %v", m.Err)
	}
}

func TestWhatIsAskedForMustBeThere(t *testing.T) {
	b, o := setUp(t)
	o.Bench = "Nowhere"
	if _, err := Count(context.Background(), b, o); !hint.IsUsage(err) {
		t.Errorf("-bench that matches nothing: %v", err)
	}
	o.Bench = "("
	if _, err := Count(context.Background(), b, o); !hint.IsUsage(err) {
		t.Errorf("-bench that is no expression: %v", err)
	}
	o.Bench, o.Patterns = "", []string{"./nowhere"}
	if _, err := Count(context.Background(), b, o); err == nil {
		t.Error("a package that is not there is accepted")
	}
}

func TestDependenciesAreDescribed(t *testing.T) {
	b, o := setUp(t)
	o.Build = true
	c := countOne(t, b, o)
	got, err := Dependencies(context.Background(), &c, []string{"errors", "no/such/package"})
	if err != nil {
		t.Fatal(err)
	}
	d := got["errors"]
	if d.Log == nil || len(d.Log.Diagnostics) == 0 || d.Source == nil || filepath.Base(d.Dir) != "errors" {
		t.Errorf("errors: %+v", d)
	}
	if _, known := got["no/such/package"]; known || len(c.Warnings) == 0 {
		t.Errorf("a package that does not exist: %q", c.Warnings)
	}
}

func TestCancelling(t *testing.T) {
	b, o := setUp(t)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	o.Bench = "BadHang"
	ctx, cancel := context.WithCancel(context.Background())
	o.Progress = func(p sites.Progress) {
		if strings.HasPrefix(p.What, "looking at") {
			time.AfterFunc(200*time.Millisecond, cancel)
		}
	}
	if _, err := Count(ctx, b, o); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("%d files are left, the first is %s", len(left), left[0].Name())
	}
}

func names(c Counted) (out []string) {
	for _, m := range c.Measured {
		out = append(out, m.Name)
	}
	return out
}
