package sample

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/version"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/proc"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
)

// A Target is a benchmark binary and how it is run.
type Target struct {
	Path string   // of the test binary
	Dir  string   // working directory: the package's own folder
	Env  []string // complete environment
	Args []string // behind those of the harness: what the user has for a TestMain
	// Turns reports that it has the changed testing package, so that it can take turns with
	// others.
	Turns bool
}

// An Executor runs the processes of a plan: it lists the cases, calibrates them, and takes samples.
type Executor struct {
	Runner *proc.Runner
	// Target is the program that gives a case on an arm; of a case that names its study
	// alone, the study's binary.
	Target func(c plan.Case, arm, layout int) (Target, error)
	// Ready is called before the samples of a round, of which none runs yet, and returns how many links
	// it made and how long that took; nil is nothing.
	Ready func(ctx context.Context, tasks []plan.Task) (links int, took time.Duration, err error)
	// Draws reports whether it can make further links of a study; nil: of none.
	Draws func(study int) bool
	// LinkedAs returns the first side that has a study's links of another, because its binary is the very same; nil: each
	// side has its own.
	LinkedAs func(study, side int) int
	// Floor is the binary of the empty loop on an arm; nil, or false, where there is none.
	Floor func(arm int) (Target, bool)
	// Recording reads what a program recorded.
	Recording func(kind store.Recording, file string, c plan.Case, arm string) ([]benchfmt.Value, error)
	// Before is called before each process that is measured, and is no part of it; nil is nothing.
	Before func(context.Context) error
	// Launch runs the process of a sample, and returns further figures of it; nil is the Runner.
	// Of a process that did not do what it has to, the error is a Broken. The role is what the sample is for.
	Launch  func(context.Context, plan.Role, proc.Cmd) (proc.Result, []benchfmt.Value, error)
	SaveLog func(name string, data []byte) // keeps the output of a process that failed
	// ListOn returns the arms on each of which the cases of a study are looked for, where not
	// all need have the same; nil or none: on one of them.
	ListOn func(study int) []int
	// OneSided is called with the benchmarks that some of those arms do not have.
	OneSided func([]plan.OneSided)
	Skip     func(plan.Case) bool // cases that the profile leaves out; nil leaves out none
	// Loads are those beside which a case is measured, one after the other; nil and none
	// leave the case as it is.
	Loads func(plan.Case) []string
	CPUs  int // of this machine, for the load "all"
	// Batches returns the cases, by their indices, in the order in which they are needed: those
	// of a batch are of use together. nil: each by itself, in their order.
	Batches func(cases []plan.Case) [][]int
	// Budget is the time for calibration and rounds together; 0 is without a bound. Owed is what
	// of it has another use: the rounds that were taken, and those of cases that are calibrated.
	Budget, Owed time.Duration

	mu    sync.Mutex         // of calibrations side by side
	costs map[string]float64 // of an iteration, that calibrations in C++ found: see guess
}

// A Broken is the error of a process that ended, and did not do what it has to.
type Broken struct{ Why string }

// Error implements error.
func (b *Broken) Error() string { return b.Why }

// A harness knows one kind of program that gives samples.
type harness interface {
	// list adds the cases of a study to the plan, and what failed.
	list(ctx context.Context, l *Executor, p *plan.Plan, study int) error
	// calibrate finds how many iterations a case's sample takes; N stays 0 for a case
	// that fails, which is then in the plan.
	calibrate(ctx context.Context, l *Executor, p *plan.Plan, c *plan.Case) error
	// sideBySide reports whether cases may be calibrated at the same time.
	sideBySide() bool
	// args are the arguments for one sample of a case; benchtime is that of go test: a
	// duration, or "Nx".
	args(c plan.Case, benchtime string) []string
	// parse reads what a process printed for one case.
	parse(c plan.Case, res proc.Result) output
}

// discoveryArm is the arm on which a study's cases are looked for: the first of those
// with its newest Go, for an older one may not have all that the cases ask for.
func discoveryArm(p *plan.Plan, study int) int {
	return slices.MaxFunc(p.SidesOf(study), func(a, b int) int {
		return version.Compare(p.Sides[a].Toolchain, p.Sides[b].Toolchain) // of equals the first
	})
}

// calibrationRun takes one sample for calibration, and says how its process ended; the
// result is nil when the case failed, which is then in the plan. The first arm is the one
// that the others are compared with; where it cannot run the case, that on which the case
// was found. A process that takes longer than limit is ended, and is no failure; with 0 the
// limit is that of all processes.
func (l *Executor) calibrationRun(ctx context.Context, h harness, p *plan.Plan, c plan.Case, benchtime string,
	limit time.Duration) (*benchfmt.Result, proc.Result, error) {
	found := discoveryArm(p, c.Study)
	for _, arm := range slices.Compact([]int{p.SidesOf(c.Study)[0], found}) {
		r, res, o, err := l.runOn(ctx, h, p, c, arm, benchtime, limit)
		if r != nil || err != nil || limit > 0 && res.TimedOut {
			return r, res, err
		}
		if arm == found {
			l.fail(p, plan.Failure{Study: c.Study, Name: c.Base, Side: p.Sides[arm].Name, Reason: why(res, o)}, res)
		}
	}
	return nil, proc.Result{}, nil
}

// runOn runs a case on an arm without making a record. The result is nil when the process failed.
func (l *Executor) runOn(ctx context.Context, h harness, p *plan.Plan, c plan.Case, arm int, benchtime string,
	limit time.Duration) (*benchfmt.Result, proc.Result, output, error) {
	target, err := l.Target(c, arm, 0)
	if err == nil && l.Before != nil {
		err = l.Before(ctx)
	}
	if err != nil {
		return nil, proc.Result{}, output{}, err
	}
	res, o, err := l.runCase(ctx, h, c, p.Sides[arm].Name, plan.Main, proc.Cmd{Path: target.Path, Dir: target.Dir,
		Env:  slices.Concat(target.Env, p.Sides[arm].Env, c.Env, l.tickEnv(p, c.Study)),
		Args: slices.Concat(h.args(c, benchtime), target.Args), Timeout: cmp.Or(limit, p.Options.Timeout)})
	r := o.find(c.Printed())
	if err != nil || res.ExitCode != 0 {
		r = nil
	}
	return r, res, o, err
}

// launch runs the process of a sample.
func (l *Executor) launch(ctx context.Context, role plan.Role, cmd proc.Cmd) (proc.Result, []benchfmt.Value, error) {
	if l.Launch == nil {
		res, err := l.Runner.Run(ctx, cmd)
		return res, nil, err
	}
	return l.Launch(ctx, role, cmd)
}

func (l *Executor) tickEnv(p *plan.Plan, study int) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return p.Studies[study].TickEnv()
}

// runCase runs the process of a case. The files that a program is asked to write are
// read when it has ended; their figures are added to its own.
func (l *Executor) runCase(ctx context.Context, h harness, c plan.Case, arm string, role plan.Role, cmd proc.Cmd) (proc.Result,
	output, error) {
	files := map[string]store.Recording{}
	for _, kind := range store.Recordings() {
		i := slices.IndexFunc(cmd.Args, func(a string) bool { return strings.Contains(a, kind.Word()) })
		if i < 0 {
			continue
		}
		dir, err := os.MkdirTemp("", "memcost-"+kind.Kind+"-")
		if err != nil {
			return proc.Result{}, output{}, fmt.Errorf("making a folder for the %s of %s: %w", kind.Kind, c.Name, err)
		}
		defer os.RemoveAll(dir)
		file := filepath.Join(dir, kind.Kind)
		files[file] = kind
		cmd.Args = slices.Clone(cmd.Args)
		for ; i < len(cmd.Args); i++ {
			cmd.Args[i] = strings.ReplaceAll(cmd.Args[i], kind.Word(), file)
		}
	}
	res, more, err := l.launch(ctx, role, cmd)
	var broken *Broken
	if errors.As(err, &broken) && ctx.Err() == nil {
		o := output{}
		o.fail(c.Base, invalid+broken.Why)
		return res, o, nil
	}
	if err != nil {
		return res, output{}, err
	}
	o := h.parse(c, res)
	r := o.find(c.Printed())
	if r == nil || res.ExitCode != 0 {
		return res, o, nil
	}
	r.Values = append(r.Values, more...)
	for file, kind := range files {
		values, err := l.Recording(kind, file, c, arm)
		if err != nil {
			o.results = nil
			o.fail(c.Base, err.Error())
			return res, o, nil
		}
		r.Values = append(r.Values, values...)
	}
	return res, o, nil
}

// fail notes a failure and keeps what its process printed.
func (l *Executor) fail(p *plan.Plan, f plan.Failure, res proc.Result) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f.Log = l.keep(p.Studies[f.Study].Name, f.Name, f.Side, res)
	p.Failures = append(p.Failures, f)
}

// secPerOp is a result's time per op in seconds, 0 when it has none.
func secPerOp(r *benchfmt.Result) float64 {
	v, _ := r.Value("sec/op")
	return v
}

// iterations is the N whose loop takes at least the target time.
func iterations(target time.Duration, secPerOp float64) int64 {
	if secPerOp <= 0 {
		return 1e9
	}
	n := target.Seconds() / secPerOp
	return int64(min(max(n, 1), 1e12)) + 1
}

// ErrNothing says that not one benchmark was found.
var ErrNothing = errors.New("no benchmark to run")

// keep saves what a failed process printed and returns the log's name inside
// the run folder.
func (l *Executor) keep(study, name, arm string, res proc.Result) string {
	if l.SaveLog == nil {
		return ""
	}
	file := unsafeInName.ReplaceAllString(fmt.Sprintf("%s-%s-%s", study, name, arm), "_")
	// The end of a long name tells it from its neighbours, not the start.
	file = "logs/" + file[max(0, len(file)-150):] + ".txt"
	var text strings.Builder
	fmt.Fprintf(&text, "exit status %d, signal %q, after %v\n--- standard output\n%s\n--- standard error\n%s\n",
		res.ExitCode, res.Signal, res.Wall.Round(time.Millisecond), res.Stdout, res.Stderr)
	l.SaveLog(file, []byte(text.String()))
	return file
}

var unsafeInName = regexp.MustCompile(`[^A-Za-z0-9._=+-]+`)

// A Kind is what the processes of a load do.
type Kind int

// The kinds of load.
const (
	CPU    Kind = iota // each keeps one core busy and touches no memory
	Memory             // each copies through a buffer larger than the last-level cache
)

func (k Kind) String() string {
	if k == Memory {
		return "memory"
	}
	return "cpu"
}

// entryVar and entryArg, both together, make the program a process of a load. The
// argument also tells someone who looks at the list of processes what this one is.
const (
	entryVar = "MEMCOST_LOAD"
	entryArg = "keeps-the-machine-busy"
)

// chunk is what a streamer copies in one unit of work, in bytes.
const chunk = 256 << 10

// harnessOf is the one place where kinds of programs are told apart.
func harnessOf(k plan.Kind) harness {
	switch k {
	case plan.GoogleBenchmark:
		return googleBenchmark{}
	case plan.GoogleTimed, plan.GoogleCounted:
		return builtGoogle{counted: k == plan.GoogleCounted}
	case plan.Program:
		return program{}
	case plan.Command:
		return commandLine{}
	}
	return goTest{}
}
