package explain

import (
	"os"
	"path/filepath"
	"testing"
)

// The folder of a module is counted from the repository around it: one with a folder .git, or a
// further work tree, where .git is a file.
func TestInRepository(t *testing.T) {
	top := t.TempDir()
	module := filepath.Join(top, "repository", "services", "codec")
	tree := filepath.Join(top, "tree", "codec")
	for _, dir := range []string{module, tree, filepath.Join(top, "repository", ".git")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(top, "tree", ".git"), []byte("gitdir: elsewhere\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{module: "services/codec", tree: "codec",
		filepath.Join(top, "repository"): ""} {
		if got := inRepository(dir); got != want {
			t.Errorf("%s is %q in its repository, want %q", dir, got, want)
		}
	}
}
