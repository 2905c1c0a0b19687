package toolchain

import (
	"embed"
	"io/fs"
	"path/filepath"
)

//go:embed _floor
var floorFiles embed.FS

// Floor returns what to build for the empty loop with a toolchain: the package is copied
// below dir like a study. The caller adds the flags and settings of the configuration.
func Floor(tc Toolchain, dir string) (Build, error) {
	tree, err := fs.Sub(floorFiles, "_floor")
	if err != nil {
		return Build{}, err
	}
	copied, err := PrepareStudies(tree, filepath.Join(dir, "floor"), tc)
	return Build{Toolchain: tc, Dir: copied, Pkg: "./floor"}, err
}
