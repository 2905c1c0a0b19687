package cli

import (
	"context"
	"encoding/json"
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
		[]string{"--memory", "--sizes=64", "--operations=" + strconv.Itoa(memoryBytes), "--seconds=0.05", "--pattern=form=gobench"})
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
	if err == nil && mode[0] == "--latency" {
		records, err = w.latencyRecords(v, res.Stdout)
	} else if err == nil {
		records, err = lineRecords(v, res.Stdout)
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

// lineRecords are lines in the Go benchmark format, under the variant's keys.
func lineRecords(v catalog.Variant, stdout []byte) ([]*benchfmt.Result, error) {
	var out []*benchfmt.Result
	for r := benchfmt.NewReader(strings.NewReader(string(stdout)), "output"); r.Scan(); {
		if res, ok := r.Result().(*benchfmt.Result); ok && !strings.HasPrefix(string(res.Name), "ThreadsFloor") {
			x := res.Clone()
			x.Config = nil
			x.Name = benchfmt.Name(variantName(string(x.Name), v.Keys))
			out = append(out, x)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("it printed no figure")
	}
	return out, nil
}

// variantName puts a variant's keys behind the first part of a name.
func variantName(name, keys string) string {
	first, rest, _ := strings.Cut(name, "/")
	return first + "/" + keys + "/" + rest
}

// latencyJSON is what is read of malloc_bench --latency; see study/malloc/src/latency.h.
type latencyJSON struct {
	Cells []struct {
		Size  int64 `json:"size"`
		Nulls int64 `json:"nulls"`
		Ops   int64 `json:"operations"`
		Calls []struct {
			Call  string  `json:"call"`
			Count int     `json:"count"`
			P50   float64 `json:"p50"`
			P90   float64 `json:"p90"`
			P99   float64 `json:"p99"`
			P3    float64 `json:"p99.9"`
			P4    float64 `json:"p99.99"`
			P5    float64 `json:"p99.999"`
			Max   float64 `json:"max"`
			Slow  struct {
				Kept      float64          `json:"kept"`
				Explained float64          `json:"explained"`
				Causes    map[string]int64 `json:"causes"`
			} `json:"slow"`
			Minor int64 `json:"minor_faults"`
			Major int64 `json:"major_faults"`
		} `json:"calls"`
		RT *struct {
			Passed bool  `json:"passed"`
			Faults int64 `json:"faults"`
			Late   int64 `json:"late"`
			First  struct {
				Call  string  `json:"call"`
				Index int64   `json:"index"`
				NS    float64 `json:"ns"`
				Cause string  `json:"cause"`
			} `json:"first"`
			What string `json:"what"`
		} `json:"rt"`
	} `json:"cells"`
}

func (w *worst) latencyRecords(v catalog.Variant, stdout []byte) ([]*benchfmt.Result, error) {
	var x latencyJSON
	if err := json.Unmarshal(stdout, &x); err != nil || len(x.Cells) == 0 {
		return nil, fmt.Errorf("what it printed cannot be read: %w", errors.Join(err))
	}
	var out []*benchfmt.Result
	add := func(name string, values ...benchfmt.Value) *benchfmt.Result {
		r := &benchfmt.Result{Name: benchfmt.Name(variantName(name, v.Keys)), Iters: 1, Values: values}
		out = append(out, r)
		return r
	}
	ns := func(unit string, t float64) benchfmt.Value {
		return benchfmt.Value{Value: t * 1e-9, Unit: unit + "-sec", OrigValue: t, OrigUnit: unit + "-ns"}
	}
	for _, c := range x.Cells {
		faults := int64(0)
		for _, k := range c.Calls {
			faults += k.Minor + k.Major
			for _, p := range []struct {
				calls int
				ns    float64
			}{{2, k.P50}, {10, k.P90}, {100, k.P99}, {1000, k.P3}, {10_000, k.P4}, {100_000, k.P5}} {
				if p.calls*2 <= k.Count { // else it is the longest
					add(fmt.Sprintf("Latency/call=%s/size=%d/calls=%d", k.Call, c.Size, p.calls), ns("latency", p.ns))
				}
			}
			r := add(fmt.Sprintf("Longest/call=%s/size=%d", k.Call, c.Size), ns("max", k.Max))
			if k.Slow.Kept > 0 {
				r.Values = append(r.Values, benchfmt.Value{Value: k.Slow.Explained / k.Slow.Kept, Unit: "explained-share"})
			}
			r.SetConfig("how", "causes of the slowest calls: "+causes(k.Slow.Causes))
		}
		r := add(fmt.Sprintf("RealTime/size=%d", c.Size), benchfmt.Value{Value: float64(faults), Unit: "faults"}, benchfmt.Value{Value: float64(c.Nulls), Unit: "nulls"})
		if c.RT == nil {
			continue
		}
		passed, verdict := 1.0, fmt.Sprintf("met: no page fault, and no call longer than %v, in %d operations", w.limit, c.Ops)
		if !c.RT.Passed {
			f := c.RT.First
			passed, w.broken = 0, true
			verdict = fmt.Sprintf("broken at operation %d: %s took %v (%s, %s); in all %d operations with faults, %d late", f.Index, f.Call, time.Duration(f.NS), c.RT.What, f.Cause, c.RT.Faults, c.RT.Late)
		}
		r.Values = append(r.Values, benchfmt.Value{Value: passed, Unit: "rt-passed"}, benchfmt.Value{Value: float64(c.RT.Late), Unit: "late"})
		r.SetConfig("note", verdict)
		w.verdicts = append(w.verdicts, fmt.Sprintf("%s, %s: %s", v.Keys, report.Quantity(float64(c.Size), "B/op"), verdict))
	}
	return out, nil
}

// causes lists how often each was seen, the most frequent first.
func causes(n map[string]int64) string {
	var names []string
	for name := range n {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return int(n[b] - n[a]) })
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, n[name])
	}
	return strings.Join(names, ", ")
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
