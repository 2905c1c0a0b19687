// Package submitting is the command memcost submit: its flags, what it copies to where jobs run, and
// how it starts them.
package cli

import (
	"context"

	"github.com/spf13/cobra"

	"memcost/internal/base/proc"
	"memcost/internal/fleet"
)

// Command is memcost submit.
func submitCommand(a *App) *cobra.Command {
	var f submitFlags
	cmd := &cobra.Command{
		Use:   "submit [PLAN]",
		Short: "Have a scheduler measure a plan on many machines",
		Long: `Makes jobs of a plan file (memcost plan; default: plan.json), and gives them to a scheduler
that there is: memcost has no queue of its own. What is measured meets in --to PLACE.

  --on slurm            one job array for each of --kinds, which are features of nodes
                        (sbatch --constraint): a task for each shard and replica, alone on
                        its node, begun anew when the node fails
  --on ssh:boards.txt   GNU parallel over ssh: every board of the file, one a line,
                        measures the whole plan, and none does so in place of another
  --on kubernetes       prints the manifest of an Indexed Job for each of --kinds, which
                        are values of the nodes' label memcost/kind
  --on shell            prints one command for each shard

Slurm and ssh are given this memcost, and with --binary those of other architectures. Each
starts only if its SHA-256 is the one that was submitted. Benchmarks are built on the
machine that measures them, which needs the compilers of the plan.

-n prints the files and the commands, and writes and starts nothing. memcost status PLACE
says what runs, and which tasks never began.`,
		Example: `  memcost submit plan.json --on slurm --kinds rpi4,epyc --replicas 3 --to /mnt/shared
  memcost submit --on ssh:boards.txt --shards 4 --to 's3://memcost/p?region=eu-central-1' --binary memcost-linux-arm64
  memcost submit --on kubernetes --image memcost:0.1.0 --to s3://memcost/p >jobs.yaml
  memcost submit --on shell --shards 8 --to /mnt/shared
  memcost submit --on slurm --to /mnt/shared -n`,
		Args: MaxArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.plan = fleet.Name
			if len(args) > 0 {
				f.plan = args[0]
			}
			if err := f.check(Changed(cmd)); err != nil {
				return err
			}
			return submit(cmd.Context(), a, &f)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.on, "on", "", "what starts the jobs: slurm, ssh:FILE, kubernetes or shell")
	fl.StringVar(&f.to, "to", "", "the `PLACE` where shards meet: a folder that all machines see, or "+
		"s3://BUCKET/PREFIX")
	fl.StringSliceVar(&f.kinds, "kinds", nil, "the kinds of nodes that measure the plan (slurm, kubernetes; default: "+
		"any)")
	fl.IntVar(&f.replicas, "replicas", 1, "how many `times` each kind measures the plan (slurm, kubernetes)")
	fl.IntVar(&f.shards, "shards", 1, "the `number` of shards of the plan")
	fl.StringVar(&f.jobs, "jobs", "memcost-jobs", "the `folder` of scripts, programs and logs, which Slurm's nodes "+
		"see, too (slurm, ssh)")
	fl.StringVar(&f.results, "results", "results", "the `folder` of run folders on the machines that measure")
	fl.StringArrayVar(&f.binaries, "binary", nil, "the memcost of another architecture, a `FILE` (slurm, ssh, "+
		"kubernetes)")
	fl.StringVar(&f.image, "image", "", "the `image` of containers, with memcost and the compilers (kubernetes)")
	fl.StringArrayVar(&f.options, "option", nil, "a further `option` of sbatch or parallel, such as --partition=long "+
		"(slurm, ssh)")
	fl.BoolVarP(&f.dryRun, "dry-run", "n", false, "print the files and the commands, and start nothing")
	fl.BoolVar(&f.json, "json", false, "print what was submitted as JSON")
	fl.BoolVarP(&f.verbose, "verbose", "x", false, "print every command to standard error")
	cmd.RegisterFlagCompletionFunc("on", cobra.FixedCompletions([]string{onSlurm, onSSH + ":boards.txt", onKubernetes,
		onShell}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func submit(ctx context.Context, a *App, f *submitFlags) error {
	s := &submission{submitFlags: f, app: a, runner: &proc.Runner{}}
	if f.verbose {
		s.runner.Trace = a.Stderr
	}
	defer func() {
		if s.to != nil {
			s.to.Close()
		}
	}()
	if err := s.prepare(ctx); err != nil {
		return err
	}
	if err := s.make(); err != nil {
		return err
	}
	if !f.dryRun {
		if err := s.start(ctx); err != nil {
			return err
		}
	}
	if f.json {
		return WriteJSON(a.Stdout, &s.out)
	}
	return s.out.show(a.Stdout)
}
