package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/base/units"
	"memcost/internal/fleet"
	"memcost/internal/show/text"

	"github.com/spf13/cobra"
)

// StatusCommand is memcost status.
func StatusCommand(a *App) *cobra.Command {
	var output outputFlags
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
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return hint.Usage("memcost status PLACE", "memcost status takes one place, not %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := statuses(cmd.Context(), args[0], time.Now())
			if err != nil {
				return err
			}
			if output.json {
				return WriteJSON(a.Stdout, all)
			}
			return writeStatuses(a.Stdout, all)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	register(cmd, output.flags().pick("json"))
	return cmd
}

// statuses returns those of all plans of a place, or of the one that is named.
func statuses(ctx context.Context, arg string, now time.Time) ([]*fleet.Status, error) {
	at, plans, err := Plans(ctx, arg)
	if err != nil {
		return nil, err
	}
	defer at.Close()
	var out []*fleet.Status
	for _, hash := range plans {
		s, err := fleet.StatusOf(ctx, at, hash, now)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

func writeStatuses(w io.Writer, all []*fleet.Status) error {
	var err error
	for i, s := range all {
		if i > 0 {
			fmt.Fprintln(w)
		}
		err = errors.Join(err, writeStatus(w, s))
	}
	return err
}

func writeStatus(w io.Writer, s *fleet.Status) error {
	fmt.Fprintf(w, "plan %s: %s; %s in %s\n", s.Plan, strings.Join(s.Studies, ", "),
		units.Plural(s.Cases, "case"), units.Plural(s.Comparisons, "comparison"))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "machine\thost\tdone\trunning\tinterrupted\tlost\tnot begun\tsamples")
	for _, m := range s.Machines {
		fmt.Fprintf(t, "%s\t%s\t%d of %d\t%s\t%s\t%s\t%s\t%d\n", text.Clean(m.ID), text.Clean(m.Host), len(m.Done),
			m.Shards, placeList(m.Running), placeList(m.Interrupted), placeList(m.Lost), placeList(m.NotBegun), m.Samples)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	switch {
	case len(s.Machines) == 0:
		fmt.Fprintln(w, "no machine began a shard yet")
	case s.Left > 0:
		fmt.Fprintf(w, "what runs now ends in %v at most\n", s.Left.Round(time.Second))
	}
	for _, x := range s.Submissions {
		writeSubmission(w, x)
	}
	for _, warning := range s.Warnings {
		fmt.Fprintln(w, "warning:", text.Clean(warning))
	}
	return nil
}

// writeSubmission says how much of what was given to a scheduler has begun.
func writeSubmission(w io.Writer, x fleet.Submission) {
	fmt.Fprintf(w, "submission %d to %s from %s: %d of %s begun\n", x.Number, text.Clean(x.On), text.Clean(x.Host),
		x.Begun, units.Plural(x.Tasks, "task"))
	if x.Begun >= x.Tasks && len(x.Jobs) > 0 {
		return
	}
	fmt.Fprintf(w, "  submitted, not begun since %s: %s\n", ago(x.Since), units.Plural(x.Tasks-x.Begun, "task"))
	var ids []string
	for _, j := range x.Jobs {
		if j.ID != "" {
			ids = append(ids, text.Clean(j.ID))
		}
	}
	switch {
	case len(ids) == 0:
	case x.On == "kubernetes":
		fmt.Fprintf(w, "  why: kubectl describe job %s\n", strings.Join(ids, " "))
	default:
		fmt.Fprintf(w, "  why: squeue --start -j %s\n", strings.Join(ids, ","))
	}
}

// ago writes how long something takes: 45 s, 12 min, 3 h.
func ago(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h", int(d.Hours()))
}

// list writes numbers of shards, with runs of them as 3–7.
func placeList(shards []int) string {
	var out []string
	for i := 0; i < len(shards); {
		j := i
		for j+1 < len(shards) && shards[j+1] == shards[j]+1 {
			j++
		}
		part := strconv.Itoa(shards[i])
		if j > i {
			part += "–" + strconv.Itoa(shards[j])
		}
		out = append(out, part)
		i = j + 1
	}
	if len(out) == 0 {
		return "-"
	}
	return strings.Join(out, ",")
}
