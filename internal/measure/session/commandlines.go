package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/base/units"
	"memcost/internal/measure/plan"
	"memcost/internal/method/stat"
)

// Lines are command lines, or one command line and settings for it, as they stand behind
// memcost compare --command.
type Lines struct {
	Args []string
	Arms []plan.Arm // instead of Args: each with its command line, and what it sets
}

// commandSuite is what the samples of command lines have as their study.
const commandSuite = "command"

func (l Lines) choose(_ context.Context, r *CommandRun) (err error) {
	p := &r.Question.Plan
	if p.Arms = l.Arms; p.Arms == nil {
		if p.Arms, err = armsOfLines(l.Args); err != nil {
			return err
		}
	}
	p.Suites = []plan.Suite{{Name: commandSuite, Pkg: commandSuite, Harness: plan.HarnessCommand}}
	c := r.Question.Comparison
	if c.Stdin == "" {
		return nil
	}
	if c.Stdin, err = filepath.Abs(c.Stdin); err != nil {
		return err
	}
	f, err := os.Open(c.Stdin)
	if err != nil {
		return hint.Usage("--stdin FILE gives each process the file's content", "--stdin: %w", err)
	}
	return f.Close()
}

func (Lines) targets(_ context.Context, r *CommandRun) error {
	for i, a := range r.Question.Plan.Arms {
		t, shell, err := targetOf(a.Command, r.Question.Dir, os.Environ())
		if err != nil {
			return err
		}
		r.targets = append(r.targets, t)
		b := plan.Build{Arm: i, Layouts: []uint64{0}}
		if !shell { // of what a shell runs nobody knows the files
			if b.Hash, err = hashOf(t.Path); err != nil {
				return err
			}
		}
		r.Question.Builds = append(r.Question.Builds, b)
	}
	var err error
	r.launcher, err = proc.StartLauncher(r.Runner)
	return err
}

func (Lines) list(ctx context.Context, r *CommandRun) error { return r.lab.List(ctx, &r.Question.Plan) }

// emptyShells is how often a shell is started with nothing to do, to know what that takes.
const emptyShells = 21

// check finds out what the shell takes, where one runs commands: that is part of their times.
func (Lines) check(ctx context.Context, r *CommandRun) error {
	var through []string
	for i, a := range r.Question.Plan.Arms {
		if r.Question.Builds[i].Hash == "" {
			through = append(through, a.Name)
		}
	}
	if len(through) == 0 {
		return nil
	}
	at := slices.IndexFunc(r.Question.Builds, func(b plan.Build) bool { return b.Hash == "" })
	var times []float64
	for range emptyShells {
		res, err := r.launcher.Run(ctx, proc.Cmd{Path: r.targets[at].Path, Args: []string{"-c", ""},
			Env: r.targets[at].Env, Dir: r.targets[at].Dir, Timeout: r.Question.Plan.Options.Timeout})
		if err == nil {
			err = res.Err("starting a shell with nothing to do")
		}
		if err != nil {
			return err
		}
		times = append(times, res.Wall.Seconds())
	}
	r.Question.Comparison.Shell = stat.Median(times)
	which := "A shell runs the commands"
	if len(through) < len(r.targets) {
		which = "A shell runs " + through[0]
		if len(through) > 1 {
			which += fmt.Sprintf(" and %d more of the %d sides", len(through)-1, len(r.targets))
		}
	}
	r.warn("%s: its start takes %s of each time (median of %d empty commands); a command without quotes, pipes and "+
		"variables of a shell is started directly", which, units.Seconds(r.Question.Comparison.Shell), emptyShells)
	return nil
}

// short is the time of a command below which starting a process is a large part of it.
const short = 5 * time.Millisecond
