package explain

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"memcost/internal/sites/count"
)

// rootOf returns the folder of the module of the first package, or one around it in which the
// others lie, too.
func rootOf(counted []count.Counted) string {
	root := moduleOf(counted[0].Package.Dir)
	for _, c := range counted {
		for {
			rel, err := filepath.Rel(root, c.Package.Dir)
			if err != nil || filepath.Dir(root) == root || rel != ".." &&
				!strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
				break
			}
			root = filepath.Dir(root)
		}
	}
	return root
}

// moduleOf returns the folder with the go.mod of a package's folder, that itself without one.
func moduleOf(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); !errors.Is(err, fs.ErrNotExist) {
			return at
		}
		if filepath.Dir(at) == at {
			return dir
		}
	}
}

// inRepository returns the path of a folder from the root of the repository around it, with
// slashes: "" for the root itself, and where there is no repository.
func inRepository(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, ".git")); err == nil { // a file in a further work tree
			if rel, err := filepath.Rel(at, dir); err == nil && rel != "." {
				return filepath.ToSlash(rel)
			}
			return ""
		}
		if filepath.Dir(at) == at {
			return ""
		}
	}
}
