package toolchain

import (
	"fmt"
	"os"
	"path/filepath"

	"memcost/internal/base/cache"
	"memcost/internal/base/proc"
)

// Build is one arm's benchmark package to build.
type Build struct {
	Toolchain Toolchain
	Dir       string   // module directory to build in
	Pkg       string   // one package: "./stackheap" or an import path
	Flags     []string // of the go command, one word each: "-gcflags=-N -l", "-tags=x"
	Env       []string // variables to set: GOARCH, CGO_ENABLED …

	// Quiet leaves out the compiler's diagnostics, which take a second compilation, of a
	// package that may change.
	Quiet bool

	// Layouts are seeds for the linker's -randlayout, one binary each; 0 is the
	// default layout, and empty is just that. The linker reads 63 bits of a
	// seed: the highest is dropped.
	Layouts []uint64

	// Fresh is a folder for the binaries (see Builder.Temporary). Links of seeds that no other
	// run has are of no use later, so that none of them is kept in the cache; "" keeps them.
	Fresh string
}

// Binaries holds the result of a build.
type Binaries struct {
	Paths       []string // absolute, parallel to Layouts
	Layouts     []uint64 // as asked, or just 0 where RandLayout is false
	Diagnostics []byte   // the compiler's -m=2 of the package and its tests
	RandLayout  bool     // the linker took a seed (Go 1.23 and newer); false also if none was asked for
	FloatAllocs bool     // allocations are printed as decimals, and the figures of patch with them
	Warnings    []string
	Hash        string // SHA-256 of the first binary, in hex
}

// Temporary makes a folder in the cache for links that one run alone needs. The caller
// removes it; where it was killed before, the next memcost does (see package cache).
func (b *Builder) Temporary() (string, error) {
	cache, err := filepath.Abs(b.CacheDir)
	if err == nil {
		err = os.MkdirAll(cache, 0o777)
	}
	if err != nil {
		return "", fmt.Errorf("making the build cache: %w", err)
	}
	dir, err := os.MkdirTemp(cache, ".new-")
	if err != nil {
		return "", fmt.Errorf("making a folder in the build cache: %w", err)
	}
	return dir, nil
}

// Builder builds benchmark binaries. Several may share a CacheDir, also in different
// processes. A file in it is never changed once written: a binary is stored under its
// own SHA-256.
type Builder struct {
	Runner   *proc.Runner
	CacheDir string
	Env      []string     // environment of the user; nil is memcost's own
	Log      func(string) // called with what is being built; may be nil

	use *cache.Use // see Trim
}
