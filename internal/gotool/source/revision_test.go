package source

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"memcost/internal/base/proc"
)

// repo is a repository for tests. git does not read the settings of whoever runs them.
type repo struct {
	*testing.T
	dir string
}

func newRepo(t *testing.T, dir string) repo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	for name, v := range map[string]string{"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "A",
		"GIT_COMMITTER_EMAIL": "a@example.com", "GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z",
		"GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z"} {
		t.Setenv(name, v)
	}
	r := repo{t, dir}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	r.git("init", "-q", "-b", "main")
	return r
}

func (r repo) git(args ...string) string {
	r.Helper()
	cmd := exec.Command("git", append([]string{"-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = r.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r repo) write(name, text string) {
	r.Helper()
	file := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		r.Fatal(err)
	}
}

func (r repo) commit(message string) string {
	r.Helper()
	r.git("add", "-A")
	r.git("commit", "-qm", message)
	return r.git("rev-parse", "HEAD")
}

func (r repo) open(below string) *Repository {
	r.Helper()
	got, err := Open(context.Background(), &proc.Runner{}, os.Environ(), filepath.Join(r.dir, below))
	if err != nil {
		r.Fatal(err)
	}
	return got
}

func read(t *testing.T, parts ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

// state is all that a checkout must leave as it is.
func (r repo) state() string {
	r.Helper()
	var out strings.Builder
	err := filepath.WalkDir(filepath.Join(r.dir, ".git"), func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(p)
		fmt.Fprintf(&out, "%s %x\n", p, sha256.Sum256(text))
		return err
	})
	if err != nil {
		r.Fatal(err)
	}
	return out.String() + r.git("--no-optional-locks", "status", "--porcelain", "--ignored")
}

func TestResolveAndCheckout(t *testing.T) {
	r := newRepo(t, filepath.Join(t.TempDir(), "a b"))
	r.write("sub/x.go", "package one\n")
	r.write("crlf.txt", "a\nb\n")
	r.write(".gitattributes", "crlf.txt eol=crlf\nleft.txt export-ignore\n")
	r.write("left.txt", "there")
	first := r.commit("The first\n\nmore")
	r.write("sub/x.go", "package two\n")
	r.commit("The second")
	r.write("sub/x.go", "package dirty\n")
	// Hooks and settings that would write into the repository.
	r.git("config", "core.splitIndex", "true")
	r.write(".git/hooks/post-index-change", "#!/bin/sh\ntouch '"+filepath.Join(r.dir, "hooked")+"'\n")
	os.Chmod(filepath.Join(r.dir, ".git/hooks/post-index-change"), 0o777)
	before := r.state()

	got := r.open("sub")
	if got.Prefix != "sub" {
		t.Errorf("prefix %q", got.Prefix)
	}
	c, err := got.Resolve(t.Context(), "HEAD~1")
	if err != nil || c.Hash != first || c.Subject != "The first" || c.Date.Format("2006-01-02") != "2026-01-02" {
		t.Errorf("%+v, %v", c, err)
	}
	to := filepath.Join(t.TempDir(), "to")
	skipped, err := got.Checkout(t.Context(), first, to)
	if err != nil || len(skipped) != 0 {
		t.Fatalf("%q, %v", skipped, err)
	}
	if x := read(t, to, "sub/x.go"); x != "package one\n" {
		t.Errorf("x.go holds %q", x)
	}
	if x := read(t, to, "crlf.txt"); x != "a\r\nb\r\n" {
		t.Errorf("crlf.txt holds %q", x)
	}
	read(t, to, "left.txt")
	if entries, _ := filepath.Glob(filepath.Join(filepath.Dir(to), "*")); len(entries) != 1 {
		t.Errorf("beside the checkout lie %q", entries)
	}
	if after := r.state(); after != before {
		t.Errorf("the repository changed:\n%s\nwas\n%s", after, before)
	}
}

func TestResolveRefuses(t *testing.T) {
	r := newRepo(t, t.TempDir())
	r.write("x", "1")
	r.commit("one")
	r.write("x", "2")
	r.commit("two")
	r.git("tag", "v1.2.0")
	for name, want := range map[string]string{
		"v1.2.1": "did you mean v1.2.0?", "nowhere": "there is no revision", "HEAD~9": "there is no revision",
		"mian~1": "did you mean main?", "--all": "is no revision",
	} {
		if _, err := r.open("").Resolve(t.Context(), name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, which does not say %q", name, err, want)
		}
	}
	shallow := repo{t, filepath.Join(t.TempDir(), "shallow")}
	r.git("clone", "-q", "--depth=1", "file://"+r.dir, shallow.dir)
	if _, err := shallow.open("").Resolve(t.Context(), "HEAD~1"); err == nil ||
		!strings.Contains(err.Error(), "git fetch --unshallow") {
		t.Errorf("of a shallow clone: %v", err)
	}
	if _, err := Open(t.Context(), &proc.Runner{}, append(os.Environ(), "GIT_CEILING_DIRECTORIES=/"),
		t.TempDir()); err == nil || !strings.Contains(err.Error(), "run memcost in a folder of one") {
		t.Errorf("outside of a repository: %v", err)
	}
	if _, err := Open(t.Context(), &proc.Runner{}, []string{"PATH=" + t.TempDir()}, r.dir); err == nil ||
		!strings.Contains(err.Error(), "no git on PATH") {
		t.Errorf("without git: %v", err)
	}
}

// A hook's variables, which name another repository, do not count.
func TestForeignVariables(t *testing.T) {
	r := newRepo(t, t.TempDir())
	r.write("x", "1")
	r.commit("one")
	got, err := Open(t.Context(), &proc.Runner{}, append(os.Environ(), "GIT_DIR=/nowhere", "GIT_INDEX_FILE=/nowhere"),
		r.dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := got.Resolve(t.Context(), "HEAD"); err != nil {
		t.Error(err)
	}
}

func TestModified(t *testing.T) {
	r := newRepo(t, t.TempDir())
	r.write("x.go", "package x\n")
	r.commit("one")
	seen := map[string]string{}
	for _, step := range []struct {
		name, write, text string
		same              string // as that of an earlier step
	}{
		{"clean", "", "", ""},
		{"run folder", "results/1/samples.txt", "x", "clean"},
		{"changed", "x.go", "package y\n", ""},
		{"changed further", "x.go", "package z\n", ""},
		{"new file", "new_test.go", "package z\n", ""},
		{"test data", "testdata/a", "1", ""},
		{"other test data", "testdata/a", "2", ""},
		{"as before", "testdata/a", "1", "test data"},
	} {
		if step.write != "" {
			r.write(step.write, step.text)
		}
		hash, touched, err := r.open("").Modified(t.Context())
		if err != nil || len(touched) > 0 {
			t.Fatalf("%s: %q, %v", step.name, touched, err)
		}
		for other, h := range seen {
			if (h == hash) != (other == step.same) && seen[step.same] != h {
				t.Errorf("%s is like %s: %v", step.name, other, h == hash)
			}
		}
		seen[step.name] = hash
		if (hash == "") != (step.name == "clean" || step.same == "clean") {
			t.Errorf("%s: hash %q", step.name, hash)
		}
	}
}

func TestSubmodules(t *testing.T) {
	lib := newRepo(t, filepath.Join(t.TempDir(), "lib"))
	lib.write("lib.go", "package old\n")
	lib.commit("old")
	r := newRepo(t, filepath.Join(t.TempDir(), "main"))
	r.git("submodule", "--quiet", "add", lib.dir, "deps/lib")
	first := r.commit("with the old one")
	lib.write("lib.go", "package new\n")
	lib.commit("new")
	sub := repo{t, filepath.Join(r.dir, "deps/lib")}
	sub.git("pull", "-q")
	second := r.commit("with the new one")
	sub.write("lib.go", "package dirty\n")

	for commit, want := range map[string]string{first: "package old\n", second: "package new\n"} {
		to := filepath.Join(t.TempDir(), "to")
		if skipped, err := r.open("").Checkout(t.Context(), commit, to); err != nil || len(skipped) > 0 {
			t.Fatalf("%q, %v", skipped, err)
		}
		if got := read(t, to, "deps/lib/lib.go"); got != want {
			t.Errorf("%s holds %q, want %q", commit, got, want)
		}
	}
	if got := read(t, sub.dir, "lib.go"); got != "package dirty\n" {
		t.Errorf("the user's own file is %q now", got)
	}
	if _, touched, err := r.open("").Modified(t.Context()); err != nil || strings.Join(touched, " ") != "deps/lib" {
		t.Errorf("dirty: %q, %v", touched, err)
	}

	// A commit that the submodule does not have.
	r.git("update-index", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",deps/lib")
	r.git("commit", "-qm", "of a commit that nobody has")
	lost := r.git("rev-parse", "HEAD")
	if _, err := r.open("").Checkout(t.Context(), lost, filepath.Join(t.TempDir(), "to")); err == nil ||
		!strings.Contains(err.Error(), "the submodule deps/lib does not have the commit 1111") {
		t.Errorf("of a commit that is not there: %v", err)
	}
	r.git("reset", "-q", "--soft", "HEAD~1")
	r.git("update-index", "--cacheinfo", "160000,"+sub.git("rev-parse", "HEAD")+",deps/lib")

	// Where the work tree does not have it any more, git still keeps it.
	sub.git("checkout", "-q", "lib.go")
	r.git("rm", "-q", "deps/lib")
	r.commit("without")
	to := filepath.Join(t.TempDir(), "to")
	if _, err := r.open("").Checkout(t.Context(), first, to); err != nil {
		t.Fatal(err)
	}
	if got := read(t, to, "deps/lib/lib.go"); got != "package old\n" {
		t.Errorf("of a submodule that was removed: %q", got)
	}

	// A clone that never had it does without.
	clone := repo{t, filepath.Join(t.TempDir(), "clone")}
	r.git("clone", "-q", r.dir, clone.dir)
	skipped, err := clone.open("").Checkout(t.Context(), first, filepath.Join(t.TempDir(), "to"))
	if err != nil || strings.Join(skipped, " ") != "deps/lib" {
		t.Errorf("not initialised: %q, %v", skipped, err)
	}
}

func TestNeighbours(t *testing.T) {
	top := t.TempDir()
	top, err := filepath.EvalSymlinks(top)
	if err != nil {
		t.Fatal(err)
	}
	r := newRepo(t, filepath.Join(top, "group", "project"))
	outside := repo{t, top}
	outside.write("group/sibling/go.mod", "module example.com/sibling\n\nreplace example.com/far => ../../far\n")
	outside.write("far/go.mod", "module example.com/far\n")
	outside.write("far/data/x", "x")
	r.write("go.mod", "module example.com/project\n\nreplace example.com/sibling => ../sibling\n")
	r.write("inner/go.mod", "module example.com/inner\n\nreplace example.com/project => ../\n\n"+
		"replace example.com/data => ../../../far/data\n\nreplace example.com/gone => ../../gone\n")
	commit := r.commit("one")
	got := r.open("")

	base := filepath.Join(t.TempDir(), "base")
	place := func(abs string) string { return Place(base, abs) }
	check := func() {
		t.Helper()
		root := place(got.Root)
		read(t, root, "../sibling/go.mod")
		read(t, root, "../../far/data/x")
		if info, err := os.Lstat(root); err != nil || !info.IsDir() {
			t.Errorf("the checkout itself is %v, %v", info, err)
		}
	}
	if _, err := got.Checkout(t.Context(), commit, place(got.Root)); err != nil {
		t.Fatal(err)
	}
	if work, err := got.LinkNeighbours(base, "", false); err != nil || work != "" {
		t.Fatalf("%q, %v", work, err)
	}
	check()

	// A workspace in the folder above, which names the whole of it, too.
	outside.write("group/go.work", "go 1.21\n\nuse (\n\t.\n\t./project\n\t./sibling\n)\n")
	base = filepath.Join(t.TempDir(), "base")
	if _, err := got.Checkout(t.Context(), commit, place(got.Root)); err != nil {
		t.Fatal(err)
	}
	work, err := got.LinkNeighbours(base, filepath.Join(top, "group", "go.work"), false)
	if err != nil || work != place(filepath.Join(top, "group", "go.work")) {
		t.Fatalf("%q, %v", work, err)
	}
	check()
	read(t, work)
}
