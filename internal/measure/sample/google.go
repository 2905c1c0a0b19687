package sample

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/proc"
	"memcost/internal/exchange"
	"memcost/internal/measure/plan"
	"memcost/internal/study/language"
)

// googleBenchmark is the harness of C++ programs on Google Benchmark.
type googleBenchmark struct{}

// sideBySide is true: N need only be about right, and most of the time of the processes goes
// into starting them.
func (googleBenchmark) sideBySide() bool { return true }

// args are the flags of a program on Google Benchmark for one sample of one
// case. benchtime is that of go test: a duration, or "Nx".
//
// Google Benchmark 1.7 has no flag for the iterations (1.8 and newer read
// --benchmark_min_time=Nx), so that a study's program has one of its own.
func (googleBenchmark) args(c plan.Case, benchtime string) []string {
	args := append(slices.Clone(c.Args), "--benchmark_format=json", "--benchmark_filter=^"+regexp.QuoteMeta(c.Call)+
		"(/iterations:[0-9]+)?(/manual_time|/real_time)?$")
	if n, ok := strings.CutSuffix(benchtime, "x"); ok {
		return append(args, "--iterations="+n)
	}
	d, _ := time.ParseDuration(benchtime)
	return append(args, "--benchmark_min_time="+strconv.FormatFloat(d.Seconds(), 'f', -1, 64))
}

// calibrate finds a case's N. What a C++ benchmark reports as its time may be a
// part of what an iteration takes (UseManualTime, as for the first touch of a block
// that has to be had first): N is such that the whole of it takes the target time, of
// the processor, for other processes may run beside it.
//
// One process runs one iteration, which tells what starting takes. The next ones aim at a
// part of the target time. What the same case takes in another variant is their first guess.
// Short stays 0: the first rounds see if the cost depends on N.
func (h googleBenchmark) calibrate(ctx context.Context, l *Executor, p *plan.Plan, c *plan.Case) error {
	c.N = 0
	x := &search{Executor: l, plan: p, c: c, target: p.SampleOf(c.Study)}
	if err := x.first(ctx); err != nil || x.result == nil {
		return err
	}
	n, err := x.find(ctx)
	if err != nil || n == 0 {
		return err
	}
	c.N, c.Estimate = n, secPerOp(x.result)
	whole := x.whole().Seconds() / float64(x.ran)
	c.StartUp = x.start.Seconds() + max(whole-c.Estimate, 0)*float64(n)
	l.found(*c, whole)
	return nil
}

// singleError is the error of the time of a single operation, in seconds: that of two readings
// of the timer, and what the first operation after them takes more.
const singleError = 300e-9

// A search is that of one case's N.
type search struct {
	*Executor
	plan   *plan.Plan
	c      *plan.Case
	target time.Duration
	start  time.Duration // of the processor, for what is not the loop

	result *benchfmt.Result // of the process that gave one last; nil when the case failed
	ran    int64            // its iterations
	used   time.Duration    // of the processor
}

// run runs n iterations. A process that takes far longer than a sample may is ended and is
// late; limit 0 is that of all processes.
func (x *search) run(ctx context.Context, n int64, limit time.Duration) (late bool, err error) {
	r, res, err := x.calibrationRun(ctx, googleBenchmark{}, x.plan, *x.c, fmt.Sprintf("%dx", n), limit)
	if res.TimedOut && limit > 0 {
		return true, err
	}
	x.result, x.ran, x.used = r, n, res.Usage.User+res.Usage.Sys
	if r != nil {
		x.tick(x.plan, x.c.Study, res.Stdout)
	}
	return false, err
}

// first runs one iteration, which tells what starting takes: once more, if the process had to
// measure the tick.
func (x *search) first(ctx context.Context) error {
	for range 2 {
		told := len(x.tickEnv(x.plan, x.c.Study)) > 0
		if _, err := x.run(ctx, 1, 0); err != nil || x.result == nil {
			return err
		}
		x.start = x.used
		if told == (len(x.tickEnv(x.plan, x.c.Study)) > 0) {
			break
		}
	}
	return nil
}

// whole returns the processor's time for all that the iterations did. No two starts take the
// same: what is less than half a start tells nothing, and then what was timed counts.
func (x *search) whole() time.Duration {
	timed := max(time.Duration(secPerOp(x.result)*float64(x.ran)*float64(time.Second)), time.Nanosecond)
	if more := x.used - x.start; more > x.start/2 {
		return max(more, timed)
	}
	return timed
}

// The search aims at a part of a sample, and is content with what takes at least the least
// part: from there N is in proportion. A try takes at most lateSamples samples and as many
// starts, and there are at most searchSteps.
const (
	leastPart   = 10
	lateSamples = 8
	searchSteps = 12
)

// find returns N; 0 for a case that failed. Where work grows with the iterations, N times the
// cost at fewer iterations is too long, but by no more than the part.
func (x *search) find(ctx context.Context) (int64, error) {
	part := x.target / calibrationShare
	n := min(iterations(part, max(secPerOp(x.result), 1e-10)), 1000)
	if guess, ok := x.guess(*x.c); ok {
		n = iterations(part, max(guess, secPerOp(x.result)-singleError))
	}
	few, many := int64(1), int64(math.MaxInt64) // few are known not to be too many
	for range searchSteps {
		if n <= few {
			break
		}
		late, err := x.run(ctx, n, lateSamples*(x.target+x.start))
		if err != nil || x.result == nil {
			return 0, err
		}
		if late || x.whole() > 2*x.target {
			many = n
			if !late {
				n = scaled(n, part, x.whole())
			} else {
				n /= 1000
			}
			n = max(n, int64(math.Sqrt(float64(few)*float64(many))))
			if late || n < many/2 {
				continue
			}
		}
		if few = n; x.whole() >= x.target/leastPart {
			return scaled(x.ran, x.target, x.whole()), nil
		}
		n = min(scaled(n, part, x.whole()), 1000*n, many/2)
	}
	return max(min(scaled(x.ran, x.target, x.whole()), many-1), 1), nil
}

// scaled returns the iterations that take the target time, where n take so much.
func scaled(n int64, target, whole time.Duration) int64 {
	return max(int64(float64(n)*target.Seconds()/whole.Seconds()), 1)
}

// tickText is what a program says of the tick of the processor's counter in the head of its
// answer.
var tickText = regexp.MustCompile(`"tick_ns": "([0-9.e+-]+)"`)

// tick keeps the first answer's tick for all processes after it: measuring it takes more than
// half of the time of a short process.
func (l *Executor) tick(p *plan.Plan, study int, stdout []byte) {
	m := tickText.FindSubmatch(stdout)
	if m == nil {
		return
	}
	ns, err := strconv.ParseFloat(string(m[1]), 64)
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := &p.Studies[study]; s.Tick == 0 && err == nil && ns > 0 && !math.IsInf(ns, 1) {
		s.Tick = ns
	}
}

// googleSuffix is what Google Benchmark adds to a name on its own.
var googleSuffix = regexp.MustCompile(`(/iterations:[0-9]+|/manual_time|/real_time|/process_time|/min_time:[0-9.]+)+$`)

// list adds the cases of a C++ study: what its program lists, once for each
// variant of the study.
func (googleBenchmark) list(ctx context.Context, l *Executor, p *plan.Plan, study int) error {
	return l.listGoogle(ctx, p, study, discoveryArm(p, study), false)
}

// listGoogle adds the cases that a program on Google Benchmark lists, which was built of a study or by
// the user. A study's program is called by the names without what Google Benchmark adds to them, and
// the names of its cases have the keys of their variant.
func (l *Executor) listGoogle(ctx context.Context, p *plan.Plan, study, arm int, built bool) error {
	x := p.Studies[study]
	target, err := l.Target(plan.Case{Study: study, CPP: x.Beside != nil}, arm, 0)
	if err != nil {
		return err
	}
	want, err := plan.New(p.Options.Bench)
	if err != nil {
		return err
	}
	variants := x.Variants
	if built {
		variants = []language.Variant{{}}
	}
	for _, v := range variants {
		res, err := l.Runner.Run(ctx, proc.Cmd{Path: target.Path, Dir: target.Dir, Env: slices.Concat(target.Env, v.Env),
			Args: slices.Concat(v.Args, target.Args, []string{"--benchmark_list_tests=true"}), Timeout: p.Options.Timeout})
		if err != nil {
			return err
		}
		failure := plan.Failure{Study: study, Name: v.Keys, Side: p.Sides[arm].Name}
		if built {
			failure.Name = x.Name
		}
		if res.ExitCode != 0 || len(bytes.TrimSpace(res.Stdout)) == 0 {
			failure.Reason = "listing its benchmarks: " + why(res, output{})
			l.fail(p, failure, res)
			continue
		}
		for line := range strings.Lines(string(res.Stdout)) {
			call := strings.TrimSpace(line)
			bare := googleSuffix.ReplaceAllString(call, "")
			name := plan.VariantName(bare, v.Keys)
			if built {
				name = exchange.GoogleName(bare)
			} else {
				call = bare
			}
			known := func(c plan.Case) bool { return c.Study == study && c.CPP == (x.Beside != nil) && c.Base == name }
			if call != "" && want.Top("Benchmark"+firstPart(name)) && want.Full("Benchmark"+name) &&
				!slices.ContainsFunc(p.Cases, known) {
				p.Cases = append(p.Cases, besideGo(p, plan.Case{Study: study, Name: name, Base: name, Procs: 1, N: 1,
					Call: call, Env: v.Env, Args: v.Args, Preset: v.Preset, CPP: x.Beside != nil})...)
			}
		}
	}
	return nil
}

// besideGo returns a case in C++ as it is measured: beside cases in Go once for each GOMAXPROCS
// of theirs, whose suffix it has, so that it pairs with them.
func besideGo(p *plan.Plan, c plan.Case) (out []plan.Case) {
	if !c.CPP {
		return []plan.Case{c}
	}
	for _, procs := range cpusOf(p) {
		if c.Procs, c.Name = procs, c.Base; procs > 1 {
			c.Name += "-" + strconv.Itoa(procs)
		}
		out = append(out, c)
	}
	return out
}

func firstPart(name string) string {
	first, _, _ := strings.Cut(name, "/")
	return first
}

// parse reads what a program on Google Benchmark printed for one case.
func (googleBenchmark) parse(c plan.Case, res proc.Result) output {
	stdout := res.Stdout
	o := output{words: map[string]string{}}
	warnings, err := exchange.Read(bytes.NewReader(stdout), "its output", exchange.Google,
		func(r *benchfmt.Result) error {
			r.Name = benchfmt.Name(c.Printed()) // it was filtered for: there is no other
			r.Config = nil
			o.results = append(o.results, r)
			return nil
		})
	if len(o.results) > 0 {
		return o
	}
	for _, w := range warnings {
		if _, message, ok := strings.Cut(w.Error(), "was not measured: "); ok {
			o.failed, o.words[c.Base] = []string{c.Base}, invalid+message
			return o
		}
	}
	if err != nil && len(bytes.TrimSpace(stdout)) > 0 {
		o.words[c.Base] = fmt.Sprint(err)
	}
	return o
}

// builtGoogle is the harness of programs on Google Benchmark that the user built: they know the
// library's own flags alone.
type builtGoogle struct {
	googleBenchmark
	counted bool // Google Benchmark 1.8 or newer: it runs as many iterations as it is told
}

func (h builtGoogle) args(c plan.Case, benchtime string) []string {
	args := append(slices.Clone(c.Args), "--benchmark_format=json", "--benchmark_filter=^"+regexp.QuoteMeta(c.Call)+"$")
	n, isCount := strings.CutSuffix(benchtime, "x")
	if isCount && h.counted {
		return append(args, "--benchmark_min_time="+benchtime)
	}
	d, _ := time.ParseDuration(benchtime)
	if iterations, err := strconv.ParseFloat(n, 64); isCount && err == nil {
		d = time.Duration(iterations * c.Estimate * float64(time.Second))
	}
	return append(args, "--benchmark_min_time="+strconv.FormatFloat(d.Seconds(), 'f', -1, 64))
}

// list adds the cases that the program of the first arm lists.
func (builtGoogle) list(ctx context.Context, l *Executor, p *plan.Plan, study int) error {
	return l.listGoogle(ctx, p, study, p.SidesOf(study)[0], true)
}

// calibrate finds N from a process that has a part of a sample's time.
func (h builtGoogle) calibrate(ctx context.Context, l *Executor, p *plan.Plan, c *plan.Case) error {
	c.N = 0
	sample := p.SampleOf(c.Study)
	r, res, err := l.calibrationRun(ctx, h, p, *c, (sample / calibrationShare).String(), 0)
	if r == nil || err != nil {
		return err
	}
	if c.Estimate = secPerOp(r); c.Estimate <= 0 {
		l.fail(p, plan.Failure{Study: c.Study, Name: c.Base, Side: p.Sides[p.SidesOf(c.Study)[0]].Name,
			Reason: "it reports no time"}, res)
		return nil
	}
	c.N = iterations(sample, c.Estimate)
	c.StartUp = max(res.Wall.Seconds()-c.Estimate*float64(r.Iters), 0)
	return nil
}
