package cli

import (
	"bytes"
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

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/base/units"
	"memcost/internal/fleet"
	"memcost/internal/fleet/jobs"
)

// make writes what is submitted, in memory: the scripts and the commands.
func (s *submission) make() error {
	s.out = Outcome{Plan: s.plan.Hash, Place: s.job.To, On: s.scheduler().String(), Number: s.job.Number, DryRun: s.DryRun}
	switch s.scheduler() {
	case onSlurm:
		files, commands := s.job.Slurm()
		s.ship(append([]jobs.File{s.job.Start()}, files...), commands)
	case onSSH:
		return s.makeSSH()
	case onKubernetes:
		text, err := s.job.Kubernetes()
		s.out.Text = text
		return err
	case onShell:
		for _, line := range s.job.Shell(s.job.PlanInPlace()) {
			s.out.Text += line + "\n"
		}
	}
	return nil
}

func (s *submission) makeSSH() error {
	file := s.boards()
	text, err := os.ReadFile(file)
	if err != nil {
		return hint.With("one board a line, as ssh knows it: pi@board1", fmt.Errorf("reading the boards: %w", err))
	}
	boards, err := jobs.Boards(file, string(text))
	if err != nil {
		return err
	}
	if file, err = filepath.Abs(file); err != nil {
		return fmt.Errorf("finding the boards: %w", err)
	}
	s.ship([]jobs.File{s.job.Start()}, []jobs.Command{s.job.SSH(file, boards)})
	return nil
}

// ship notes what is written and started.
func (s *submission) ship(files []jobs.File, commands []jobs.Command) {
	s.out.Dir = s.job.Dir
	for _, f := range files {
		s.out.Files = append(s.out.Files, Shipped{Name: f.Name, Text: f.Text, executable: f.Executable})
	}
	for _, p := range s.programs {
		s.out.Files = append(s.out.Files, Shipped{Name: p.Name(), From: p.path, SHA256: p.SHA256, executable: true})
	}
	s.out.commands = commands
	for _, c := range commands {
		s.out.Commands = append(s.out.Commands, proc.Line(append([]string{c.Program}, c.Args...)))
	}
}

// write makes the folder of the submission.
func (s *submission) write() error {
	if err := os.MkdirAll(filepath.Join(s.job.Dir, "logs"), 0o777); err != nil {
		return fmt.Errorf("making the folder of the jobs: %w", err)
	}
	var plan bytes.Buffer
	if err := s.plan.Write(&plan); err != nil {
		return fmt.Errorf("formatting the plan: %w", err)
	}
	all := append([]Shipped{{Name: jobs.PlanFile, Text: plan.String()}}, s.out.Files...)
	for _, f := range all {
		if err := f.write(s.job.Dir); err != nil {
			return err
		}
	}
	return nil
}

func (f Shipped) write(dir string) error {
	path := filepath.Join(dir, f.Name)
	err := WriteWhole(path, func(w io.Writer) error {
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
	if err == nil && f.executable {
		err = os.Chmod(path, 0o755)
	}
	if err != nil {
		return fmt.Errorf("writing %s for the jobs: %w", f.Name, err)
	}
	return nil
}

// A program is the memcost of an architecture, with where it is here.
type program struct {
	jobs.Program
	path string
}

// programs returns this memcost and those that were named. Every architecture of the plan needs one.
func programs(f *fleet.File, named []string) ([]program, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program, which is shipped to where it runs: %w", err)
	}
	var out []program
	for _, file := range append(slices.Clone(named), self) {
		p, err := programIn(file)
		if err != nil {
			return nil, err
		}
		same := func(x program) bool { return x.Name() == p.Name() }
		if file != self && slices.ContainsFunc(out, same) {
			return nil, hint.Usage("name one for each architecture", "--binary %s: there is another for %s/%s", file,
				p.OS, p.Arch)
		}
		if !slices.ContainsFunc(out, same) {
			out = append(out, p)
		}
	}
	for _, k := range f.Kinds {
		m := k.Question.Machine
		if !slices.ContainsFunc(out, func(x program) bool { return x.OS == m.OS && x.Arch == m.Arch }) {
			file := jobs.Program{OS: m.OS, Arch: m.Arch}.Name()
			return nil, hint.Usage(fmt.Sprintf("--binary %s; GOOS=%s GOARCH=%s go build -o %s ./cmd/memcost makes it",
				file, m.OS, m.Arch, file),
				"the plan has machines of %s/%s (%s), and there is no memcost for them", m.OS, m.Arch, k.Machine)
		}
	}
	return out, nil
}

// programIn reads for which machines a program was built, and its hash.
func programIn(file string) (program, error) {
	fail := func(err error) (program, error) {
		return program{}, fmt.Errorf("reading the program %s: %w", file, err)
	}
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return fail(hint.With("it has to be a memcost that Go built", err))
	}
	p := program{jobs.Program{OS: runtime.GOOS, Arch: runtime.GOARCH}, file}
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
		return fail(err)
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return fail(err)
	}
	p.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return p, nil
}

// shipped is what jobs knows of programs.
func shipped(all []program) []jobs.Program {
	var out []jobs.Program
	for _, p := range all {
		out = append(out, p.Program)
	}
	return out
}

// An Outcome is what memcost submit says: what is submitted, or would be.
type Outcome struct {
	Plan     string      `json:"plan"` // hash
	Place    string      `json:"place"`
	On       string      `json:"on"`
	Number   int         `json:"number"`
	DryRun   bool        `json:"dry_run,omitempty"`
	Dir      string      `json:"folder,omitempty"`
	Files    []Shipped   `json:"files,omitempty"`
	Commands []string    `json:"commands,omitempty"`
	Jobs     []fleet.Job `json:"jobs,omitempty"`
	Text     string      `json:"text,omitempty"` // the manifest, or the commands of a shell
	commands []jobs.Command
}

// A Shipped is a file that the jobs need: its text, or the program that it is a copy of.
type Shipped struct {
	Name       string `json:"name"`
	Text       string `json:"text,omitempty"`
	From       string `json:"from,omitempty"`
	SHA256     string `json:"sha256,omitempty"`
	executable bool
}

// show prints it.
func (o *Outcome) show(w io.Writer) error {
	switch {
	case o.Text != "":
		_, err := io.WriteString(w, o.Text)
		return err
	case o.DryRun:
		return o.showFiles(w)
	}
	fmt.Fprintf(w, "plan %s is submitted to %s as submission %d, with %s in %s\n", o.Plan, o.On, o.Number,
		units.Plural(len(o.Jobs), "job"), o.Dir)
	for _, j := range o.Jobs {
		fmt.Fprintf(w, "  %s\n", j.Describe())
	}
	_, err := fmt.Fprintf(w, "memcost status %s says how far it is\n", o.Place)
	return err
}

// showFiles prints what a dry run would write and start.
func (o *Outcome) showFiles(w io.Writer) error {
	var err error
	say := func(format string, args ...any) {
		_, wrong := fmt.Fprintf(w, format, args...)
		err = errors.Join(err, wrong)
	}
	say("# %s: the plan %s\n", filepath.Join(o.Dir, jobs.PlanFile), o.Plan)
	for _, f := range o.Files {
		if path := filepath.Join(o.Dir, f.Name); f.From != "" {
			say("# %s: a copy of %s, SHA-256 %s\n", path, f.From, f.SHA256)
		} else {
			say("\n# %s:\n%s", path, f.Text)
		}
	}
	say("\n# in %s:\n", o.Dir)
	for _, c := range o.Commands {
		say("%s\n", c)
	}
	return err
}
