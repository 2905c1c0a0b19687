package cli

import (
	"errors"

	"memcost/internal/hint"
)

// showComparison shows what the run of a comparison in a folder says, writes its page, and
// returns what --gate stops for.
func (a *app) showComparison(dir string, f *compareFlags) error {
	return hint.With("", errors.New("not built yet"))
}
