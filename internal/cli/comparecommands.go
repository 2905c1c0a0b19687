package cli

import (
	"context"
	"errors"
)

func compareCommands(ctx context.Context, a *app, f *compareFlags, args []string, given func(string) bool) error {
	return errors.New("not built yet")
}
