package fleet

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"memcost/internal/base/atomicfile"
	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/base/units"
	"memcost/internal/fleet/jobs"
	"memcost/internal/fleet/place"
	"memcost/internal/measure/session"
)

// A Submitter gives a plan to a scheduler.
type Submitter struct {
	jobs.Submission
	File     string   // the plan
	On       string   // slurm, ssh, kubernetes or shell
	Boards   string   // the file of boards, of ssh
	Jobs     string   // the folder of scripts, programs and logs
	Binaries []string // the memcost of other architectures
	DryRun   bool
	Runner   *proc.Runner
	Says     io.Writer // what is to be known meanwhile, and what the boards say

	plan     *File
	to       *place.Place // nil: a dry run, and the place is not there yet
	commands []jobs.Command
	out      Outcome
}

// An Outcome is what memcost submit says: what is submitted, or would be.
type Outcome struct {
	Plan     string      `json:"plan"` // hash
	Place    string      `json:"place"`
	On       string      `json:"on"`
	Number   int         `json:"number"`
	DryRun   bool        `json:"dry_run,omitempty"`
	Dir      string      `json:"folder,omitempty"`
	Files    []jobs.File `json:"files,omitempty"`
	Commands []string    `json:"commands,omitempty"`
	Jobs     []Job       `json:"jobs,omitempty"`
	Text     string      `json:"text,omitempty"` // the manifest, or the commands of a shell
}

// Submit makes jobs of the plan, and starts what is to be started; of a dry run it only says so.
func (s *Submitter) Submit(ctx context.Context) (*Outcome, error) {
	err := s.prepare(ctx)
	if err == nil {
		err = s.make()
	}
	if err == nil && !s.DryRun {
		err = s.start(ctx)
	}
	return &s.out, err
}

// prepare reads the plan, and finds out whether it can be submitted. Nothing is written before all of
// that is known.
func (s *Submitter) prepare(ctx context.Context) (err error) {
	if s.plan, err = ReadFile(ctx, s.File); err != nil {
		return err
	}
	if n := len(s.plan.Kinds[0].Question.Plan.Groups()); s.Shards > n {
		return hint.Usage(fmt.Sprintf("--shards %d at most", n),
			"--shards %d: the plan has %d comparisons, and none is split", s.Shards, n)
	}
	s.Plan, s.Folder = s.plan.Hash, !place.IsURL(s.To)
	if err := s.Check(); err != nil {
		return err
	}
	if s.Limit, err = Limit(s.plan, s.Shards); err != nil {
		return err
	}
	if s.On != "shell" {
		if s.Programs, err = programs(s.plan, s.Binaries); err != nil {
			return err
		}
	}
	if s.Folder {
		to := s.To
		if s.To, err = filepath.Abs(to); err != nil {
			return fmt.Errorf("finding the place %s: %w", to, err)
		}
	}
	if !s.DryRun {
		if err := s.installed(ctx); err != nil {
			return err
		}
	}
	return s.number(ctx)
}

// number gives the submission its number, and names its folder.
func (s *Submitter) number(ctx context.Context) (err error) {
	if s.to, err = place.Open(ctx, s.To, !s.DryRun); err == nil {
		s.Number, err = NextSubmission(ctx, s.to, s.Plan)
	}
	switch {
	case err != nil && !s.DryRun:
		return err
	case err != nil && !errors.Is(err, place.ErrNone):
		fmt.Fprintf(s.Says, "note: numbered as the first submission: %v\n", err)
	}
	if s.Dir, err = filepath.Abs(filepath.Join(s.Jobs, fmt.Sprintf("%s-%d", s.Plan, s.Number))); err != nil {
		return fmt.Errorf("finding the folder %s: %w", s.Jobs, err)
	}
	if strings.ContainsAny(s.Dir, " \t%'\"\\") && s.On == "slurm" {
		return hint.Usage("--jobs FOLDER", "--jobs %s: Slurm reads the name of the folder out of a line, and takes "+
			"neither spaces, quotes nor %%", s.Dir)
	}
	return nil
}

// needed are the programs that a scheduler is started by, with the packages that have them.
var needed = map[string][]struct{ program, debian, fedora string }{
	"slurm": {{"sbatch", "slurm-client", "slurm"}},
	"ssh": {{"parallel", "parallel", "parallel"}, {"ssh", "openssh-client", "openssh-clients"},
		{"rsync", "rsync", "rsync"}},
}

// installed returns an error if what starts the jobs is not there.
func (s *Submitter) installed(ctx context.Context) error {
	for _, x := range needed[s.On] {
		if _, err := proc.LookPath(x.program, os.Environ()); err != nil {
			return hint.With("apt-get install "+x.debian+", or dnf install "+x.fedora+"; or submit where it is",
				fmt.Errorf("--on %s: %s is not installed here", s.On, x.program))
		}
	}
	if s.On != "ssh" {
		return nil
	}
	res, err := s.Runner.Run(ctx, proc.Cmd{Path: "parallel", Args: []string{"--version"}})
	if err != nil {
		return fmt.Errorf("asking parallel for its version: %w", err)
	}
	if !bytes.Contains(res.Stdout, []byte("GNU")) { // moreutils has another program of this name
		return hint.With("apt-get install parallel, in place of that of moreutils",
			errors.New("--on ssh: the parallel that is installed here is not GNU parallel"))
	}
	return nil
}

// make makes what is submitted, in memory: the scripts and the commands.
func (s *Submitter) make() (err error) {
	s.out = Outcome{Plan: s.Plan, Place: s.To, On: s.On, Number: s.Number, DryRun: s.DryRun}
	switch s.On {
	case "kubernetes":
		s.out.Text, err = s.Kubernetes()
		return err
	case "shell":
		for _, line := range s.Shell(s.PlanInPlace()) {
			s.out.Text += line + "\n"
		}
		return nil
	}
	s.out.Dir, s.out.Files = s.Dir, []jobs.File{s.Start()}
	if s.On == "slurm" {
		var scripts []jobs.File
		scripts, s.commands = s.Slurm()
		s.out.Files = append(s.out.Files, scripts...)
	} else {
		boards, err := s.ssh()
		if err != nil {
			return err
		}
		s.commands = []jobs.Command{boards}
	}
	for _, p := range s.Programs {
		s.out.Files = append(s.out.Files, jobs.File{Name: p.Name(), From: p.From, SHA256: p.SHA256, Executable: true})
	}
	for _, c := range s.commands {
		s.out.Commands = append(s.out.Commands, units.ShellLine(append([]string{c.Program}, c.Args...)))
	}
	return nil
}

// ssh returns the command that measures the plan on the boards.
func (s *Submitter) ssh() (c jobs.Command, err error) {
	text, err := os.ReadFile(s.Boards)
	if err != nil {
		return c, hint.With("one board a line, as ssh knows it: pi@board1", fmt.Errorf("reading the boards: %w", err))
	}
	boards, err := jobs.Boards(s.Boards, string(text))
	if err != nil {
		return c, err
	}
	file, err := filepath.Abs(s.Boards)
	if err != nil {
		return c, fmt.Errorf("finding the boards: %w", err)
	}
	return s.SSH(file, boards), nil
}

// start brings the plan to the place, and starts what is to be started.
func (s *Submitter) start(ctx context.Context) error {
	if err := writePlan(ctx, s.to, s.plan); err != nil {
		return err
	}
	if len(s.commands) == 0 {
		fmt.Fprintf(s.Says, "the plan is in the place: %s\n", s.PlanInPlace())
		if s.On != "kubernetes" { // the commands of a shell are nobody's submission
			return nil
		}
		for _, kind := range s.KindNames() {
			s.out.Jobs = append(s.out.Jobs, Job{ID: s.JobName(kind), Kind: kind, Tasks: s.Tasks()})
		}
		return s.record(ctx, true)
	}
	if err := s.write(); err != nil {
		return err
	}
	if s.On == "ssh" {
		s.out.Jobs = []Job{{Tasks: s.commands[0].Tasks}}
	}
	if err := s.record(ctx, true); err != nil {
		return err
	}
	if s.On == "ssh" {
		return s.startSSH(ctx, s.commands[0])
	}
	for _, c := range s.commands {
		id, err := s.sbatch(ctx, c)
		if err != nil {
			return err
		}
		s.out.Jobs = append(s.out.Jobs, Job{ID: id, Kind: c.Kind, Tasks: c.Tasks})
		if err := s.record(ctx, false); err != nil {
			return err
		}
	}
	return nil
}

// record says in the place what is submitted, before anything is started.
func (s *Submitter) record(ctx context.Context, first bool) error {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	r := Submitted{Number: s.Number, On: s.On, Host: host, Submitted: now(), Shards: s.Shards, Replicas: s.Replicas,
		Jobs: s.out.Jobs}
	err = r.Record(ctx, s.to, s.Plan, first)
	if first && errors.Is(err, place.ErrThere) {
		return hint.With("submit it once more", fmt.Errorf("somebody else submitted the plan to %s at the same moment",
			s.To))
	}
	return err
}

// write makes the folder of the submission.
func (s *Submitter) write() error {
	if err := os.MkdirAll(filepath.Join(s.Dir, "logs"), 0o777); err != nil {
		return fmt.Errorf("making the folder of the jobs: %w", err)
	}
	var plan strings.Builder
	if err := s.plan.Write(&plan); err != nil {
		return fmt.Errorf("formatting the plan: %w", err)
	}
	for _, f := range append([]jobs.File{{Name: jobs.PlanFile, Text: plan.String()}}, s.out.Files...) {
		path := filepath.Join(s.Dir, f.Name)
		err := atomicfile.Write(path, func(w io.Writer) error {
			if f.From == "" {
				_, err := io.WriteString(w, f.Text)
				return err
			}
			from, err := os.Open(f.From)
			if err != nil {
				return err
			}
			defer from.Close()
			_, err = io.Copy(w, from)
			return err
		})
		if err == nil && f.Executable {
			err = os.Chmod(path, 0o755)
		}
		if err != nil {
			return fmt.Errorf("writing %s for the jobs: %w", f.Name, err)
		}
	}
	return nil
}

// sbatch submits an array, and returns the id of the job.
func (s *Submitter) sbatch(ctx context.Context, c jobs.Command) (string, error) {
	what := "submitting the tasks of kind " + c.Kind + " to Slurm"
	res, err := s.Runner.Run(ctx, proc.Cmd{Path: c.Program, Args: c.Args, Dir: s.Dir})
	if err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	if err := res.Err(what); err != nil {
		return "", hint.With("sinfo -o '%n %f %T' lists nodes, their features and whether they are up; memcost "+
			"status "+s.To+" says what was submitted before", err)
	}
	id, _, _ := strings.Cut(strings.TrimSpace(string(res.Stdout)), ";") // with several clusters: ID;CLUSTER
	return id, nil
}

// grace is between the signals that end parallel.
const grace = 5 * time.Second

// startSSH runs the plan on all boards, and waits for them.
func (s *Submitter) startSSH(ctx context.Context, c jobs.Command) error {
	said := func(r io.Reader) { io.Copy(s.Says, r) }
	res, err := s.Runner.Run(ctx, proc.Cmd{Path: c.Program, Args: c.Args, Dir: s.Dir, Grace: grace, ReadStdout: said,
		ReadStderr: said})
	switch {
	case ctx.Err() != nil:
		return hint.With("memcost status "+s.To+" says how far they are",
			session.Stopped("boards that have begun go on with the shard that they measure"))
	case err != nil:
		return fmt.Errorf("running the plan on the boards: %w", err)
	case res.ExitCode != 0: // of parallel it is how many failed, up to 100
		return hint.With("the last line of each is above; the whole is in memcost-jobs/"+s.Plan+" on the board",
			fmt.Errorf("%s of %d did not measure all shards", units.Plural(res.ExitCode, "board"), c.Tasks))
	}
	return nil
}

// programs returns this memcost and those that were named. Every architecture of the plan needs one.
func programs(f *File, named []string) (out []jobs.Program, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program, which is shipped to where it runs: %w", err)
	}
	has := func(os, arch string) bool {
		return slices.ContainsFunc(out, func(x jobs.Program) bool { return x.OS == os && x.Arch == arch })
	}
	for _, file := range append(slices.Clone(named), self) {
		p, err := programIn(file)
		if err != nil {
			return nil, fmt.Errorf("reading the program %s: %w", file, err)
		}
		if !has(p.OS, p.Arch) {
			out = append(out, p)
		} else if file != self {
			return nil, hint.Usage("name one for each architecture", "--binary %s: there is another for %s/%s", file,
				p.OS, p.Arch)
		}
	}
	for _, k := range f.Kinds {
		if m := k.Question.Machine; !has(m.OS, m.Arch) {
			file := jobs.Program{OS: m.OS, Arch: m.Arch}.Name()
			return nil, hint.Usage(fmt.Sprintf("--binary %s; GOOS=%s GOARCH=%s go build -o %s ./cmd/memcost makes it",
				file, m.OS, m.Arch, file),
				"the plan has machines of %s/%s (%s), and there is no memcost for them", m.OS, m.Arch, k.Machine)
		}
	}
	return out, nil
}

// programIn reads for which machines a program was built, and its hash.
func programIn(file string) (p jobs.Program, err error) {
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return p, hint.With("it has to be a memcost that Go built", err)
	}
	p = jobs.Program{OS: runtime.GOOS, Arch: runtime.GOARCH, From: file}
	for _, s := range info.Settings {
		switch s.Key {
		case "GOOS":
			p.OS = s.Value
		case "GOARCH":
			p.Arch = s.Value
		}
	}
	f, err := os.Open(file)
	if err != nil {
		return p, err
	}
	defer f.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	p.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return p, err
}

// Show prints what is submitted, or would be.
func (o *Outcome) Show(w io.Writer) error {
	var b strings.Builder
	switch {
	case o.Text != "":
		b.WriteString(o.Text)
	case o.DryRun:
		fmt.Fprintf(&b, "# %s: the plan %s\n", filepath.Join(o.Dir, jobs.PlanFile), o.Plan)
		for _, f := range o.Files {
			if path := filepath.Join(o.Dir, f.Name); f.From != "" {
				fmt.Fprintf(&b, "# %s: a copy of %s, SHA-256 %s\n", path, f.From, f.SHA256)
			} else {
				fmt.Fprintf(&b, "\n# %s:\n%s", path, f.Text)
			}
		}
		fmt.Fprintf(&b, "\n# in %s:\n%s\n", o.Dir, strings.Join(o.Commands, "\n"))
	default:
		fmt.Fprintf(&b, "plan %s is submitted to %s as submission %d, with %s in %s\n", o.Plan, o.On, o.Number,
			units.Plural(len(o.Jobs), "job"), o.Dir)
		for _, j := range o.Jobs {
			fmt.Fprintf(&b, "  %s\n", j.Describe())
		}
		fmt.Fprintf(&b, "memcost status %s says how far it is\n", o.Place)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
