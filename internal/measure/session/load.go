package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
)

// patience is how long a server may take until it answers, and to end.
const patience = 30 * time.Second

// A Load is what is asked of a server: the command that is the load, and the one that finds out
// whether the server answers, which need not be. They run with the environment as it is here.
type Load struct{ until, ready proc.Cmd }

// LoadOf reads the commands of --until and --ready; nil where there is no load.
func LoadOf(alloc *plan.Alloc, dir string, timeout time.Duration) (*Load, error) {
	if alloc == nil || alloc.Until == "" {
		return nil, nil
	}
	read := func(flag, text string) (proc.Cmd, error) {
		t, _, err := targetOf(text, dir, os.Environ())
		if err != nil {
			return proc.Cmd{}, hint.Usage("it is a command line, in quotes", "--%s: %w", flag, err)
		}
		return proc.Cmd{Path: t.Path, Args: t.Args, Dir: t.Dir, Env: t.Env, Timeout: timeout}, nil
	}
	var l Load
	var err error
	if l.until, err = read("until", alloc.Until); err == nil && alloc.Ready != "" {
		l.ready, err = read("ready", alloc.Ready)
	}
	return &l, err
}

// Run runs a server and its load. What is returned is the server's, but for the time, which is
// the load's, and what was printed: read is given the load's standard output.
func (l *Load) Run(ctx context.Context, by *proc.Launcher, r *proc.Runner, server proc.Cmd,
	read func(load proc.Result)) (proc.Result, error) {
	server.Timeout = 0 // its load has one
	s := Session{Server: server, Load: l.until, Ready: l.ready, Patience: patience}
	res, load, err := LoadServer(ctx, by, r, s)
	res.Wall = load.Wall
	read(load)
	var broken *Broken
	if errors.As(err, &broken) {
		err = &sample.Broken{Why: broken.Why}
	}
	return res, err
}

// Ends says how a process ended: "exit status 1", "SIGSEGV".
func Ends(res proc.Result) string {
	switch {
	case res.TimedOut:
		return "no end within the time of --timeout"
	case res.Signal != "":
		return res.Signal
	}
	return fmt.Sprintf("exit status %d", res.ExitCode)
}

// asExpected holds the end of a program to that under its own allocator: it is a success whatever
// its status. A process that a signal or a timeout ended speaks for itself.
func asExpected(alloc *plan.Alloc, res proc.Result) (proc.Result, error) {
	switch got := Ends(res); {
	case alloc == nil:
	case got == alloc.Ends:
		res.ExitCode, res.Signal = 0, ""
	case res.Signal == "" && !res.TimedOut:
		return res, &sample.Broken{Why: fmt.Sprintf("%s, and under the program's own allocator %s", got, alloc.Ends)}
	}
	return res, nil
}
