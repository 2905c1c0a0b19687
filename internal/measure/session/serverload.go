// Package serverload runs a server for as long as a load of it takes: it starts the server, waits
// until the load can run, runs it, and ends the server by SIGTERM.
package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"memcost/internal/base/proc"
)

// A Session is a server and what asks it for something.
type Session struct {
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

// Run runs a session: the server with the launcher, so that the peak of its memory is known, and
// its load with the runner. What went wrong with either of them is a Broken; the server is ended
// in any case.
func LoadServer(ctx context.Context, l *proc.Launcher, r *proc.Runner, s Session) (server, load proc.Result, err error) {
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
func (s Session) load(ctx context.Context, r *proc.Runner, over <-chan ended) (proc.Result, error) {
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
func (s Session) once(ctx context.Context, r *proc.Runner, over <-chan ended) (proc.Result, error) {
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
