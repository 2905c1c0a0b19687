package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
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

const (
	// pause is the time between two questions whether the server answers.
	pause = 20 * time.Millisecond
	// A server that is to be asked over a socket listens before that: some loads wait for ever for
	// one that does not. After mostSilent the load is tried all the same.
	mostSilent  = time.Second
	silentPause = 2 * time.Millisecond
)

// ended is how the process of a server ended.
type ended struct {
	res proc.Result
	err error
}

// gone is the error of a server that ended before its load was done.
type gone struct{ ended }

func (g *gone) Error() string { return g.err.Error() }

// A loadedServer is a server while it is asked for something.
type loadedServer struct {
	*Load
	runner *proc.Runner
	over   chan ended
	beside time.Duration // CPU time of its loads
}

// Run runs a server with the launcher, so that the peak of its memory is known, and its load with the runner.
// What is returned is the server's, but for the time, which is the load's, and what was printed: read is given
// the load's standard output. What went wrong with either of them is a sample.Broken; the server is ended in
// any case.
func (l *Load) Run(ctx context.Context, by *proc.Launcher, r *proc.Runner, server proc.Cmd,
	held *hold, read func(load proc.Result)) (proc.Result, error) {
	server.Timeout = 0 // its load has one
	held.watches(&server)
	during, kill := context.WithCancel(ctx)
	defer kill()
	s := &loadedServer{Load: l, runner: r, over: make(chan ended, 1)}
	before := listening()
	go func() {
		res, err := by.Run(during, server)
		s.over <- ended{res, err}
	}()
	load, err := s.load(during, before)
	if err == nil {
		err = s.settle(during, held)
	}
	var x ended
	if early := (*gone)(nil); errors.As(err, &early) {
		x = early.ended
	} else {
		x = s.end(ctx, by, kill, err)
	}
	x.res.Work, x.res.Beside = load.Wall, s.beside
	read(load)
	return x.res, x.err
}

// end ends the server: with SIGTERM, or at once where the load failed.
func (s *loadedServer) end(ctx context.Context, by *proc.Launcher, kill func(), failed error) ended {
	if failed == nil {
		if err := by.Terminate(); err != nil {
			return ended{err: err}
		}
		select {
		case x := <-s.over:
			return x
		case <-time.After(patience):
		}
	}
	kill()
	x := <-s.over
	switch {
	case failed != nil:
		x.err = failed
	case ctx.Err() == nil:
		x.err = &sample.Broken{Why: fmt.Sprintf("the server did not end within %v of SIGTERM", patience)}
	}
	return x
}

// load waits until the server answers, and runs the load: again and again until it exits with 0, where there is
// no command that asks whether the server answers. That run is the load, and those before it came too early.
func (s *loadedServer) load(ctx context.Context, before map[string]bool) (proc.Result, error) {
	if err := s.wait(ctx, before); err != nil {
		return proc.Result{}, err
	}
	until := time.Now().Add(patience)
	ask, what := s.until, "the load"
	if s.ready.Path != "" {
		ask, what = s.ready, "the command that asks whether the server is ready"
	}
	for {
		res, err := s.run(ctx, ask)
		switch {
		case err != nil:
			return res, err
		case res.Err(what) == nil && s.ready.Path == "":
			return res, nil
		case res.Err(what) == nil: // the load has to succeed at once
			if res, err = s.run(ctx, s.until); err == nil && res.Err("") != nil {
				err = &sample.Broken{Why: res.Err("the load failed").Error()}
			}
			return res, err
		case time.Now().After(until):
			return res, &sample.Broken{Why: fmt.Sprintf("after %v the server did not answer: %v", patience, res.Err(what))}
		}
		select {
		case <-ctx.Done():
			return res, context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// run runs a command beside the server.
func (s *loadedServer) run(ctx context.Context, cmd proc.Cmd) (proc.Result, error) {
	res, err := s.runner.Run(ctx, cmd)
	s.beside += res.Usage.User + res.Usage.Sys
	select {
	case x := <-s.over:
		return res, x.early()
	default:
		return res, err
	}
}

// wait returns when something listens that did not before, or when that takes too long.
func (s *loadedServer) wait(ctx context.Context, before map[string]bool) error {
	until := time.After(mostSilent)
	for {
		for socket := range listening() {
			if !before[socket] {
				return nil
			}
		}
		select {
		case x := <-s.over:
			return x.early()
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-until:
			return nil
		case <-time.After(silentPause):
		}
	}
}

// early is the error of a server that ended before its load was done.
func (x ended) early() error {
	if x.err == nil {
		x.err = &sample.Broken{Why: "the server ended, with exit status 0, before its load was done"}
		if x.res.Daemons > 0 {
			x.err = &sample.Broken{Why: "the server put itself into the background (stopped now): have it stay in the " +
				"foreground, as redis-server does with --daemonize no and nginx with -g 'daemon off;'"}
		} else if how := x.res.Err("the server ended before its load was done"); how != nil {
			x.err = &sample.Broken{Why: how.Error()}
		}
	}
	return &gone{x}
}

// seemsServer is how long a program that listens may go on before its user is told of --until.
const seemsServer = 3 * time.Second

// noteServer tells of a program that goes on and listens on a socket that it is a server; until stop is called.
func noteServer(note func(string)) (stop func()) {
	before, over := listening(), make(chan struct{})
	go func() {
		select {
		case <-over:
		case <-time.After(seemsServer):
			if ownListens(before) {
				note(fmt.Sprintf("note: the program listens on a socket, and did not end in %v: if it is a server, --until 'LOAD COMMAND' "+
					"says what is asked of it, and ends it then", seemsServer))
			}
		}
	}()
	return func() { close(over) }
}

// ownListens reports whether a process that this one started, or one of its children, has a socket that listens and did
// not before.
func ownListens(before map[string]bool) bool {
	fresh := map[string]bool{}
	for socket := range listening() {
		if !before[socket] {
			fresh["socket:["+socket+"]"] = true
		}
	}
	if len(fresh) == 0 {
		return false
	}
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range all {
		if pid, err := strconv.Atoi(filepath.Base(dir)); err != nil || !descends(pid) {
			continue
		}
		files, _ := filepath.Glob(dir + "/fd/*")
		for _, f := range files {
			if to, err := os.Readlink(f); err == nil && fresh[to] {
				return true
			}
		}
	}
	return false
}

// descends reports whether a process descends from this one.
func descends(pid int) bool {
	for pid > 1 && pid != os.Getpid() {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return false
		}
		words := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:])) // the name may hold anything
		if len(words) < 2 {
			return false
		}
		if pid, err = strconv.Atoi(words[1]); err != nil {
			return false
		}
	}
	return pid == os.Getpid()
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
