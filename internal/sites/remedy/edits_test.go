package remedy

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"memcost/internal/sites"
	"memcost/internal/testkit"
)

// A planted case is a source with one site, and the diff that is expected of it.
type planted struct {
	name, path string
	archive    *txtar.Archive
	source     []byte
	want       string
	site       sites.Site
	after      []byte
}

func plantedCases(t *testing.T) []*planted {
	t.Helper()
	files, err := filepath.Glob("testdata/edits/*.txtar")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	var all []*planted
	for _, path := range files {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		c := &planted{name: strings.TrimSuffix(filepath.Base(path), ".txtar"), path: path, archive: a,
			source: a.Files[0].Data}
		if len(a.Files) > 1 {
			c.want = string(a.Files[1].Data)
		}
		for i, line := range strings.Split(string(c.source), "\n") {
			if strings.HasSuffix(line, "// site") {
				c.site = sites.Site{Path: path, File: c.name + "/x.go", Line: i + 1, Class: sites.CertainHeap,
					Costs: []sites.Cost{{}}}
			}
		}
		for line := range strings.Lines(string(a.Comment)) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			switch key {
			case "cause":
				c.site.Cause.Key = value
			case "sizes":
				for f := range strings.FieldsSeq(value) {
					var s sites.SizeClass
					if _, err := fmt.Sscanf(f, "%d:%g", &s.Bytes, &s.Objects); err != nil {
						t.Fatal(err)
					}
					c.site.Sizes = append(c.site.Sizes, s)
				}
			}
		}
		all = append(all, c)
	}
	return all
}

func TestEdits(t *testing.T) {
	for _, c := range plantedCases(t) {
		t.Run(c.name, func(t *testing.T) {
			r := &sites.Report{Sites: []sites.Site{c.site}}
			Edits(r, func(string) ([]byte, error) { return c.source, nil })
			e := r.Sites[0].Edit
			if e == nil {
				t.Fatal("no edit")
			}
			if got := "title: " + e.Title + "\ncheck: " + e.Check + "\n" + e.Diff; got != c.want {
				if !*testkit.Update {
					t.Fatalf("got\n%s\nwant\n%s", got, c.want)
				}
				c.archive.Files = append(c.archive.Files[:1], txtar.File{Name: "want", Data: []byte(got)})
				if err := os.WriteFile(c.path, txtar.Format(c.archive), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// Each diff is applied by git to the real files. The program then compiles, its result is the
// same, and it makes fewer objects.
func TestEditsSaveAllocations(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	cases := plantedCases(t)
	dir := t.TempDir()
	write := func(name string, text []byte) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", []byte("module planted\n\ngo 1.20\n"))
	var patch bytes.Buffer
	for _, c := range cases {
		write(c.name+"/x.go", c.source)
		write(c.name+"/x_test.go", []byte(counting))
		r := &sites.Report{Sites: []sites.Site{c.site}}
		Edits(r, func(string) ([]byte, error) { return c.source, nil })
		patch.WriteString(r.Sites[0].Edit.Diff)
	}
	before := counted(t, dir)
	write("all.diff", patch.Bytes())
	command(t, dir, "git", "apply", "--unsafe-paths", "all.diff")
	after := counted(t, dir)
	for _, c := range cases {
		b, a := before[c.name], after[c.name]
		if b.result == "" || b.result != a.result || !(a.objects < b.objects) {
			t.Errorf("%s: before %+v, after %+v", c.name, b, a)
		}
		t.Logf("%s: %g objects, %g with the edit", c.name, b.objects, a.objects)
	}
}

const counting = `package x

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

var kept = Op()

func TestOp(t *testing.T) {
	dir, _ := os.Getwd()
	n := testing.AllocsPerRun(100, func() { kept = Op() })
	fmt.Printf("counted %s %v %q\n", filepath.Base(dir), n, fmt.Sprint(kept))
}
`

type operation struct {
	objects float64
	result  string
}

func counted(t *testing.T, dir string) map[string]operation {
	t.Helper()
	out := map[string]operation{}
	for line := range strings.Lines(command(t, dir, "go", "test", "-count=1", "-v", "./...")) {
		var name string
		var op operation
		if n, _ := fmt.Sscanf(line, "counted %s %g %q", &name, &op.objects, &op.result); n == 3 {
			out[name] = op
		}
	}
	return out
}

func command(t *testing.T, dir string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// What cannot be shown to be safe has no edit.
func TestEditsAreRefused(t *testing.T) {
	text, err := os.ReadFile("testdata/refused.go")
	if err != nil {
		t.Fatal(err)
	}
	r := &sites.Report{}
	for i, line := range strings.Split(string(text), "\n") {
		if _, note, ok := strings.Cut(line, " // "); ok {
			key, _, _ := strings.Cut(note, ":")
			r.Sites = append(r.Sites, sites.Site{Path: "refused.go", File: "refused.go", Line: i + 1, Text: line,
				Class: sites.CertainHeap, Cause: sites.Cause{Key: key}})
		}
	}
	if len(r.Sites) < 20 {
		t.Fatalf("%d sites", len(r.Sites))
	}
	Edits(r, func(string) ([]byte, error) { return text, nil })
	for _, s := range r.Sites {
		if s.Edit != nil {
			t.Errorf("%s\n%s", s.Text, s.Edit.Diff)
		}
	}
}

// A site that did not allocate, a generated file and one that cannot be read have no edits.
func TestNothingToEdit(t *testing.T) {
	source := []byte("package x\n\nimport \"fmt\"\n\nfunc f(n int) string { return fmt.Sprint(n) }\n")
	good := sites.Site{Path: "x.go", File: "x.go", Line: 5, Class: sites.CertainHeap, Cause: sites.Cause{Key: "fmt"}}
	never, generated, missing, broken := good, good, good, good
	never.Class, generated.Generated, missing.Path, broken.Path = sites.NeverExecuted, true, "missing.go", "broken.go"
	r := &sites.Report{Sites: []sites.Site{good, never, generated, missing, broken}}
	Edits(r, func(path string) ([]byte, error) {
		switch path {
		case "missing.go":
			return nil, os.ErrNotExist
		case "broken.go":
			return []byte("package"), nil
		}
		return source, nil
	})
	for i, s := range r.Sites {
		if (s.Edit != nil) != (i == 0) {
			t.Errorf("site %d: %+v", i, s.Edit)
		}
	}
}
