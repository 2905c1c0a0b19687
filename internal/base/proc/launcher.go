package proc

import (
	"context"
	"errors"
	"os"
)

// A Launcher runs processes one after the other from a small process, which is the program run
// again: what the system tells of their memory then has the small process's peak as its floor,
// and not memcost's own (Usage.MaxRSSFloor). Where there is no such floor it is a Runner.
//
// A program that starts one, and a test binary too, calls LauncherMain before anything else.
type Launcher struct {
	runner *Runner
	remote *remote // nil: the runner starts the processes itself
}

// StartLauncher starts a launcher. Its processes are traced as those of the runner are. The
// caller closes it.
func StartLauncher(r *Runner) (*Launcher, error) {
	remote, err := startRemote()
	return &Launcher{r, remote}, err
}

// Run runs c as Runner.Run does, and keeps its promises: the process has a group of its own, which
// is killed when it ends, when it takes too long and when ctx or memcost ends, however memcost
// does. Input that is no file, further files, and a grace at the end are not to be had.
func (l *Launcher) Run(ctx context.Context, c Cmd) (Result, error) {
	if l.remote == nil {
		return l.runner.Run(ctx, c)
	}
	if _, file := c.Stdin.(*os.File); c.Stdin != nil && !file || len(c.Files) > 0 || c.Grace > 0 || c.Stopping != nil {
		return Result{}, startError(ctx, c, errors.New("a launcher has only files as input, and no grace"))
	}
	l.runner.trace(c)
	return l.remote.run(ctx, c)
}

// Terminate asks the process that runs to end, by SIGTERM to it alone; where none runs it does
// nothing. It is for a server, whose end comes only when it is asked for.
func (l *Launcher) Terminate() error {
	if l.remote == nil {
		return errors.New("ending a process by SIGTERM: there are no launchers on this system")
	}
	return l.remote.terminate()
}

// Close ends the launcher, and what it runs.
func (l *Launcher) Close() error {
	if l.remote == nil {
		return nil
	}
	return l.remote.close()
}

// launcherVar and launcherArg, both together, make the program a launcher.
const (
	launcherVar = "MEMCOST_LAUNCHER"
	launcherArg = "(launches what memcost measures)"
)

// LauncherMain is called first in main, and in TestMain of a package whose tests start a
// Launcher. It reports whether this process is one; it then returns when its parent has closed
// it or ended, with the exit status that the program ends with.
func LauncherMain() (status int, is bool) {
	if os.Getenv(launcherVar) == "" || len(os.Args) != 2 || os.Args[1] != launcherArg {
		return 0, false
	}
	return serve(), true
}
