package toolchain

import (
	"fmt"
	"os"
	"slices"
)

// job is one Build under way.
type job struct {
	*session
	spec     Build
	cache    string
	temp     string // in cache, so that a rename is enough
	overlay  string // file for -overlay, or ""
	noSeeds  bool   // the linker does not support -randlayout
	indexKey string // index key of the result; "" for a package that may change
	out      Binaries
}

func (j *job) close() {
	if j.temp != "" {
		os.RemoveAll(j.temp)
	}
	j.session.close()
}

func (j *job) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(j.out.Warnings, text) {
		j.out.Warnings = append(j.out.Warnings, text)
	}
}

// rounded is the consequence of a binary without the changed testing package, for the
// user.
const rounded = "B/op and allocs/op are truncated to whole numbers, and there are no GC figures"
