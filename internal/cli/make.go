package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/fleet/jobs"
)

// make writes what is submitted, in memory: the scripts and the commands.
func (s *submission) make() error {
	s.out = Outcome{Plan: s.plan.Hash, Place: s.job.To, On: s.scheduler(), Number: s.job.Number, DryRun: s.dryRun}
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
