package cli

import (
	"context"
	"errors"

	"memcost/internal/bisect"
	"memcost/internal/store"
)

// isHistory reports whether a folder is that of a search through history.
func isHistory(dir string) bool { return dir != "" && store.HoldsRecord(dir, bisect.File) }

func compareHistory(ctx context.Context, a *app, f *compareFlags, args []string, given func(string) bool) error {
	return errors.New("not built yet")
}
