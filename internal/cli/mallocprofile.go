package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/malloc/mallocprofile"
	"memcost/internal/measure/session"
	"memcost/internal/show/terminal"
)

// Options say how a program is profiled. The zero value takes the defaults.
type mallocProfileOptions struct {
	Stdin   string        // file that the program reads; "" is empty input
	Runs    int           // with counting and without it each; 0 is as many as the budget has room for
	Budget  time.Duration // of these runs; 0 is DefaultBudget
	JSON    bool          // instead of text
	Verbose bool          // print each command
}

// DefaultBudget is what the runs may take that tell what counting costs.
const DefaultBudget = 20 * time.Second

// The runs of each kind, where the budget alone says how many there are. With fewer than 4 there is
// no interval.
const (
	fewestRuns = 4
	mostRuns   = 20
)

// pairs is how many runs of each kind there will be, of a program that takes so long. It is chosen
// before they begin, so that the interval is that of one look at the data.
func (o mallocProfileOptions) pairs(took time.Duration) int {
	if o.Runs > 0 {
		return o.Runs
	}
	room := int(o.Budget / (2 * max(took, time.Millisecond)))
	return min(max(room, fewestRuns), mostRuns)
}

// Profile runs a program, and prints how it uses malloc and what counting costs it.
func profileMalloc(ctx context.Context, a *App, o mallocProfileOptions, program []string) error {
	o.Budget = cmp.Or(o.Budget, DefaultBudget)
	s, err := begin(ctx, a, o, program)
	if err != nil {
		return err
	}
	defer s.progress.End()
	use, err := s.first(ctx)
	if err != nil {
		return err
	}
	if use.Overhead, err = s.overhead(ctx); err != nil {
		return err
	}
	s.progress.End()
	if o.JSON {
		return WriteJSON(a.Stdout, use)
	}
	return terminal.Write(a.Stdout, use.Document(), a.Style(false).Screen())
}

// A session runs one program again and again.
type mallocSession struct {
	mallocProfileOptions
	runner   *proc.Runner
	progress session.Progress
	library  string
	file     string // of the program
	command  []string
	took     time.Duration // the longest run
}

func begin(ctx context.Context, a *App, o mallocProfileOptions, program []string) (*mallocSession, error) {
	if len(program) == 0 {
		return nil, hint.Usage("memcost alloc --profile -- ./prog arguments", "no program is named")
	}
	s := &mallocSession{mallocProfileOptions: o, command: program}
	var err error
	if s.file, err = find(program[0]); err != nil {
		return nil, err
	}
	tools, err := a.Tools(o.Verbose)
	if err != nil {
		return nil, err
	}
	s.runner, s.progress = tools.Runner, tools.Log
	b := mallocprofile.Builder{Runner: tools.Runner, CacheDir: tools.Builder.CacheDir, Env: os.Environ(),
		Log: s.progress.Step}
	s.library, err = b.Build(ctx)
	return s, err
}

// find returns the file of a program: a path, or a name on PATH.
func find(name string) (string, error) {
	if !strings.Contains(name, string(filepath.Separator)) {
		file, err := proc.LookPath(name, os.Environ())
		if errors.Is(err, proc.ErrNotFound) {
			return "", hint.New("name its file: ./"+name, "profiling %s: there is no such program on PATH", name)
		}
		return file, err
	}
	file, err := filepath.Abs(name)
	if err == nil {
		_, err = os.Stat(file)
	}
	if err != nil {
		return "", hint.With("name the file of the program", fmt.Errorf("profiling the program: %w", err))
	}
	return file, nil
}

// run runs the program once, in an environment.
func (s *mallocSession) run(ctx context.Context, env []string) (proc.Result, error) {
	drop := func(r io.Reader) { io.Copy(io.Discard, r) }
	cmd := proc.Cmd{Path: s.file, Args: s.command[1:], Env: env, ReadStdout: drop}
	if s.Stdin != "" {
		f, err := os.Open(s.Stdin)
		if err != nil {
			return proc.Result{}, hint.With("--stdin takes a file that the program reads", err)
		}
		defer f.Close()
		cmd.Stdin = f
	}
	res, err := s.runner.Run(ctx, cmd)
	s.took = max(s.took, res.Wall)
	return res, err
}

// counted runs the program with its calls counted.
func (s *mallocSession) counted(ctx context.Context) (res proc.Result, all mallocprofile.Processes, err error) {
	dir, err := mallocprofile.Folder()
	if err != nil {
		return res, all, err
	}
	defer os.RemoveAll(dir)
	if res, err = s.run(ctx, mallocprofile.Environment(os.Environ(), s.library, dir)); err != nil {
		return res, all, err
	}
	all, err = mallocprofile.ReadFolder(dir)
	return res, all, err
}

// first is the run that is shown.
func (s *mallocSession) first(ctx context.Context) (*mallocprofile.Use, error) {
	s.progress.Step("counting the calls of " + s.command[0])
	res, all, err := s.counted(ctx)
	if err != nil {
		return nil, err
	}
	if len(all.Profiles) == 0 {
		return nil, s.nothing(res)
	}
	if all.Profiles[0].Allocations() == 0 {
		if why := mallocprofile.WhyNot(s.library, s.file); why != "" {
			s.progress.Note("warning: " + why)
		}
	}
	run := mallocprofile.Run{Command: s.command, Ended: ended(res), Wall: res.Wall, CPU: res.Usage.User + res.Usage.Sys,
		Faults: res.Usage.MinorFaults, Cores: runtime.NumCPU(),
		Pool: mallocprofile.PoolOf(all.Profiles[0].Program)}
	return mallocprofile.Analyse(run, all), nil
}

// nothing is the error of a program that was not counted.
func (s *mallocSession) nothing(res proc.Result) error {
	if why := mallocprofile.WhyNot(s.library, s.file); why != "" {
		return hint.With("memcost alloc measures what can be preloaded; build the program so that it can",
			errors.New("counting calls of malloc: "+why))
	}
	if err := res.Err("running " + s.command[0]); err != nil {
		return err
	}
	return hint.New("does it run other programs with an environment of their own?",
		"counting the calls of %s: the preloaded library counted nothing, in no process", s.command[0])
}

// ended says how a program ended that did not end with status 0.
func ended(res proc.Result) string {
	switch {
	case res.Signal != "":
		return res.Signal
	case res.ExitCode != 0:
		return fmt.Sprintf("exit status %d", res.ExitCode)
	}
	return ""
}

// overhead runs the program with counting and without, each pair in random order. A pair that would
// exceed twice the budget is left out.
func (s *mallocSession) overhead(ctx context.Context) (mallocprofile.Overhead, error) {
	cpu := map[bool][]float64{}
	start, pairs := time.Now(), s.pairs(s.took)
	for i := range pairs {
		if s.Runs == 0 && time.Since(start)+2*s.took > 2*s.Budget {
			break
		}
		left := time.Duration(pairs-i) * 2 * s.took
		s.progress.Step(fmt.Sprintf("what counting costs: run %d of %d with and without it, about %v left", i+1,
			pairs, left.Round(time.Second)))
		first := rand.IntN(2) == 0
		for _, counting := range []bool{first, !first} {
			res, err := s.once(ctx, counting)
			if err != nil {
				return mallocprofile.Overhead{}, err
			}
			cpu[counting] = append(cpu[counting], (res.Usage.User + res.Usage.Sys).Seconds())
		}
	}
	return mallocprofile.MeasureOverhead(cpu[true], cpu[false]), nil
}

func (s *mallocSession) once(ctx context.Context, counting bool) (proc.Result, error) {
	if !counting {
		return s.run(ctx, os.Environ())
	}
	res, _, err := s.counted(ctx)
	return res, err
}
