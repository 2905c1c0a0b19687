package cli

import (
	"github.com/spf13/cobra"

	"memcost/internal/commands"
)

// resumeComparison goes on with the comparison in a folder, whatever its sides are.
func resumeComparison(cmd *cobra.Command, a *app, f *compareFlags, args []string) error {
	q, err := resumed(cmd, f.resume, args)
	if err != nil || !commands.Is(q) {
		return resumeSides(cmd, a, f, args)
	}
	if err := mayChange(cmd, "budget", "rounds", "timeout", "format", "output"); err != nil {
		return err
	}
	if _, err := f.options(changed(cmd)); err != nil {
		return err
	}
	if err := f.checkShow(); err != nil {
		return err
	}
	return a.resumeReady(cmd.Context(), f, q, changed(cmd))
}
