package toolchain

import (
	"errors"
	"fmt"
	"go/version"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"memcost/internal/base/hint"
)

// sealName is the file that marks a folder as a complete study copy, which never
// changes: binaries built from it need not be rebuilt.
const sealName = ".memcost-study"

// PrepareStudies copies the tree of studies for a toolchain to dest/<content
// hash>/<version> and returns that folder. Its go.mod has the module memcost/study and
// the toolchain's own language version, so that a benchmark gets the language and the
// runtime defaults of the Go that it is measured with. An existing copy is used
// unchanged.
func PrepareStudies(fsys fs.FS, dest string, tc Toolchain) (moduleDir string, err error) {
	sum, err := HashDir(fsys)
	if err != nil {
		return "", fmt.Errorf("copying the studies for %s: %w", tc.Version, err)
	}
	language := version.Lang(tc.Version)
	if language == "" {
		return "", fmt.Errorf("copying the studies for %s: no language version is known for it", tc.Version)
	}
	dest, err = filepath.Abs(filepath.Join(dest, sum[:16]))
	if err != nil {
		return "", fmt.Errorf("copying the studies for %s: %w", tc.Version, err)
	}
	moduleDir = filepath.Join(dest, tc.Version)
	if isSealed(moduleDir) {
		return moduleDir, nil
	}
	goMod := "module memcost/study\n\ngo " + strings.TrimPrefix(language, "go") + "\n"
	if err := copyStudies(fsys, moduleDir, goMod, sum); err != nil {
		return "", fmt.Errorf("copying the studies for %s to %s: %w", tc.Version, moduleDir, err)
	}
	return moduleDir, nil
}

// copyStudies makes the copy in a temporary folder and renames it, so that no other
// process finds an incomplete one.
func copyStudies(fsys fs.FS, moduleDir, goMod, sum string) error {
	if err := os.MkdirAll(filepath.Dir(moduleDir), 0o777); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(filepath.Dir(moduleDir), ".new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	err = os.CopyFS(temp, fsys)
	for name, content := range map[string]string{"go.mod": goMod, sealName: sum + "\n"} {
		if err == nil {
			err = os.WriteFile(filepath.Join(temp, name), []byte(content), 0o666)
		}
	}
	if err == nil {
		err = os.Chmod(temp, 0o777&^0o022) // MkdirTemp's is for the owner alone
	}
	if err != nil {
		return err
	}
	if err = os.Rename(temp, moduleDir); err == nil || isSealed(moduleDir) { // another memcost was faster
		return nil
	}
	if errors.Is(err, fs.ErrExist) {
		return hint.With("a folder that is no complete copy is in the way; remove it", err)
	}
	return err
}

func isSealed(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, sealName))
	return err == nil
}
