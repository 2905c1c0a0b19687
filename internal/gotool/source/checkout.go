package source

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"memcost/internal/base/hint"
)

// Checkout writes the files of a commit, and of its submodules, into a new folder. The folder
// is no work tree that the repository knows of, and has no .git. skipped are submodules that
// the user's own work tree does not have either: their folders are empty.
func (r *Repository) Checkout(ctx context.Context, commit, dir string) (skipped []string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making a folder for the files of %s: %w", commit, err)
	}
	index := dir + ".index"
	defer os.Remove(index)
	// The user's own settings of the repository count: line ends, filters, large files.
	env := []string{"GIT_DIR=" + r.dir, "GIT_WORK_TREE=" + dir, "GIT_INDEX_FILE=" + index}
	_, err = r.run(ctx, call{dir: dir, env: env, what: "checking out the commit " + commit,
		args: []string{"read-tree", "--no-sparse-checkout", "--reset", "-u", commit}})
	if err != nil {
		return nil, hint.With(adviceOn(err), err)
	}
	out, err := r.run(ctx, call{dir: dir, env: env, what: "listing the files of " + commit,
		args: []string{"ls-files", "-s", "-z"}})
	if err != nil {
		return nil, err
	}
	for _, line := range strings.Split(out, "\x00") {
		// 160000 is the mode of a submodule: "160000 HASH 0\tPATH".
		about, name, _ := strings.Cut(line, "\t")
		words := strings.Fields(about)
		if len(words) < 2 || words[0] != "160000" {
			continue
		}
		more, err := r.submodule(ctx, name, words[1], dir)
		if err != nil {
			return nil, err
		}
		skipped = append(skipped, more...)
	}
	return skipped, nil
}

func adviceOn(err error) string {
	text := strings.ToLower(err.Error())
	switch {
	case strings.Contains(text, "no space left") || strings.Contains(text, "unable to write file"):
		return "the files of revisions lie in memcost's cache: make room, or name another place with MEMCOST_CACHE"
	case strings.Contains(text, "filter") || strings.Contains(text, "lfs"):
		return "a filter of the repository failed (large files are got by: git lfs fetch --all)"
	}
	return ""
}

// errAbsent says that the user's work tree does not have a submodule.
var errAbsent = errors.New("it is not here")

// submodule writes the files of a submodule below the folder of the checkout.
func (r *Repository) submodule(ctx context.Context, name, commit, dir string) (skipped []string, err error) {
	sub, err := r.openSubmodule(ctx, name, dir)
	if errors.Is(err, errAbsent) {
		return []string{name}, nil
	}
	if err != nil {
		return nil, err
	}
	if _, err := sub.run(ctx, call{dir: dir, what: "looking for a commit",
		env:  []string{"GIT_DIR=" + sub.dir, "GIT_WORK_TREE=" + dir}, // it has one of its own in its settings
		args: []string{"cat-file", "-e", commit + "^{commit}"}}); err != nil {
		return nil, hint.New("get it: git -C "+name+" fetch", "the submodule %s does not have the commit %s, which "+
			"the revision needs: %w", name, commit, err)
	}
	return sub.Checkout(ctx, commit, filepath.Join(dir, filepath.FromSlash(name)))
}

// openSubmodule finds the repository of a submodule: where the user's work tree has it, or
// where git keeps it while another commit is checked out.
func (r *Repository) openSubmodule(ctx context.Context, name, dir string) (*Repository, error) {
	sub := &Repository{runner: r.runner, git: r.git, env: r.env}
	at := filepath.Join(r.Root, filepath.FromSlash(name))
	if _, err := os.Stat(filepath.Join(at, ".git")); err == nil {
		out, err := r.run(ctx, call{dir: at, what: "looking for the repository of the submodule " + name,
			args: []string{"rev-parse", "--show-toplevel", "--absolute-git-dir"}})
		if err != nil {
			return nil, err
		}
		root, gitDir, _ := strings.Cut(strings.TrimSpace(out), "\n")
		sub.Root, sub.dir = filepath.FromSlash(root), filepath.FromSlash(gitDir)
		return sub, nil
	}
	out, err := r.run(ctx, call{dir: dir, what: "reading .gitmodules",
		args: []string{"config", "-f", filepath.Join(dir, ".gitmodules"), "-z", "--get-regexp",
			`^submodule\..*\.path$`}})
	if err != nil {
		return nil, errAbsent
	}
	for _, entry := range strings.Split(out, "\x00") {
		key, path, _ := strings.Cut(entry, "\n")
		if path != name {
			continue
		}
		id := strings.TrimSuffix(strings.TrimPrefix(key, "submodule."), ".path")
		common, err := r.run(ctx, call{dir: dir, env: []string{"GIT_DIR=" + r.dir}, what: "asking git for its folder",
			args: []string{"rev-parse", "--git-common-dir"}})
		if err != nil {
			return nil, err
		}
		gitDir := filepath.FromSlash(strings.TrimSpace(common))
		if !filepath.IsAbs(gitDir) {
			gitDir = filepath.Join(dir, gitDir)
		}
		sub.Root, sub.dir = at, filepath.Join(gitDir, "modules", filepath.FromSlash(id))
		if _, err := os.Stat(sub.dir); err == nil {
			return sub, nil
		}
	}
	return nil, errAbsent
}
