package count

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"memcost/internal/base/hint"
	"memcost/internal/gotool/binary"
)

// take builds the tests of a module and takes its profiles.
func take(t *testing.T, dir, out string, flags ...string) (path, memory, cpu string) {
	t.Helper()
	path, memory, cpu = filepath.Join(out, "p.test"), filepath.Join(out, "mem"), filepath.Join(out, "cpu")
	cmd := exec.Command("go", append([]string{"test", "-o=" + path, "-run=^$", "-bench=Pair|Tiny", "-benchtime=1000x",
		"-memprofilerate=1", "-memprofile=" + memory, "-cpuprofile=" + cpu}, flags...)...)
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return path, memory, cpu
}

func TestAGivenProfile(t *testing.T) {
	b, o := setUp(t)
	path, memory, cpu := take(t, o.Dir, t.TempDir())
	g, err := ReadGiven(memory, path)
	if err != nil {
		t.Fatal(err)
	}
	if g.Go != o.Toolchain.Version || g.Module != "allocates" {
		t.Errorf("Go %q, module %q", g.Go, g.Module)
	}
	all, err := g.Count(context.Background(), b, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 || len(all[0].Measured) != 1 ||
		!strings.Contains(string(all[0].Diagnostics), "&pair{...} escapes") {
		t.Errorf("%+v", all)
	}
	if len(all[0].Warnings) > 0 {
		t.Errorf("warnings of a profile that fits: %q", all[0].Warnings)
	}
	if _, err := ReadGiven(cpu, path); !hint.IsUsage(err) || !strings.Contains(err.Error(), "CPU time") {
		t.Errorf("a CPU profile: %v", err)
	}
	other, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ReadGiven(memory, other); !hint.IsUsage(err) || !strings.Contains(err.Error(), "do not fit") {
		t.Errorf("another binary: %v", err)
	}
	if _, err := ReadGiven(memory, memory); err == nil {
		t.Error("a profile is accepted as a binary")
	}
}

// The calls in a position independent program are found at the addresses of its profile, less by how
// much they are above those of the program.
func TestAProfileOfAPositionIndependentProgram(t *testing.T) {
	_, o := setUp(t)
	path, memory, _ := take(t, o.Dir, t.TempDir(), "-buildmode=pie")
	g, err := ReadGiven(memory, path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	program, err := binary.Open(f)
	if err != nil {
		t.Fatal(err)
	}
	shift, found := program.Shift(g.Profile), 0
	for _, s := range g.Profile.Sample {
		if _, ok := program.CallAt(s.Location[0].Address - shift + 1); ok {
			found++
		}
	}
	if shift == 0 || found < len(g.Profile.Sample)/2 {
		t.Errorf("shifted by %#x, %d of %d samples have their call", shift, found, len(g.Profile.Sample))
	}
}

func TestASourceThatChangedIsSaid(t *testing.T) {
	b, o := setUp(t)
	dir := filepath.Join(t.TempDir(), "allocates")
	if err := os.CopyFS(dir, os.DirFS(o.Dir)); err != nil {
		t.Fatal(err)
	}
	o.Dir = dir
	path, memory, _ := take(t, dir, t.TempDir())
	file := filepath.Join(dir, "allocates.go")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), "type pair", "\n\n\n\n\n\ntype pair", 1)
	if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	g, err := ReadGiven(memory, path)
	if err != nil {
		t.Fatal(err)
	}
	all, err := g.Count(context.Background(), b, o)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(all[0].Warnings, "\n"), "is not what") {
		t.Errorf("warnings are %q", all[0].Warnings)
	}
}

func TestPackagesInNamesOfFunctions(t *testing.T) {
	for name, want := range map[string]string{
		"fmt.Sprint": "fmt", "main.main.func1": "main", "a.b/c.(*T).M": "a.b/c",
		"gopkg.in/yaml%2ev3.Marshal":                     "gopkg.in/yaml%2ev3",
		"slices.SortFunc[go.shape.[]x/y.T,go.shape.int]": "slices",
	} {
		if got := packageOf(name); got != want {
			t.Errorf("%s is of %s, not %s", name, got, want)
		}
	}
}
