package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/catalog"
	"memcost/internal/proc"
)

// A worst is one invocation of memcost run malloc --latency.
type worst struct {
	*session
	program  string
	variants []catalog.Variant
	full     bool
	limit    time.Duration   // of --rt; 0 is none
	done     map[string]bool // processes whose records are in the run folder, by their words
	verdicts []fitness       // of --rt
	study    catalog.Latency // sizes, and the settings that the quick profile leaves out
}

// How long a number of threads works in the two profiles.
const quickThreadSec, fullThreadSec = 0.04, 0.5

// latencyStudy is the study that says what the sizes are, and what is shown.
const latencyStudy = "malloc/latency"

const memoryBytes = 32 << 20

var latencyMode = mode{flag: "latency", command: "run malloc --latency", may: []string{"rt", "vary", "timeout", "only", "quick", "full"}, again: []string{"timeout", "rt"}}

// checkLatency reports flags that have no meaning beside --latency, or --rt, which
// asks for it too.
func checkLatency(f *runFlags, args []string, changed func(string) bool) error {
	if changed("rt") && f.rt <= 0 {
		return usage("for example --rt 20us", "--rt must be a positive time")
	}
	if err := latencyMode.check(f, args, changed); err != nil {
		return err
	}
	if !changed("resume") {
		if err := f.check(changed); err != nil {
			return err
		}
	}
	if !changed("timeout") {
		f.timeout = 0
	}
	return nil
}

// latency runs the modes of malloc_bench beside its cells: the worst calls with their
// causes, threads, memory.
func (a *app) latency(ctx context.Context, f *runFlags) error {
	s, err := a.newSession(f)
	if err != nil {
		return err
	}
	defer s.close()
	w := &worst{session: s, done: map[string]bool{}}
	if err := w.prepare(ctx); err != nil {
		return err
	}
	if f.dryRun {
		return w.printCommands()
	}
	if f.resume == "" {
		if err := s.makeFolder(s.question.Machine.Hostname, time.Now()); err != nil {
			return withHint("name another place with --results DIR", err)
		}
	}
	if err := s.folder.WriteQuestion(s.question); err != nil {
		return err
	}
	hint := "go on with: memcost " + latencyMode.command + " --resume " + s.folder.Dir
	err = w.run(ctx)
	s.progress.end()
	if err != nil && ctx.Err() == nil {
		return withHint(hint, fmt.Errorf("%w; what was measured so far is kept", err))
	}
	return a.concludeLatency(ctx, w, f, hint)
}

// prepare reads what was begun, or begins, and builds the program.
func (w *worst) prepare(ctx context.Context) error {
	f := w.flags
	var err error
	if f.resume == "" {
		w.question, err = w.app.recordsQuestion(latencyStudy, latencyMode.command, f.bench)
	} else {
		err = w.again()
	}
	if err != nil {
		return err
	}
	w.full, w.limit, w.study = f.full, f.rt, shippedStudy(latencyStudy).Latency
	if f.timeout == 0 {
		f.timeout = time.Minute
		if w.full {
			f.timeout = 10 * time.Minute
		}
	}
	program, st, err := w.buildMalloc(ctx)
	if err != nil {
		return err
	}
	if own, err := w.ownVariants(ctx, program); err != nil || len(own) > 0 {
		w.program, w.variants = program, own
		return err
	}
	if !w.full && f.bench == "" {
		st.Variants = slices.DeleteFunc(slices.Clone(st.Variants), func(v catalog.Variant) bool {
			_, setting, _ := strings.Cut(v.Keys, "setting=")
			return slices.Contains(w.study.Skip, setting)
		})
	}
	if err := w.chooseVariants(st); err != nil {
		return err
	}
	w.program, w.variants = program, w.session.variants(st)
	return nil
}

// again goes on with a run folder, as it was begun.
func (w *worst) again() error {
	err := latencyMode.reopen(w.session, func(r *benchfmt.Result) {
		if p := r.GetConfig(processKey); p != "" {
			w.done[p] = true
		}
		w.take(r)
	})
	if err != nil {
		return err
	}
	f := w.flags
	_, f.full = begun(w.question, "full")
	f.only, _ = begun(w.question, "only")
	limit, ok := begun(w.question, "rt")
	if !ok && f.rt != 0 {
		return usage("begin a run of its own: memcost run malloc --rt TIME", "--rt cannot be added by --resume: it began without")
	}
	if ok {
		asked := f.rt
		if f.rt, err = time.ParseDuration(limit); err == nil && asked != 0 && asked != f.rt {
			return usage("begin a run of its own", "--rt %v cannot be changed by --resume: it began with %v", asked, f.rt)
		}
		if err != nil {
			return fmt.Errorf("reading run folder %s: the command it was begun with: --rt %s: %w", f.resume, limit, err)
		}
	}
	return nil
}

// processKey is the configuration that says of which process a record is.
const processKey = "process"

// modes are the arguments of the processes of one variant.
func (w *worst) modes() [][]string {
	seconds := quickThreadSec
	if w.full {
		seconds = fullThreadSec
	}
	rt := []string{}
	if w.limit > 0 {
		rt = append(rt, "--rt="+strings.Replace(w.limit.String(), "µ", "u", 1))
	}
	var out [][]string
	for _, s := range w.study.Sizes {
		n := s.Quick
		if w.full {
			n = s.Full
		}
		out = append(out, append([]string{"--latency", "--sizes=" + strconv.Itoa(s.Bytes), "--operations=" + strconv.Itoa(n), "--pattern=pairs,form=json"}, rt...))
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

// process names a process in the run folder.
func process(v catalog.Variant, mode []string) string {
	return v.Keys + " " + strings.Join(mode[:2], " ")
}

// run runs every mode in every variant, but for those that are done.
func (w *worst) run(ctx context.Context) error {
	modes := w.modes()
	began, done, ran, total := time.Now(), 0, 0, len(w.variants)*len(modes)
	for _, v := range w.variants {
		if without, err := w.withoutEffect(ctx, v); err != nil {
			return err
		} else if without != "" {
			w.leftOut("%s is INVALID: %s", v.Keys, without)
			done += len(modes)
			continue
		}
		for _, m := range modes {
			done++
			if w.done[process(v, m)] {
				continue
			}
			left := ""
			if ran > 0 {
				left = fmt.Sprintf(", about %v left", (time.Since(began) / time.Duration(ran) * time.Duration(total-done+1)).Round(time.Second))
			}
			w.progress.step(fmt.Sprintf("%s %s (%d of %d%s)", v.Keys, strings.TrimPrefix(m[0], "--"), done, total, left))
			res, err := w.runner.Run(ctx, w.command(v, m))
			if err != nil {
				return err
			}
			if err := w.keep(v, m, res); err != nil {
				return err
			}
			ran++
		}
	}
	return nil
}

// withoutEffect says which of a variant's settings the program finds without effect:
// what it would measure then is not what the variant is called.
func (w *worst) withoutEffect(ctx context.Context, v catalog.Variant) (string, error) {
	const noEffect = 3
	res, err := w.runner.Run(ctx, w.command(v, []string{"--check"}))
	if err != nil || res.ExitCode != noEffect {
		return "", err // one that crashes does so in the modes, each by itself
	}
	var x struct {
		Checks []struct{ Name, Value, Status, Detail string } `json:"checks"`
	}
	if err := json.Unmarshal(res.Stdout, &x); err != nil {
		return "", fmt.Errorf("reading what malloc_bench --check says of %s: %w", v.Keys, err)
	}
	for _, c := range x.Checks {
		if c.Status == "no effect" {
			return fmt.Sprintf("%s=%s did not take effect: %s", c.Name, c.Value, c.Detail), nil
		}
	}
	return "a setting did not take effect (malloc_bench --check)", nil
}

// keep records what a process measured; that it failed is a warning.
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
			records, err = latencyRecords(v, res.Stdout, w.limit)
		case "--memory":
			records, err = w.memoryRecords(v, res.Stdout)
		default:
			records, err = lineRecords(v, res.Stdout)
		}
	}
	if err != nil {
		w.warn("%s: %v", process(v, mode), err)
		return w.folder.WriteQuestion(w.question)
	}
	for _, r := range records {
		for _, kv := range append(header(w.question), [2]string{"study", w.question.Plan.Suites[0].Name}, [2]string{"arm", w.question.Plan.Arms[0].Name}, [2]string{processKey, process(v, mode)}) {
			r.SetConfig(kv[0], kv[1])
		}
		for i := range r.Config {
			r.Config[i].File = true
		}
		w.take(r)
	}
	return w.folder.Append(records...)
}

func (a *app) concludeLatency(ctx context.Context, w *worst, f *runFlags, hint string) error {
	broken := 0
	if w.limit > 0 {
		w.question.RealTime = w.judge()
		for _, s := range w.question.RealTime.Settings {
			if s.Violations > 0 {
				broken++
			}
		}
	}
	if err := w.folder.WriteQuestion(w.question); err != nil { // with what was left out
		return err
	}
	ans, err := a.answer(w.folder.Dir, false, show{f.json, f.long, f.open})
	if err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return withHint(hint, errors.New("interrupted; what was measured until then has been shown, and is kept"))
	case f.gate && broken > 0:
		return fmt.Errorf("%w: %d settings are not fit for real time with a limit of %v", errGate, broken, w.limit)
	case f.gate:
		return finding(ans, w.question.LeftOut)
	}
	return nil
}
