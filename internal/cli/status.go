package cli

import (
	"slices"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/document"
	"memcost/internal/fleet"

	"github.com/spf13/cobra"
)

// errIncomplete ends --complete where shards are missing; which was said.
var errIncomplete = hint.New("memcost status PLACE says which are missing", "shards of the plan are missing (--complete)")

// statusCommand is memcost status.
func statusCommand(a *App) *cobra.Command {
	var f commonFlags
	cmd := &cobra.Command{
		Use:   "status PLACE",
		Short: "How far are the shards of a plan, on which machines",
		Long: `Reads the place where the shards of a plan meet (memcost run --plan --to PLACE), and says
which are done, running, interrupted or lost, by machine, and how long those that run take
at most.

A PLACE is a folder, or s3://BUCKET/PREFIX; with several plans in it all are shown, and
PLACE/PLAN names one. A shard is done when an attempt at it is whole in the place,
interrupted when an attempt ended early and what it measured is there, running from its
beginning to twice the time that it takes at most, and lost after that. Times are by the
clock of the place.`,
		Example: `  memcost status /mnt/shared
  memcost status 's3://memcost/stackheap?region=eu-central-1' --json`,
		Args: needs(true, "place", "memcost status PLACE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := fleet.Statuses(cmd.Context(), args[0], time.Now())
			if err != nil {
				return err
			}
			err = f.show(a, said{json: all, document: func() *document.Document {
				d := &document.Document{}
				for _, s := range all {
					d.Add(s.Block())
				}
				return d
			}})
			if err == nil && f.complete && slices.ContainsFunc(all, func(s *fleet.Status) bool { return s.Incomplete != "" }) {
				err = errIncomplete
			}
			return err
		},
		ValidArgsFunction: folders,
	}
	register(cmd, f.output().pick("json"), f.completeness())
	return cmd
}
