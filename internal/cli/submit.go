package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/base/units"
	"memcost/internal/fleet"
	"memcost/internal/fleet/jobs"
	"memcost/internal/fleet/place"
	"memcost/internal/measure/session"
	"memcost/internal/show/terminal"
)

// Command is memcost submit.
func submitCommand(a *App) *cobra.Command {
	f := submitFlags{replicas: 1, shards: 1, jobs: "memcost-jobs"}
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
			if err := f.complete(cmd); err != nil {
				return err
			}
			return submit(cmd.Context(), a, &f)
		},
	}
	f.register(cmd)
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
	if !f.DryRun {
		if err := s.start(ctx); err != nil {
			return err
		}
	}
	return f.show(a, said{json: &s.out, text: func(w io.Writer, _ terminal.Style) error { return s.out.show(w) }})
}

// submitFlags are those of memcost submit.
type submitFlags struct {
	commonFlags
	plan     string // file
	on, to   string
	kinds    []string
	replicas int
	shards   int
	jobs     string // folder
	image    string
	binaries []string
	options  []string
}

func (f *submitFlags) register(cmd *cobra.Command) {
	register(cmd, f.output().pick("json"),
		f.folder().pick("results = the `folder` of run folders on the machines that measure", "dry-run = print the files and the commands, and start nothing", "verbose"),
		flags{
			{name: "on", takes: checked(&f.on, f.checkOn), eg: "slurm, --on ssh:boards.txt, --on kubernetes or --on shell",
				offers: offer("slurm", "ssh:boards.txt", "kubernetes", "shell"),
				help:   "what starts the jobs: slurm, ssh:FILE, kubernetes or shell"},
			{name: "to", takes: word(&f.to), eg: "/mnt/shared, or --to s3://BUCKET/PREFIX", help: "the `PLACE` where shards " +
				"meet: a folder that all machines see, or s3://BUCKET/PREFIX"},
			{name: "kinds", takes: commaList(&f.kinds, "kind"), of: onSlurm | onKubernetes, eg: "rpi4,epyc",
				help: "the kinds of nodes that measure the plan", more: "default: any"},
			{name: "replicas", takes: between(&f.replicas, 1, unlimited), of: onSlurm | onKubernetes,
				help: "how many `times` each kind measures the plan"},
			{name: "shards", takes: between(&f.shards, 1, unlimited), eg: "8", help: "the `number` of shards of the plan"},
			{name: "jobs", takes: word(&f.jobs), of: onSlurm | onSSH, offers: folders,
				help: "the `folder` of scripts, programs and logs, which Slurm's nodes see, too"},
			{name: "binary", takes: words(&f.binaries, nil), of: onSlurm | onSSH | onKubernetes,
				help: "the memcost of another architecture, a `FILE`"},
			{name: "image", takes: word(&f.image), of: onKubernetes,
				help: "the `image` of containers, with memcost and the compilers"},
			{name: "option", takes: words(&f.options, nil), of: onSlurm | onSSH,
				help: "a further `option` of sbatch or parallel, such as --partition=long"},
		})
}

// What --on takes; ssh has the file of boards after a colon.
var schedulers = map[string]subject{"slurm": onSlurm, "ssh": onSSH, "kubernetes": onKubernetes, "shell": onShell}

// scheduler is what --on says before the colon.
func (f *submitFlags) scheduler() subject {
	on, _, _ := strings.Cut(f.on, ":")
	return schedulers[on]
}

// boards is the file that --on ssh:FILE names.
func (f *submitFlags) boards() string {
	_, file, _ := strings.Cut(f.on, ":")
	return file
}

// checkOn refuses what --on cannot take.
func (f *submitFlags) checkOn(on string) error {
	name, file, colon := strings.Cut(on, ":")
	switch is := schedulers[name]; {
	case is == 0:
		return hint.New(hint.Meant(name, slices.Collect(maps.Keys(schedulers)),
			"--on slurm, --on ssh:boards.txt, --on kubernetes or --on shell"), "memcost knows no such scheduler")
	case is == onSSH && file == "":
		return hint.New("--on ssh:boards.txt, a file with one board a line", "which boards?")
	case is != onSSH && colon:
		return hint.New("--on "+name, "only ssh has a file")
	}
	return nil
}

// complete refuses a submission that lacks something.
func (f *submitFlags) complete(cmd *cobra.Command) error {
	switch {
	case f.on == "":
		return hint.Usage("--on slurm, --on ssh:boards.txt, --on kubernetes or --on shell",
			"memcost submit needs to know what starts the jobs")
	case f.to == "":
		return hint.Usage("--to /mnt/shared, or --to s3://BUCKET/PREFIX",
			"memcost submit needs the place where the shards meet")
	}
	return fits(cmd, f.scheduler())
}

// A submission is what memcost submit makes and starts.
type submission struct {
	*submitFlags
	app      *App
	runner   *proc.Runner
	plan     *fleet.File
	job      *jobs.Submission
	programs []program
	to       *place.Place // nil: a dry run, and the place is not there yet
	out      Outcome
}

// number gives the submission its number, and names its folder.
func (s *submission) number(ctx context.Context) error {
	var err error
	if s.to, err = place.Open(ctx, s.job.To, !s.DryRun); err == nil {
		s.job.Number, err = fleet.NextSubmission(ctx, s.to, s.plan.Hash)
	}
	if s.DryRun && err != nil {
		if !errors.Is(err, place.ErrNone) {
			fmt.Fprintf(s.app.Stderr, "note: numbered as the first submission: %v\n", err)
		}
	} else if err != nil {
		return err
	}
	dir := fmt.Sprintf("%s-%d", s.plan.Hash, s.job.Number)
	if s.job.Dir, err = filepath.Abs(filepath.Join(s.jobs, dir)); err != nil {
		return fmt.Errorf("finding the folder %s: %w", s.jobs, err)
	}
	if strings.ContainsAny(s.job.Dir, " \t%'\"\\") && s.scheduler() == onSlurm {
		return hint.Usage("--jobs FOLDER", "--jobs %s: Slurm reads the name of the folder out of a line, and takes "+
			"neither spaces, quotes nor %%", s.job.Dir)
	}
	return nil
}

// record says in the place what is submitted, before anything is started.
func (s *submission) record(ctx context.Context, first bool) error {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	r := fleet.Submitted{Number: s.job.Number, On: s.scheduler().String(), Host: host,
		Submitted: time.Now().UTC().Truncate(time.Second), Shards: s.shards, Replicas: s.replicas, Jobs: s.out.Jobs}
	err = r.Record(ctx, s.to, s.plan.Hash, first)
	if first && fleet.IsTaken(err) {
		return hint.With("submit it once more", fmt.Errorf("somebody else submitted the plan to %s at the same moment",
			s.job.To))
	}
	return err
}

// prepare reads the plan, and finds out whether it can be submitted. Nothing is written before all of
// that is known.
func (s *submission) prepare(ctx context.Context) error {
	var err error
	if s.plan, err = ReadPlan(ctx, s.submitFlags.plan); err != nil {
		return err
	}
	if n := len(s.plan.Kinds[0].Question.Plan.Groups()); s.shards > n {
		return hint.Usage(fmt.Sprintf("--shards %d at most", n),
			"--shards %d: the plan has %d comparisons, and none is split", s.shards, n)
	}
	s.job = &jobs.Submission{Plan: s.plan.Hash, Shards: s.shards, Kinds: s.kinds, Replicas: s.replicas,
		To: s.submitFlags.to, Folder: !place.IsURL(s.submitFlags.to), Results: s.Results, Image: s.image, Options: s.options}
	if err := s.job.Check(); err != nil {
		return err
	}
	if s.job.Limit, err = fleet.Limit(s.plan, s.shards); err != nil {
		return err
	}
	if s.scheduler() != onShell {
		if s.programs, err = programs(s.plan, s.binaries); err != nil {
			return err
		}
		s.job.Programs = shipped(s.programs)
	}
	if s.job.Folder {
		if s.job.To, err = filepath.Abs(s.submitFlags.to); err != nil {
			return fmt.Errorf("finding the place %s: %w", s.submitFlags.to, err)
		}
	}
	if !s.DryRun {
		if err := s.installed(ctx); err != nil {
			return err
		}
	}
	return s.number(ctx)
}

// grace is between the signals that end parallel.
const grace = 5 * time.Second

// start brings the plan to the place, and starts what is to be started.
func (s *submission) start(ctx context.Context) error {
	if err := fleet.Bring(ctx, s.to, s.plan); err != nil {
		return err
	}
	if len(s.out.commands) == 0 {
		fmt.Fprintf(s.app.Stderr, "the plan is in the place: %s\n", s.job.PlanInPlace())
		return s.printed(ctx)
	}
	if err := s.write(); err != nil {
		return err
	}
	if s.scheduler() == onSSH {
		return s.startSSH(ctx, s.out.commands[0])
	}
	if err := s.record(ctx, true); err != nil {
		return err
	}
	for _, c := range s.out.commands {
		id, err := s.sbatch(ctx, c)
		if err != nil {
			return err
		}
		s.out.Jobs = append(s.out.Jobs, fleet.Job{ID: id, Kind: c.Kind, Tasks: c.Tasks})
		if err := s.record(ctx, false); err != nil {
			return err
		}
	}
	return nil
}

// printed records a manifest, whose Jobs somebody gives to the cluster. The commands of a shell are
// nobody's submission.
func (s *submission) printed(ctx context.Context) error {
	if s.scheduler() != onKubernetes {
		return nil
	}
	kinds, tasks := s.job.KindNames()
	for _, kind := range kinds {
		s.out.Jobs = append(s.out.Jobs, fleet.Job{ID: s.job.JobName(kind), Kind: kind, Tasks: tasks})
	}
	return s.record(ctx, true)
}

// sbatch submits an array, and returns the id of the job.
func (s *submission) sbatch(ctx context.Context, c jobs.Command) (string, error) {
	res, err := s.runner.Run(ctx, proc.Cmd{Path: c.Program, Args: c.Args, Dir: s.job.Dir})
	if err != nil {
		return "", fmt.Errorf("submitting the tasks of kind %s to Slurm: %w", c.Kind, err)
	}
	if err := res.Err("submitting the tasks of kind " + c.Kind + " to Slurm"); err != nil {
		return "", hint.With("sinfo -o '%n %f %T' lists nodes, their features and whether they are up; memcost "+
			"status "+s.job.To+" says what was submitted before", err)
	}
	id, _, _ := strings.Cut(strings.TrimSpace(string(res.Stdout)), ";") // with several clusters: ID;CLUSTER
	return id, nil
}

// startSSH runs the plan on all boards, and waits for them.
func (s *submission) startSSH(ctx context.Context, c jobs.Command) error {
	s.out.Jobs = []fleet.Job{{Tasks: c.Tasks}}
	if err := s.record(ctx, true); err != nil {
		return err
	}
	said := func(r io.Reader) { io.Copy(s.app.Stderr, r) }
	res, err := s.runner.Run(ctx, proc.Cmd{Path: c.Program, Args: c.Args, Dir: s.job.Dir, Grace: grace,
		ReadStdout: said, ReadStderr: said})
	if ctx.Err() != nil {
		return hint.With("memcost status "+s.job.To+" says how far they are",
			session.Stopped("boards that have begun go on with the shard that they measure"))
	}
	if err != nil {
		return fmt.Errorf("running the plan on the boards: %w", err)
	}
	if n := res.ExitCode; n != 0 { // of parallel it is how many failed, up to 100
		return hint.With("the last line of each is above; the whole is in memcost-jobs/"+s.plan.Hash+" on the board",
			fmt.Errorf("%s of %d did not measure all shards", units.Plural(n, "board"), c.Tasks))
	}
	return nil
}

// needed are the programs that a scheduler is started by, with the packages that have them.
var neededTools = map[subject][]struct{ program, debian, fedora string }{
	onSlurm: {{"sbatch", "slurm-client", "slurm"}},
	onSSH: {{"parallel", "parallel", "parallel"}, {"ssh", "openssh-client", "openssh-clients"},
		{"rsync", "rsync", "rsync"}},
}

// installed returns an error if what starts the jobs is not there.
func (s *submission) installed(ctx context.Context) error {
	for _, x := range neededTools[s.scheduler()] {
		if _, err := proc.LookPath(x.program, os.Environ()); err != nil {
			return hint.With("apt-get install "+x.debian+", or dnf install "+x.fedora+"; or submit where it is",
				fmt.Errorf("--on %s: %s is not installed here", s.scheduler(), x.program))
		}
	}
	if s.scheduler() != onSSH {
		return nil
	}
	res, err := s.runner.Run(ctx, proc.Cmd{Path: "parallel", Args: []string{"--version"}})
	if err != nil {
		return fmt.Errorf("asking parallel for its version: %w", err)
	}
	if !bytes.Contains(res.Stdout, []byte("GNU")) { // moreutils has another program of this name
		return hint.With("apt-get install parallel, in place of that of moreutils",
			errors.New("--on ssh: the parallel that is installed here is not GNU parallel"))
	}
	return nil
}
