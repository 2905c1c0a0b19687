package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
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
	s := loadedServer{Server: server, Load: l.until, Ready: l.ready, Patience: patience}
	res, load, err := s.run(ctx, by, r)
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

// A loadedServer is a server and what asks it for something.
type loadedServer struct {
	Server proc.Cmd
	// Load is run again and again until it exits with 0: that run is the load, and those before
	// it came too early. Its Timeout limits each of its runs.
	Load proc.Cmd
	// Ready is a command that exits with 0 when the server answers; the load then has to succeed
	// at once. With no Path the load itself finds out.
	Ready proc.Cmd
	// Patience is how long the server may take until it answers, and to end.
	Patience time.Duration
}

const (
	// pause is the time between two questions whether the server answers.
	pause = 20 * time.Millisecond
	// A server that is to be asked over a socket listens before that: some loads wait for ever for
	// one that does not. After mostSilent the load is tried all the same.
	mostSilent  = time.Second
	silentPause = 2 * time.Millisecond
)

// A Broken says why a session did not come to its end.
type Broken struct{ Why string }

// Error implements error.
func (b *Broken) Error() string { return b.Why }

// ended is how the process of a server ended.
type ended struct {
	res proc.Result
	err error
}

// run runs the server with the launcher, so that the peak of its memory is known, and
// its load with the runner. What went wrong with either of them is a Broken; the server is ended
// in any case.
func (s loadedServer) run(ctx context.Context, l *proc.Launcher, r *proc.Runner) (server, load proc.Result, err error) {
	during, kill := context.WithCancel(ctx)
	defer kill()
	over := make(chan ended, 1)
	before := listening()
	go func() {
		res, err := l.Run(during, s.Server)
		over <- ended{res, err}
	}()
	if err = wait(during, before, over); err == nil {
		load, err = s.load(during, r, over)
	}
	if err != nil {
		var early *gone
		if errors.As(err, &early) {
			return early.res, load, early.err
		}
		kill()
		return (<-over).res, load, err
	}
	if err := l.Terminate(); err != nil {
		return server, load, err
	}
	select {
	case x := <-over:
		return x.res, load, x.err
	case <-time.After(s.Patience):
		kill()
		x := <-over
		if ctx.Err() != nil {
			return x.res, load, x.err
		}
		return x.res, load, &Broken{fmt.Sprintf("the server did not end within %v of SIGTERM", s.Patience)}
	}
}

// gone is the error of a server that ended before its load was done.
type gone struct {
	res proc.Result
	err error
}

func (g *gone) Error() string { return g.err.Error() }

// wait returns when something listens that did not before, or when that takes too long.
func wait(ctx context.Context, before map[string]bool, over <-chan ended) error {
	until := time.After(mostSilent)
	for {
		for socket := range listening() {
			if !before[socket] {
				return nil
			}
		}
		select {
		case x := <-over:
			return &gone{x.res, early(x)}
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-until:
			return nil
		case <-time.After(silentPause):
		}
	}
}

// load waits until the server answers, and runs the load.
func (s loadedServer) load(ctx context.Context, r *proc.Runner, over <-chan ended) (proc.Result, error) {
	until := time.Now().Add(s.Patience)
	ask, what := s.Load, "the load"
	if s.Ready.Path != "" {
		ask, what = s.Ready, "the command that asks whether the server is ready"
	}
	for {
		res, err := r.Run(ctx, ask)
		select {
		case x := <-over:
			return res, &gone{x.res, early(x)}
		default:
		}
		switch {
		case err != nil:
			return res, err
		case res.Err(what) == nil && s.Ready.Path == "":
			return res, nil
		case res.Err(what) == nil:
			return s.once(ctx, r, over)
		case time.Now().After(until):
			return res, &Broken{fmt.Sprintf("after %v the server did not answer: %v", s.Patience, res.Err(what))}
		}
		select {
		case <-ctx.Done():
			return res, context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// once runs the load of a server that is ready.
func (s loadedServer) once(ctx context.Context, r *proc.Runner, over <-chan ended) (proc.Result, error) {
	res, err := r.Run(ctx, s.Load)
	select {
	case x := <-over:
		return res, &gone{x.res, early(x)}
	default:
	}
	if err == nil && res.Err("") != nil {
		err = &Broken{res.Err("the load failed").Error()}
	}
	return res, err
}

// early says that a server ended before its load was done.
func early(x ended) error {
	if x.err != nil {
		return x.err
	}
	how := x.res.Err("the server ended before its load was done")
	if how == nil {
		return &Broken{"the server ended, with exit status 0, before its load was done"}
	}
	return &Broken{how.Error()}
}

// listening returns the sockets of this machine that wait for connections, TCP and Unix, by their
// inodes; none where the system does not tell them: see proc(5) and net/tcp_states.h of Linux.
func listening() map[string]bool {
	out := map[string]bool{}
	for _, table := range []struct {
		file         string
		state, inode int // columns
		waits        string
	}{
		{"/proc/net/tcp", 3, 9, "0A"}, // TCP_LISTEN
		{"/proc/net/tcp6", 3, 9, "0A"},
		{"/proc/net/unix", 3, 6, "00010000"}, // flags: __SO_ACCEPTCON
	} {
		text, err := os.ReadFile(table.file)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			words := strings.Fields(line)
			if len(words) > table.inode && words[table.state] == table.waits {
				out[words[table.inode]] = true
			}
		}
	}
	return out
}
