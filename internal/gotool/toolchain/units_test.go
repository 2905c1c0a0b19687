package toolchain

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestAddToFlag(t *testing.T) {
	for _, c := range []struct{ flags, want []string }{
		{nil, []string{"-gcflags=-m=2"}},
		{[]string{"-tags=x"}, []string{"-tags=x", "-gcflags=-m=2"}},
		{[]string{"-gcflags=-N -l"}, []string{"-gcflags=-N -l", "-gcflags=-N -l -m=2"}},
		{[]string{"--gcflags", "-N"}, []string{"--gcflags", "-N", "-gcflags=-N -m=2"}},
		{[]string{"-gcflags=all=-N -l"}, []string{"-gcflags=all=-N -l", "-gcflags=-N -l -m=2"}},
		{[]string{"-gcflags=./...=-N"}, []string{"-gcflags=./...=-N", "-gcflags=-N -m=2"}},
		{[]string{"-gcflags=-N", "-gcflags=std=-l"}, []string{"-gcflags=-N", "-gcflags=std=-l", "-gcflags=-N -m=2"}},
		{[]string{"-gcflags=-N", "-gcflags="}, []string{"-gcflags=-N", "-gcflags=", "-gcflags=-m=2"}},
		{[]string{"-ldflags=-s"}, []string{"-ldflags=-s", "-gcflags=-m=2"}},
	} {
		before := slices.Clone(c.flags)
		if got := addToFlag(c.flags, "gcflags", "./pkg", "-m=2"); !slices.Equal(got, c.want) ||
			!slices.Equal(c.flags, before) {
			t.Errorf("%q becomes %q, want %q", c.flags, got, c.want)
		}
	}
}

func TestOwnSections(t *testing.T) {
	text := "warning: something\n# p\n./a.go:1\n# p [p.test]\n./a.go:1\n./a_test.go:2\n# p_test " +
		"[p.test]\n./b_test.go:3\n# p.test\n/gen:4\n"
	want := "# p [p.test]\n./a.go:1\n./a_test.go:2\n# p_test [p.test]\n./b_test.go:3\n"
	if got := string(ownSections([]byte(text))); got != want {
		t.Errorf("got %q", got)
	}
	second := "# p [p.test]\n./a.go:1\n# p\n./a.go:1\n# p [p.test]\n./a_test.go:2\n"
	if got := string(ownSections([]byte(second))); got != "# p [p.test]\n./a.go:1\n# p [p.test]\n./a_test.go:2\n" {
		t.Errorf("in another order: %q", got)
	}
	if got := string(
		ownSections([]byte("# p\n./a.go:1\n# p_test [p.test]\n./b:2"))); got != "# p\n./a.go:1\n# p_test "+
		"[p.test]\n./b:2" {
		t.Errorf("a package with external tests only: %q", got)
	}
}

func TestExamineFindsTextAcrossBlocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for _, at := range []int{0, 100, 1<<20 - 20, 1<<20 - 12, 1<<20 - 5, 1 << 20, 3<<20 - 7} {
		content := strings.Repeat("x", at) + marker + strings.Repeat("y", 50)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		_, holds, err := examine(path, marker)
		if err != nil || !holds {
			t.Errorf("not found at %d (%v)", at, err)
		}
		if sum, holds, _ := examine(path, marker+"z"); holds || len(sum) != 64 {
			t.Errorf("found what is not there, at %d", at)
		}
	}
}

func TestListPackages(t *testing.T) {
	tc := local(t)
	b, dir := builder(t, t.TempDir()), prepare(t, t.TempDir(), tc)
	b.Env = append(b.Env, "GOWORK=off")
	var logged string
	b.Log = func(text string) { logged += text + "\n" }
	got, err := b.ListPackages(t.Context(), tc, Listing{Dir: dir, Patterns: []string{"./known", "./bare"}})
	if err != nil || len(got) != 1 {
		t.Fatalf("got %+v, %v", got, err)
	}
	p := got[0]
	if p.ImportPath != "memcost/study/known" || p.Dir != filepath.Join(dir, "known") || p.Name != "known" ||
		len(p.Benchmarks) == 0 ||
		!slices.Equal(p.TestFiles, []string{"known_test.go", "ext_test.go"}) || p.ModulePath != "memcost/study" ||
		p.ModuleDir != dir {
		t.Errorf("got %+v", p)
	}
	if !strings.Contains(logged, "left out: memcost/study/bare") {
		t.Errorf("logged %q", logged)
	}
	for pattern, want := range map[string]string{
		"./nowhere": "hint: packages are named like ./...", "./bare": "there are no benchmarks",
		"-bad": "listing the packages -bad in " + dir,
	} {
		if _, err := b.ListPackages(t.Context(), tc, Listing{Dir: dir, Patterns: []string{pattern}}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nit should say %q", pattern, err, want)
		}
	}
}

func TestBenchmarksOf(t *testing.T) {
	dir := t.TempDir()
	for source, want := range map[string]string{
		"func BenchmarkX(b *testing.B) {": "BenchmarkX", "func Benchmark(b *testing.B) {": "Benchmark",
		"func Benchmark_x(b *testing.B) {": "Benchmark_x",
		"func Benchmarker() {":             "", "// func BenchmarkX(b": "", "func TestBenchmarkX(t": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, "a_test.go"), []byte("package a\n\n"+source), 0o666); err != nil {
			t.Fatal(err)
		}
		if got, err := benchmarksOf(Package{Dir: dir, TestFiles: []string{"a_test.go"}}); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %v, %v", source, got, err)
		}
	}
}
