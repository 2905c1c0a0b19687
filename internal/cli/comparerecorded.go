package cli

import (
	"errors"
)

func compareRecorded(a *app, f *compareFlags, args []string) error {
	return errors.New("not built yet")
}

// allRecorded reports whether all sides are run folders or files of benchmark results.
func allRecorded(args []string) bool { return false }
