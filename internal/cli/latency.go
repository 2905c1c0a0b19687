package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/catalog"
	"memcost/internal/plan"
	"memcost/internal/proc"
	"memcost/internal/report"
	"memcost/study"
)

// A worst is one invocation of memcost run malloc --latency.
type worst struct {
	*session
	program  string
	variants []catalog.Variant
	full     bool
	limit    time.Duration // of --rt; 0 is none
	verdicts []string      // of --rt
	broken   bool
}

// The sizes and numbers of operations of the two profiles.
const (
	worstSizes     = "64,4096,262144,33554432"
	quickCalls     = 100_000
	fullCalls      = 10_000_000
	largeCalls     = 200 // of sizes that are mapped, or cleared, each time
	quickThreadSec = 0.04
	fullThreadSec  = 0.5
	memoryBytes    = 32 << 20
)

// latency runs the modes of malloc_bench beside its cells: the worst calls with their
// causes, threads, memory.
func (a *app) latency(ctx context.Context, f *runFlags) error {
	s, err := a.newSession(f)
	if err != nil {
		return err
	}
	defer s.close()
	w := &worst{session: s, full: f.full, limit: f.rt}
	if s.question, err = a.recordsQuestion("latency", "run malloc --latency", f.bench); err != nil {
		return err
	}
	if err := w.prepare(ctx); err != nil {
		return err
	}
	if f.dryRun {
		return w.printCommands()
	}
	if err := s.makeFolder(s.question.Machine.Hostname, time.Now()); err != nil {
		return withHint("name another place with --results DIR", err)
	}
	if err := s.folder.WriteQuestion(s.question); err != nil {
		return err
	}
	if err := w.run(ctx); err != nil && ctx.Err() == nil {
		return err
	}
	s.progress.end()
	return a.concludeLatency(ctx, w, f)
}

func (w *worst) prepare(ctx context.Context) error {
	studies, err := catalog.ReadAll(study.FS)
	if err != nil {
		return err
	}
	st := find(studies, "malloc")
	tc, err := w.builder.Compiler(ctx)
	if err != nil {
		return err
	}
	source, err := fs.Sub(study.FS, st.Name)
	if err != nil {
		return err
	}
	w.progress.step("building malloc_bench with " + tc.Version)
	bin, err := w.builder.BuildCMake(ctx, source, st.Name+"_bench", tc)
	if err != nil {
		return err
	}
	w.program, w.variants = bin.Paths[0], w.session.variants(st)
	if !w.full {
		w.variants = slices.DeleteFunc(w.variants, func(v catalog.Variant) bool {
			return slices.ContainsFunc([]string{"no-tcache", "thp-never", "thp-madvise", "hugetlb"}, func(s string) bool { return strings.HasSuffix(v.Keys, "setting="+s) })
		})
	}
	w.question.Plan.Arms = []plan.Arm{{Name: tc.Version, Toolchain: tc.Version}}
	return nil
}

// modes are the arguments of the processes of one variant.
func (w *worst) modes() [][]string {
	calls, seconds := quickCalls, quickThreadSec
	if w.full {
		calls, seconds = fullCalls, fullThreadSec
	}
	rt := []string{}
	if w.limit > 0 {
		rt = append(rt, "--rt="+strings.Replace(w.limit.String(), "µ", "u", 1))
	}
	var out [][]string
	for size := range strings.SplitSeq(worstSizes, ",") {
		n := calls
		if len(size) > 5 {
			n = min(n, largeCalls*calls/quickCalls)
		}
		out = append(out, append([]string{"--latency", "--sizes=" + size, "--operations=" + strconv.Itoa(n), "--pattern=pairs,form=json"}, rt...))
	}
	return append(out,
		[]string{"--threads-scaling", "--sizes=64", "--seconds=" + strconv.FormatFloat(seconds, 'f', -1, 64), "--pattern=form=gobench"},
		[]string{"--memory", "--sizes=64", "--operations=" + strconv.Itoa(memoryBytes), "--seconds=0.05", "--pattern=form=json"})
}

func (w *worst) command(v catalog.Variant, mode []string) proc.Cmd {
	return proc.Cmd{Path: w.program, Args: append(slices.Clone(v.Args), mode...), Env: append(slices.Clone(w.env), v.Env...),
		Timeout: w.flags.timeout, Limit: 16 << 20}
}

func (w *worst) printCommands() error {
	for _, v := range w.variants {
		for _, m := range w.modes() {
			if _, err := fmt.Fprintln(w.app.stdout, w.command(v, m)); err != nil {
				return err
			}
		}
	}
	return nil
}

// run runs every mode in every variant. One that fails is a record that says so.
func (w *worst) run(ctx context.Context) error {
	modes := w.modes()
	began, done, total := time.Now(), 0, len(w.variants)*len(modes)
	for _, v := range w.variants {
		for _, m := range modes {
			left := ""
			if done > 0 {
				left = fmt.Sprintf(", about %v left", (time.Since(began) / time.Duration(done) * time.Duration(total-done)).Round(time.Second))
			}
			w.progress.step(fmt.Sprintf("%s %s (%d of %d%s)", v.Keys, strings.TrimPrefix(m[0], "--"), done, total, left))
			res, err := w.runner.Run(ctx, w.command(v, m))
			if err != nil {
				return err
			}
			if err := w.keep(v, m, res); err != nil {
				return err
			}
			done++
		}
	}
	return nil
}

// keep records what a process measured, or why it did not.
func (w *worst) keep(v catalog.Variant, mode []string, res proc.Result) error {
	const violated = 3 // the real-time limit
	var records []*benchfmt.Result
	var err error
	if res.ExitCode != violated {
		err = res.Err("running malloc_bench " + mode[0])
	}
	if err == nil {
		switch mode[0] {
		case "--latency":
			records, err = w.latencyRecords(v, res.Stdout)
		case "--memory":
			records, err = w.memoryRecords(v, res.Stdout)
		default:
			records, err = lineRecords(v, res.Stdout)
		}
	}
	if err != nil {
		w.warn("%s, %s: %v", v.Keys, strings.Join(mode[:2], " "), err)
		return w.folder.WriteQuestion(w.question)
	}
	for _, r := range records {
		for _, kv := range append(header(w.question), [2]string{"study", "latency"}, [2]string{"arm", w.question.Plan.Arms[0].Name}) {
			r.SetConfig(kv[0], kv[1])
		}
		for i := range r.Config {
			r.Config[i].File = true
		}
	}
	return w.folder.Append(records...)
}

func (a *app) concludeLatency(ctx context.Context, w *worst, f *runFlags) error {
	o, err := reportOptions("all")
	if err != nil {
		return err
	}
	ans, err := report.Read(w.folder.Dir, o)
	if err != nil {
		return err
	}
	format := "text"
	if f.json {
		format = "json"
	}
	if err := render(a.stdout, []*report.Answer{ans}, format, a.style(f.long)); err != nil {
		return err
	}
	if format == "text" && len(w.verdicts) > 0 {
		fmt.Fprintf(a.stdout, "real time, %v\n", w.limit)
		for _, v := range w.verdicts {
			fmt.Fprintln(a.stdout, " ", v)
		}
	}
	a.pageOf(w.folder.Dir, ans, f.open)
	switch {
	case ctx.Err() != nil:
		return errors.New("interrupted; what was measured until then has been shown")
	case f.gate && w.broken:
		return fmt.Errorf("%w: the real-time limit of %v was broken", errGate, w.limit)
	case f.gate:
		return finding(ans, w.question.LeftOut)
	}
	return nil
}
