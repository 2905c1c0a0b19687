package source

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// neighbours are the folders outside of a repository that its modules name by relative paths:
// replace directives (=> ../sibling), and the go.work file that they are built with. A
// checkout stands in a folder that repeats its absolute path (base/home/u/project for
// /home/u/project), so that every relative path leads to the place that repeats its own: there
// stands a link to the folder itself.
type neighbours struct {
	base, root string
	seen       map[string]bool
}

// Place returns where a path stands below base.
func Place(base, abs string) string {
	return filepath.Join(base, strings.TrimPrefix(abs, filepath.VolumeName(abs)))
}

// LinkNeighbours links, for the checkout of the repository below base, what its modules name
// outside of it. tracked reports whether git knows a file of the work tree: a go.work that it
// does not know is the same for all commits, and is copied. work is the go.work file that
// counts in the user's folder, "" for none; where it counts is returned, "" for none.
func (r *Repository) LinkNeighbours(base, work string, tracked bool) (string, error) {
	n := &neighbours{base: base, root: r.Root, seen: map[string]bool{}}
	for _, file := range modules(Place(base, r.Root)) {
		original := filepath.Join(r.Root, strings.TrimPrefix(filepath.Dir(file), Place(base, r.Root)))
		if err := n.replaced(file, original); err != nil {
			return "", err
		}
	}
	if work == "" {
		return "", nil
	}
	at := Place(base, work)
	if _, err := os.Stat(at); err != nil && !(tracked && n.inside(work)) {
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			return "", err
		}
		for _, ending := range []string{"", ".sum"} {
			if data, err := os.ReadFile(work + ending); err == nil {
				if err := os.WriteFile(at+ending, data, 0o600); err != nil {
					return "", err
				}
			}
		}
	}
	if _, err := os.Stat(at); err != nil {
		return "", nil // the commit has none
	}
	return at, n.workspace(at, filepath.Dir(work))
}

// modules returns the go.mod and go.work files of a checkout.
func modules(root string) (files []string) {
	filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case d.IsDir() && slices.Contains([]string{"vendor", "testdata", "node_modules"}, d.Name()):
			return fs.SkipDir
		case d.Name() == "go.mod":
			files = append(files, p)
		}
		return nil
	})
	return files
}

// replaced links what the replace directives of a go.mod name, whose folder is dir for the
// user. What cannot be read is for the go command to say.
func (n *neighbours) replaced(file, dir string) error {
	if n.seen[dir] {
		return nil
	}
	n.seen[dir] = true
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	f, err := modfile.Parse(file, data, nil)
	if err != nil {
		return nil
	}
	return n.replacements(f.Replace, dir)
}

func (n *neighbours) replacements(all []*modfile.Replace, dir string) error {
	for _, x := range all {
		if x.New.Version == "" && !filepath.IsAbs(x.New.Path) {
			if err := n.link(filepath.Join(dir, filepath.FromSlash(x.New.Path))); err != nil {
				return err
			}
		}
	}
	return nil
}

// workspace links the modules of a go.work, whose folder is dir for the user. Each of them is
// a main module: its replace directives count, too.
func (n *neighbours) workspace(file, dir string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	f, err := modfile.ParseWork(file, data, nil)
	if err != nil {
		return nil
	}
	for _, use := range f.Use {
		at := filepath.FromSlash(use.Path)
		if !filepath.IsAbs(at) {
			at = filepath.Join(dir, at)
		}
		if err := n.link(at); err != nil {
			return err
		}
		if !n.inside(at) {
			if err := n.replaced(filepath.Join(at, "go.mod"), at); err != nil {
				return err
			}
		}
	}
	return n.replacements(f.Replace, dir)
}

func (n *neighbours) inside(abs string) bool {
	return abs == n.root || strings.HasPrefix(abs, n.root+string(filepath.Separator))
}

// link makes what stands at an absolute path stand at its place below base, too.
func (n *neighbours) link(abs string) error {
	if n.inside(abs) {
		return nil
	}
	if _, err := os.Stat(abs); err != nil {
		return nil // the go command says that it is missing
	}
	above := filepath.Dir(Place(n.base, abs))
	for at := above; len(at) > len(n.base); at = filepath.Dir(at) {
		if info, err := os.Lstat(at); err == nil && info.Mode()&os.ModeSymlink != 0 {
			return nil // a folder above it is linked already
		}
	}
	if err := os.MkdirAll(above, 0o700); err != nil {
		return err
	}
	return n.fill(abs)
}

// fill links a path, or what is in the folder where its place is a folder already: above the
// checkout, or above something else that is linked.
func (n *neighbours) fill(abs string) error {
	to := Place(n.base, abs)
	info, err := os.Lstat(to)
	switch {
	case err != nil:
		return os.Symlink(abs, to)
	case abs == n.root || !info.IsDir():
		return nil
	}
	children, err := os.ReadDir(abs)
	if err != nil {
		return err
	}
	for _, c := range children {
		if err := n.fill(filepath.Join(abs, c.Name())); err != nil {
			return err
		}
	}
	return nil
}
