package count

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memcost/internal/base/hint"
	"memcost/internal/sites"
)

// module writes a module of files, by name.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module m\n\ngo 1.21\n"
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestPackagesWithoutBenchmarks(t *testing.T) {
	b, o := setUp(t)
	o.Dir = module(t, map[string]string{
		"library/l.go":       "package library\n\nfunc New() *int { return new(int) }\n",
		"program/p.go":       "package main\n\nfunc main() { println(make([]int, 1<<20)) }\n",
		"tested/t.go":        "package tested\n\nfunc New() *int { return new(int) }\n",
		"tested/t_test.go":   "package tested\n\nimport \"testing\"\n\nfunc TestNew(t *testing.T) { New() }\n",
		"broken/b.go":        "package broken\n\nfunc New() *int { return 5 }\n",
		"unreadable/u.go":    "package unreadable\n\nfunc {\n",
		"missing/missing.go": "package missing\n\nimport _ \"no.such/module\"\n",
	})
	o.Patterns = []string{"./..."}
	all, err := Count(context.Background(), b, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		warnings := strings.Join(c.Warnings, "\n")
		said := len(c.Diagnostics) > 0
		switch filepath.Base(c.Package.Dir) {
		case "library":
			if c.Binary != "" || !said || !strings.Contains(warnings, "no test files") {
				t.Errorf("library: binary %q, %q, %q", c.Binary, c.Diagnostics, warnings)
			}
		case "program", "tested":
			if c.Binary == "" || !said || warnings == "" {
				t.Errorf("%s: binary %q, %q, %q", c.Package.ImportPath, c.Binary, c.Diagnostics, warnings)
			}
		case "broken":
			if !strings.Contains(warnings, "b.go:3:") || strings.Contains(warnings, "can inline") {
				t.Errorf("broken: %q", warnings)
			}
		default:
			if said || !strings.Contains(warnings, "was left out") {
				t.Errorf("%s: %q", c.Package.ImportPath, warnings)
			}
		}
	}
	if len(all) != 6 {
		t.Errorf("%d packages, not 6", len(all))
	}
	o.Patterns = []string{"./broken"}
	if _, err := Count(context.Background(), b, o); err == nil || !strings.Contains(err.Error(), "b.go:3:") {
		t.Errorf("broken alone: %v", err)
	} else if _, hints := hint.Split(err); len(hints) == 0 {
		t.Errorf("there is no hint: %v", err)
	}
}

func TestTheUsersFlagsCount(t *testing.T) {
	b, o := setUp(t)
	o.Dir = module(t, map[string]string{
		"m.go":      "package m\n\nfunc New() *int { return new(int) }\n",
		"tagged.go": "//go:build special\n\npackage m\n\nfunc Tagged() *int { return new(int) }\n",
		"m_test.go": "package m\n\nimport \"testing\"\n\nvar sink *int\n\n" +
			"func BenchmarkNew(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t\tsink = New()\n\t}\n}\n",
		"instead.txt": "package m\n\nfunc New() *int { return nil }\n",
	})
	overlay := filepath.Join(o.Dir, "overlay.json")
	text := `{"Replace": {"` + filepath.ToSlash(filepath.Join(o.Dir, "m.go")) + `": "` +
		filepath.ToSlash(filepath.Join(o.Dir, "instead.txt")) + `"}}`
	if err := os.WriteFile(overlay, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o.Flags = []string{"-tags=special", "-overlay", overlay}
	c := countOne(t, b, o)
	if !strings.Contains(string(c.Diagnostics), "can inline Tagged") {
		t.Errorf("the tag had no effect:\n%s", c.Diagnostics)
	}
	if m := find(t, c, "New"); m.Err != nil || m.Mallocs > 10 {
		t.Errorf("the overlay had no effect: %d objects of %d operations, %v", m.Mallocs, m.N, m.Err)
	}
}

// Packages of which nothing would run are not built, and what was counted before an interruption is
// kept.
func TestOnlyWhatRunsIsBuilt(t *testing.T) {
	b, o := setUp(t)
	bench := func(name string) string {
		return "package p\n\nimport \"testing\"\n\nvar sink *int\n\nfunc Benchmark" + name +
			"(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t\tsink = new(int)\n\t}\n}\n"
	}
	o.Dir = module(t, map[string]string{"one/p_test.go": bench("One"), "two/p_test.go": bench("Two") +
		"\nfunc BenchmarkTwice(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t\tsink = new(int)\n\t}\n}\n",
		"none/p.go": "package p\n\nfunc New() *int { return 5 }\n"}) // it does not compile
	o.Patterns, o.Bench = []string{"./..."}, "Two|Twice"
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var built, found []string
	o.Progress = func(x sites.Progress) {
		switch {
		case strings.HasPrefix(x.What, "building "):
			built = append(built, x.What)
		case x.Found:
			found = append(found, x.What)
			stop()
		}
	}
	all, err := Count(ctx, b, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(built) != 1 || built[0] != "building m/two" || len(all) != 1 {
		t.Errorf("%q, %d packages", built, len(all))
	}
	if warnings := strings.Join(all[0].Warnings, "\n"); !strings.Contains(warnings, "2 packages were not built") ||
		!strings.Contains(warnings, "interrupted when 1 of 2 had been counted") {
		t.Errorf("%q", warnings)
	}
	if len(all[0].Measured) != 1 || all[0].Measured[0].Memory == nil || len(found) != 1 ||
		found[0] != "Two: 1 allocs/op, 8 B/op" {
		t.Errorf("%+v, %q", all[0].Measured, found)
	}
	built, o.Bench = nil, "Three"
	if _, err := Count(context.Background(), b, o); !hint.IsUsage(err) || len(built) > 0 {
		t.Errorf("no benchmark matches: %v, after %q", err, built)
	}
}
