package source

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memcost/internal/base/proc"
	"memcost/internal/measure/plan"
)

// module makes a repository of one commit, and returns where it is.
func module(t *testing.T) (dir string, git func(args ...string)) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	for name, v := range map[string]string{"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "A",
		"GIT_COMMITTER_EMAIL": "a@example.com"} {
		t.Setenv(name, v)
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(top, "project")
	git = func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	write(t, dir, "go.mod", "module example.com/m\n")
	write(t, dir, "sub/x.go", "package x\n")
	git("init", "-q", "-b", "main")
	git("add", "-A")
	git("commit", "-qm", "one")
	return dir, git
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func place(t *testing.T, cache string, env ...string) SidePlace {
	return SidePlace{Runner: &proc.Runner{}, Env: append(os.Environ(), env...), Cache: cache,
		Note: func(s string) { t.Log(s) }, Step: func(string) {}}
}

func TestSet(t *testing.T) {
	dir, _ := module(t)
	cache := t.TempDir()
	s := New(place(t, cache), filepath.Join(dir, "sub"))
	here := s.WorkTree(t.Context())
	if here.Dir != filepath.Join(dir, "sub") || here.Source == nil || here.Source.Modified ||
		here.Source.Subject != "one" {
		t.Errorf("the work tree: %+v, %+v", here, here.Source)
	}
	f, err := s.Revision(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(f.Dir, "x.go")); err != nil || !strings.HasPrefix(f.Dir, cache) {
		t.Errorf("the checkout is %s: %v", f.Dir, err)
	}
	for pattern, want := range map[string]string{"./...": "./...", "example.com/m": "example.com/m",
		dir + "/sub": f.Dir, dir: filepath.Dir(f.Dir), dir + "ly": dir + "ly"} {
		if got := f.Pattern(pattern); got != want {
			t.Errorf("the pattern %s is %s, want %s", pattern, got, want)
		}
	}
	same, err := s.Revision(t.Context(), "HEAD")
	if err != nil || same.Dir != f.Dir || same.Source.Revision != "HEAD" {
		t.Errorf("the same commit: %+v, %v", same, err)
	}

	// Another memcost has a folder of its own meanwhile; afterwards the path is the same.
	other := New(place(t, cache), dir)
	g, err := other.Revision(t.Context(), "main")
	if err != nil || strings.HasPrefix(f.Dir, g.Dir) {
		t.Errorf("beside %s: %s, %v", f.Dir, g.Dir, err)
	}
	for _, x := range []*Set{s, other} {
		if err := x.Close(false); err != nil {
			t.Error(err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(cache, ".*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	again := New(place(t, cache), filepath.Join(dir, "sub"))
	defer again.Close(false)
	folders, err := again.Again(t.Context(), []plan.Side{{Source: f.Source}, {Source: here.Source}, {}})
	if err != nil || folders[0].Dir != f.Dir || folders[1].Dir != here.Dir || folders[2].Dir != here.Dir {
		t.Errorf("again: %+v, %v; it was %s", folders, err, f.Dir)
	}
	write(t, dir, "sub/x.go", "package y\n")
	changed := New(place(t, cache), dir)
	defer changed.Close(false)
	if _, err := changed.Again(t.Context(), []plan.Side{{Name: "work tree", Source: here.Source}}); err == nil ||
		!strings.Contains(err.Error(), "the side work tree: the files of the work tree have changed") {
		t.Errorf("changed files: %v", err)
	}
}

func TestWorkspaceOfTheEnvironment(t *testing.T) {
	dir, _ := module(t)
	work := filepath.Join(filepath.Dir(dir), "elsewhere", "go.work")
	write(t, filepath.Dir(work), "go.work", "go 1.21\n\nuse ../project\n")
	s := New(place(t, t.TempDir(), "GOWORK="+work), dir)
	defer s.Close(false)
	f, err := s.Revision(t.Context(), "main")
	if err != nil || len(f.Env) != 1 {
		t.Fatalf("%+v, %v", f, err)
	}
	at := strings.TrimPrefix(f.Env[0], "GOWORK=")
	if text, err := os.ReadFile(at); err != nil || !strings.Contains(string(text), "use ../project") {
		t.Errorf("%s: %q, %v", at, text, err)
	}
	if got := filepath.Join(filepath.Dir(at), "../project"); got != f.Dir {
		t.Errorf("it uses %s, and the checkout is %s", got, f.Dir)
	}
}

func TestNoRepository(t *testing.T) {
	t.Setenv("GIT_CEILING_DIRECTORIES", "/")
	dir := t.TempDir()
	if got := Here(t.Context(), place(t, dir), dir); got != nil {
		t.Errorf("the source of no repository is %+v", got)
	}
	if got := Here(t.Context(), SidePlace{Runner: &proc.Runner{}, Env: []string{"PATH=" + dir}}, dir); got != nil {
		t.Errorf("without git it is %+v", got)
	}
	s := New(place(t, dir), dir)
	if f := s.WorkTree(t.Context()); f.Dir != dir || f.Source != nil {
		t.Errorf("the folder is %+v", f)
	}
	if _, err := s.Revision(t.Context(), "HEAD"); err == nil || !strings.Contains(err.Error(), "so it is a revision") {
		t.Errorf("a revision: %v", err)
	}
}

func TestListFlags(t *testing.T) {
	got := ListFlags([]string{"-gcflags=-l", "-tags=a,b", "--mod=vendor", "-pgo=off"})
	if !slices.Equal(got, []string{"-tags=a,b", "--mod=vendor"}) {
		t.Errorf("%q", got)
	}
}
