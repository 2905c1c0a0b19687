package cli

import (
	"time"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
	"memcost/internal/measure/session"
)

// A Resumption is how memcost run --resume goes on with a comparison.
type compareResumption struct {
	Dir, Gate                 string
	Budget, Timeout           time.Duration // 0: as it began
	Rounds                    int           // 0: as it began
	Alpha                     float64
	JSON, Long, Open, Verbose bool
}

// Resume goes on with the comparison in a folder.
func resumeCompare(cmd *cobra.Command, a *App, r compareResumption, args []string) error {
	return resumeComparison(cmd, a, &compareFlags{resume: r.Dir, budget: r.Budget, rounds: r.Rounds,
		timeout: r.Timeout, alpha: r.Alpha, margin: "1%", verbose: r.Verbose, json: r.JSON, long: r.Long,
		open: r.Open, gate: r.Gate}, args)
}

// resumeComparison goes on with the comparison in a folder, whatever its sides are.
func resumeComparison(cmd *cobra.Command, a *App, f *compareFlags, args []string) error {
	q, err := Resumed(cmd, f.resume, args)
	if err != nil || !session.Is(q) {
		return resumeSides(cmd, a, f, args)
	}
	if q.Comparison.Alloc != nil {
		return hint.Usage("go on with: memcost alloc --resume "+f.resume, "run folder %s is one of memcost alloc",
			f.resume)
	}
	if err := f.mayResume(cmd); err != nil {
		return err
	}
	return resumeReady(cmd.Context(), a, f, q, Changed(cmd))
}
