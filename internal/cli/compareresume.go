package cli

import (
	"github.com/spf13/cobra"

	"memcost/internal/commands"
	"memcost/internal/front"
)

// resumeComparison goes on with the comparison in a folder, whatever its sides are.
func resumeComparison(cmd *cobra.Command, a *app, f *compareFlags, args []string) error {
	q, err := resumed(cmd, f.resume, args)
	if err != nil || !commands.Is(q) {
		return resumeSides(cmd, a, f, args)
	}
	if err := f.mayResume(cmd); err != nil {
		return err
	}
	return a.resumeReady(cmd.Context(), f, q, front.Changed(cmd))
}
