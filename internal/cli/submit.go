package cli

import (
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/fleet"
	"memcost/internal/show/terminal"
)

// Command is memcost submit.
func submitCommand(a *App) *cobra.Command {
	f := submitFlags{}
	f.Replicas, f.Shards, f.Jobs = 1, 1, "memcost-jobs"
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
		Args: maxArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.File = fleet.Name
			if len(args) > 0 {
				f.File = args[0]
			}
			if err := f.complete(cmd); err != nil {
				return err
			}
			f.Says, f.Runner, f.DryRun, f.Results = a.Stderr, &proc.Runner{}, f.common.DryRun, f.common.Results
			if f.common.verbose {
				f.Runner.Trace = a.Stderr
			}
			x, err := f.Submit(cmd.Context())
			if err != nil {
				return err
			}
			return f.common.show(a, said{json: x, text: func(w io.Writer, _ terminal.Style) error { return x.Show(w) }})
		},
	}
	f.register(cmd)
	return cmd
}

// submitFlags are those of memcost submit.
type submitFlags struct {
	fleet.Submitter
	common commonFlags
}

func (f *submitFlags) register(cmd *cobra.Command) {
	register(cmd, f.common.output().pick("json"),
		f.common.folder().pick("results = the `folder` of run folders on the machines that measure", "dry-run = print the files and the commands, and start nothing", "verbose"),
		flags{
			{name: "on", takes: take(&f.On, "string", f.readOn), eg: "slurm, --on ssh:boards.txt, --on kubernetes or --on shell",
				offers: offer("slurm", "ssh:boards.txt", "kubernetes", "shell"),
				help:   "what starts the jobs: slurm, ssh:FILE, kubernetes or shell"},
			{name: "to", takes: word(&f.To), eg: "/mnt/shared, or --to s3://BUCKET/PREFIX", help: "the `PLACE` where shards " +
				"meet: a folder that all machines see, or s3://BUCKET/PREFIX"},
			{name: "kinds", takes: commaList(&f.Kinds, "kind"), of: onSlurm | onKubernetes, eg: "rpi4,epyc",
				help: "the kinds of nodes that measure the plan", more: "default: any"},
			{name: "replicas", takes: between(&f.Replicas, 1, unlimited), of: onSlurm | onKubernetes,
				help: "how many `times` each kind measures the plan"},
			{name: "shards", takes: between(&f.Shards, 1, unlimited), eg: "8", help: "the `number` of shards of the plan"},
			{name: "jobs", takes: word(&f.Jobs), of: onSlurm | onSSH, offers: folders,
				help: "the `folder` of scripts, programs and logs, which Slurm's nodes see, too"},
			{name: "binary", takes: words(&f.Binaries, nil), of: onSlurm | onSSH | onKubernetes,
				help: "the memcost of another architecture, a `FILE`"},
			{name: "image", takes: word(&f.Image), of: onKubernetes,
				help: "the `image` of containers, with memcost and the compilers"},
			{name: "option", takes: words(&f.Options, nil), of: onSlurm | onSSH,
				help: "a further `option` of sbatch or parallel, such as --partition=long"},
		})
}

// What --on takes; ssh has the file of boards after a colon.
var schedulers = map[string]subject{"slurm": onSlurm, "ssh": onSSH, "kubernetes": onKubernetes, "shell": onShell}

// readOn reads what --on takes.
func (f *submitFlags) readOn(on string) (string, error) {
	name, file, colon := strings.Cut(on, ":")
	switch is := schedulers[name]; {
	case is == 0:
		return "", hint.New(hint.Meant(name, slices.Collect(maps.Keys(schedulers)),
			"--on slurm, --on ssh:boards.txt, --on kubernetes or --on shell"), "memcost knows no such scheduler")
	case is == onSSH && file == "":
		return "", hint.New("--on ssh:boards.txt, a file with one board a line", "which boards?")
	case is != onSSH && colon:
		return "", hint.New("--on "+name, "only ssh has a file")
	}
	f.Boards = file
	return name, nil
}

// complete refuses a submission that lacks something.
func (f *submitFlags) complete(cmd *cobra.Command) error {
	switch {
	case f.On == "":
		return hint.Usage("--on slurm, --on ssh:boards.txt, --on kubernetes or --on shell",
			"memcost submit needs to know what starts the jobs")
	case f.To == "":
		return hint.Usage("--to /mnt/shared, or --to s3://BUCKET/PREFIX",
			"memcost submit needs the place where the shards meet")
	}
	return fits(cmd, schedulers[f.On])
}
