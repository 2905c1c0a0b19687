package memcost_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// long skips a test that make test-long runs.
func long(t *testing.T) {
	t.Helper()
	if os.Getenv("MEMCOST_LONG") == "" {
		t.Skip("make test-long runs this")
	}
}

func command(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s\n%s", name, strings.Join(args, " "), err, out, stderr.String())
	}
	return string(out)
}

// builtIn is the folder with the program that the tests share, which is built when the first asks.
var builtIn string

func TestMain(m *testing.M) {
	status := m.Run()
	os.RemoveAll(builtIn)
	os.Exit(status)
}

var built = sync.OnceValue(func() (err error) {
	if builtIn, err = os.MkdirTemp("", "memcost-test"); err != nil {
		return err
	}
	if out, err := exec.Command("go", "build", "-o", builtIn, "./cmd/memcost").CombinedOutput(); err != nil {
		return fmt.Errorf("building memcost: %w\n%s", err, out)
	}
	return nil
})

func builtMemcost(t *testing.T) string {
	t.Helper()
	if err := built(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(builtIn, "memcost")
}

// The study and the program run on arm64, under emulation.
func TestArm64UnderEmulation(t *testing.T) {
	long(t)
	qemu, err := exec.LookPath("qemu-aarch64")
	if err != nil {
		t.Skip("qemu-aarch64 is missing: apt-get install qemu-user")
	}
	dir := t.TempDir()
	side := []string{"GOARCH=arm64", "CGO_ENABLED=0"}
	test := filepath.Join(dir, "stackheap.test")
	command(t, side, "go", "test", "-c", "-o", test, "./study/stackheap")
	out := command(t, nil, qemu, test, "-test.run=.", "-test.bench=.", "-test.benchtime=1x", "-test.benchmem")
	for _, name := range []string{"BenchmarkBilbo/place=stack", "BenchmarkSmaug/place=heap/size=1048576",
		"BenchmarkCopy/size=1024"} {
		if !strings.Contains(out, name) {
			t.Errorf("no result of %s on arm64:\n%s", name, out)
		}
	}
	program := filepath.Join(dir, "memcost")
	command(t, side, "go", "build", "-o", program, "./cmd/memcost")
	if out := command(t, nil, qemu, program, "list"); !strings.Contains(out, "stackheap") {
		t.Errorf("memcost list on arm64 says %q", out)
	}
}

// The shipped studies can be measured with every Go from the study's oldest to
// the newest that can be had: each arm gives figures, and those of the stack
// cases count (0 allocs/op everywhere).
func TestEveryGo(t *testing.T) {
	long(t)
	dir := t.TempDir()
	program := builtMemcost(t)
	out := command(t, nil, program, "run", "stackheap", "--go", "all", "-b", "Smaug$|Bilbo", "--rounds", "1",
		"--sample", "2ms",
		"--layouts", "1", "--results", filepath.Join(dir, "results"), "--json")
	var answers []struct {
		Sides   []struct{ Name string }
		Studies []struct {
			Cases []struct {
				Name, Side string
				Time       struct{ Value *float64 }
				Invalid    []string
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &answers); err != nil {
		t.Fatalf("%v in %.300s", err, out)
	}
	figures := map[string]int{}
	for _, c := range answers[0].Studies[0].Cases {
		if c.Time.Value == nil {
			t.Errorf("%s on %s has no figure", c.Name, c.Side)
		}
		if strings.Contains(c.Name, "place=stack") && len(c.Invalid) > 0 {
			t.Errorf("%s on %s is INVALID: %s", c.Name, c.Side, c.Invalid)
		}
		figures[c.Side]++
	}
	if len(figures) < 2 {
		t.Errorf("only these arms gave figures: %v", figures)
	}
	for side, n := range figures {
		if n != 24 {
			t.Errorf("%s gave %d of 24 figures", side, n)
		}
	}
	t.Logf("measured with %d versions of Go: %v", len(figures), figures)
}

// A real module that nobody here wrote.
func TestModuleFromTheProxy(t *testing.T) {
	long(t)
	dir := t.TempDir()
	var mod struct{ Dir string }
	if err := json.Unmarshal([]byte(command(t, []string{"GOFLAGS=-mod=mod"}, "go", "mod", "download", "-json",
		"go.uber.org/zap@v1.28.0")), &mod); err != nil {
		t.Fatal(err)
	}
	src := filepath.Join(dir, "zap")
	if err := os.CopyFS(src, os.DirFS(mod.Dir)); err != nil {
		t.Fatal(err)
	}
	program := builtMemcost(t)
	cmd := exec.Command(program, "run", "./buffer", "./zapcore", "-b", "Buffers|MultiWriteSyncer", "--rounds", "9",
		"--sample", "5ms")
	cmd.Dir = src
	cmd.Env = append(os.Environ(), "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"Buffers/ByteSlice", "MultiWriteSyncer/2_discarder", "run folder"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// The program of the malloc study passes its own tests: with Google Benchmark, static
// with musl, and on arm64 under emulation.
func TestMallocBench(t *testing.T) {
	long(t)
	for preset, needs := range map[string][]string{
		"default": {"cmake", "c++"}, "static-musl": {"cmake", "musl-gcc"}, "arm64": {"cmake", "aarch64-linux-gnu-g++",
			"qemu-aarch64"},
	} {
		t.Run(preset, func(t *testing.T) {
			for _, name := range needs {
				if _, err := exec.LookPath(name); err != nil {
					t.Skipf("%s is missing: make setup installs it where it may", name)
				}
			}
			dir := filepath.Join(t.TempDir(), "malloc")
			if err := os.CopyFS(dir, os.DirFS("study/malloc")); err != nil {
				t.Fatal(err)
			}
			command(t, nil, "cmake", "-S", dir, "--preset", preset)
			command(t, nil, "cmake", "--build", filepath.Join(dir, "build", preset), "--parallel", "2")
			out := command(t, nil, "ctest", "--test-dir", filepath.Join(dir, "build", preset), "--output-on-failure")
			if !strings.Contains(out, "100% tests passed") {
				t.Error(out)
			}
		})
	}
}
