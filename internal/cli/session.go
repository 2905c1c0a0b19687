package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"memcost/internal/cache"
	"memcost/internal/claim"
	"memcost/internal/machine"
	"memcost/internal/plan"
	"memcost/internal/proc"
	"memcost/internal/result"
	"memcost/internal/sample"
	"memcost/internal/store"
	"memcost/internal/toolchain"
)

// A session is one invocation of memcost run.
type session struct {
	app      *app
	flags    *runFlags
	question *plan.Question
	folder   *store.Folder // nil in a dry run
	runner   *proc.Runner
	builder  *toolchain.Builder
	finder   *toolchain.Finder
	tools    []toolchain.Toolchain // parallel to the arms
	packages map[string]toolchain.Package
	binaries map[[2]int]toolchain.Binaries // by arm and suite
	lab      *sample.Lab
	suites   []claim.Suite
	sources  map[[2]int]fs.FS // of Go suites, by arm and suite
	programs map[programKey]string
	toFull   []plan.Case // left to the full profile
	progress *progress
	env      []string
	measured time.Duration
	results  bool // the folder of run folders was made by this session
}

func (a *app) newSession(f *runFlags) (*session, error) {
	dir, err := cache.Dir()
	if err != nil {
		return nil, withHint("set HOME or XDG_CACHE_HOME", fmt.Errorf("finding a folder for built binaries: %w", err))
	}
	var trace io.Writer
	if f.verbose {
		trace = a.stderr
	}
	s := &session{app: a, flags: f, runner: &proc.Runner{Trace: trace}, env: proc.CleanEnv(os.Environ()),
		packages: map[string]toolchain.Package{}, binaries: map[[2]int]toolchain.Binaries{}, sources: map[[2]int]fs.FS{}, programs: map[programKey]string{}}
	s.progress = newProgress(a.stderr)
	s.finder = &toolchain.Finder{Runner: s.runner, Log: s.progress.note}
	s.builder = &toolchain.Builder{Runner: s.runner, CacheDir: dir, Log: s.progress.step}
	s.builder.Trim(time.Now())
	if flags := changing(os.Getenv("GOFLAGS")); flags != "" {
		s.progress.note("note: GOFLAGS is not used here: " + flags + " (build flags: run --vary FLAG, stack --build-flag FLAG)")
	}
	return s, nil
}

// changing are the flags among those of GOFLAGS that would make another program.
func changing(goflags string) string {
	var out []string
	for _, f := range strings.Fields(goflags) {
		name, _, _ := strings.Cut(strings.TrimLeft(f, "-"), "=")
		if !slices.Contains([]string{"mod", "buildvcs", "modcacherw", "v", "x", "p", "trimpath"}, name) {
			out = append(out, f)
		}
	}
	return strings.Join(out, " ")
}

func (s *session) close() {
	s.progress.end()
	if s.folder == nil {
		return
	}
	s.folder.Close()
	for _, part := range []string{store.QuestionFile, store.LogsDir} {
		if _, err := os.Stat(filepath.Join(s.folder.Dir, part)); err == nil {
			return
		}
	}
	// The preparation did not come to its end: leave nothing behind that looks
	// like a run.
	os.RemoveAll(s.folder.Dir)
	if s.results {
		os.Remove(filepath.Dir(s.folder.Dir)) // fails if another run is in it
	}
}

// begin prepares a new run.
func (a *app) begin(ctx context.Context, f *runFlags, args []string, changed func(string) bool) (*session, error) {
	o, err := f.options(changed)
	if err != nil {
		return nil, err
	}
	s, err := a.newSession(f)
	if err != nil {
		return nil, err
	}
	fp, err := machine.ReadFingerprint("")
	if err != nil {
		return s, fmt.Errorf("reading what this machine is: %w", err)
	}
	dir, err := os.Getwd()
	if err != nil {
		return s, fmt.Errorf("finding the current folder: %w", err)
	}
	s.question = &plan.Question{Format: plan.Format, Tool: "memcost " + Version, Created: time.Now().UTC().Truncate(time.Second),
		Command: append([]string{"memcost"}, a.args...), Machine: fp, Plan: plan.Plan{Options: o}, Dir: dir}
	if err := s.chooseSuites(ctx, args); err != nil {
		return s, err
	}
	if err := s.checkKinds(changed); err != nil {
		return s, err
	}
	if err := s.varyGoogle(); err != nil {
		return s, err
	}
	if o := &s.question.Plan.Options; o.Profile == "quick" && !s.hasGo() && !changed("budget") {
		o.Budget = plan.GoogleBudget
	}
	if o := &s.question.Plan.Options; len(s.question.Plan.Suites) > 2 && o.Profile == "quick" {
		if !changed("budget") {
			o.Budget = plan.AllBudget
		}
		if !changed("sample") {
			o.Sample = plan.AllSample
		}
	}
	if !f.dryRun {
		if err := s.makeFolder(fp.Hostname, time.Now()); err != nil {
			return s, withHint("name another place with --results DIR", err)
		}
	}
	if err := s.prepare(ctx, changed("budget")); err != nil {
		return s, err
	}
	if f.dryRun {
		return s, nil
	}
	return s, s.folder.WriteQuestion(s.question)
}

// makeFolder makes the run folder: its name is the time and the machine, and a
// number where two runs begin in the same second.
func (s *session) makeFolder(host string, now time.Time) error {
	_, err := os.Stat(s.flags.results)
	s.results = errors.Is(err, fs.ErrNotExist)
	base := filepath.Join(s.flags.results, now.Format("20060102-150405")+"-"+result.FileName(host))
	dir := base
	for i := 2; ; i++ {
		if _, err := os.Stat(dir); err != nil {
			s.folder, err = store.Create(dir)
			if !errors.As(err, new(*store.BusyError)) { // else another memcost was faster
				return err
			}
		}
		dir = fmt.Sprintf("%s-%d", base, i)
	}
}

func (s *session) warn(format string, args ...any) {
	w := fmt.Sprintf(format, args...)
	s.question.Warnings = append(s.question.Warnings, w)
	s.progress.note("warning: " + w)
}

// warnOnce is warn, for what would be said with each sample.
func (s *session) warnOnce(w string) {
	if !slices.Contains(s.question.Warnings, w) {
		s.warn("%s", w)
	}
}

// leftOut records something that was asked for and cannot be had.
func (s *session) leftOut(format string, args ...any) {
	w := fmt.Sprintf(format, args...)
	s.question.LeftOut = append(s.question.LeftOut, w)
	s.progress.note("left out: " + w)
}

// measure takes the samples.
func (s *session) measure(ctx context.Context) (sample.Stop, error) {
	sampler, err := machine.NewSampler("")
	if err != nil {
		return "", fmt.Errorf("watching this machine: %w", err)
	}
	defer sampler.Close()
	began := time.Now()
	e := &sample.Engine{Plan: &s.question.Plan, Suites: s.suites, Lab: s.lab, Folder: s.folder,
		Sampler: sampler, Header: header(s.question), Progress: s.progress.sample}
	stop, err := e.Run(ctx)
	s.measured = time.Since(began)
	return stop, err
}

// header is the file configuration of every sample.
func header(q *plan.Question) [][2]string {
	return [][2]string{
		{"memcost", strings.TrimPrefix(q.Tool, "memcost ")},
		{"goos", q.Machine.OS}, {"goarch", q.Machine.Arch}, {"cpu", q.Machine.CPUModel}, {"machine", q.Machine.Hostname},
	}
}

// kept words an error that stops a run in its middle.
func (s *session) kept(err error) error {
	return withHint("go on with: memcost run --resume "+s.folder.Dir, fmt.Errorf("%w; the samples taken so far are kept", err))
}

// loopShare is the share of the time since the first round began that was spent
// inside benchmark loops.
func (s *session) loopShare(ans *result.Answer) float64 {
	return float64(ans.LoopSec) / max(s.measured.Seconds(), float64(ans.WallSec))
}
