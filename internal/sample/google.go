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

	"memcost/internal/exchange"
	"memcost/internal/plan"
	"memcost/internal/proc"
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

// calibrationSteps bounds how often the calibration looks for an N between one that is far
// too long and one that is far too short.
const calibrationSteps = 4

// calibrate finds a case's N. What a C++ benchmark reports as its time may be a
// part of what an iteration takes (UseManualTime, as for the first touch of a block
// that has to be had first): N is such that the whole of it takes the target time, of
// the processor, for other processes may run beside it.
//
// One process runs one iteration, which tells what starting takes. What the same case takes
// in another variant is then the first guess, which a second process confirms or corrects.
// Short stays 0: the first rounds see if the cost depends on N.
func (h googleBenchmark) calibrate(ctx context.Context, l *Lab, p *plan.Plan, c *plan.Case) error {
	c.N = 0
	x := &search{Lab: l, plan: p, c: c, target: p.SampleOf(c.Suite)}
	if err := x.first(ctx); err != nil || x.result == nil {
		return err
	}
	guess, known := l.guess(*c)
	if known {
		x.n = iterations(x.target/calibrationShare, max(guess, secPerOp(x.result)-singleError))
	}
	if err := x.find(ctx, known); err != nil || x.result == nil {
		return err
	}
	c.Estimate = secPerOp(x.result)
	whole := x.whole().Seconds() / float64(x.ran)
	c.StartUp = x.start.Seconds() + (whole-c.Estimate)*float64(c.N)
	l.found(*c, whole)
	return nil
}

// singleError is the error of the time of a single operation, in seconds: that of two readings
// of the timer, and what the first operation after them takes more.
const singleError = 300e-9

// A search is that of one case's N.
type search struct {
	*Lab
	plan   *plan.Plan
	c      *plan.Case
	target time.Duration
	start  time.Duration // of the processor, for what is not the loop
	n      int64         // to try, or what is known to be too few

	result *benchfmt.Result // of the process that ran last; nil when the case failed
	ran    int64            // its iterations
	used   time.Duration    // of the processor
}

func (x *search) run(ctx context.Context, n int64) error {
	r, res, err := x.calibrationRun(ctx, googleBenchmark{}, x.plan, *x.c, fmt.Sprintf("%dx", n))
	x.result, x.ran, x.used = r, n, res.Usage.User+res.Usage.Sys
	if r != nil {
		x.tick(x.plan, x.c.Suite, res.Stdout)
	}
	return err
}

// first runs one iteration, which tells what starting takes: once more, if the process had to
// measure the tick.
func (x *search) first(ctx context.Context) error {
	for range 2 {
		told := len(x.tickEnv(x.plan, x.c.Suite)) > 0
		if err := x.run(ctx, 1); err != nil || x.result == nil {
			return err
		}
		x.start, x.n = x.used, 1
		if told == (len(x.tickEnv(x.plan, x.c.Suite)) > 0) {
			break
		}
	}
	return nil
}

// whole returns the processor's time for all that the iterations did.
func (x *search) whole() time.Duration {
	timed := time.Duration(secPerOp(x.result) * float64(x.ran) * float64(time.Second))
	return max(x.used-x.start, timed)
}

// find sets the case's N. With a guess, x.n is to be tried first; without one it was.
func (x *search) find(ctx context.Context, guessed bool) error {
	for {
		if guessed {
			guessed = false
			if err := x.run(ctx, x.n); err != nil || x.result == nil {
				return err
			}
			if whole := x.whole(); whole > 2*x.target {
				return x.shorten(ctx, whole)
			} else if whole >= x.target/guessRange {
				x.c.N = scaled(x.ran, x.target, whole)
				return nil
			}
		}
		want := iterations(x.target, max(secPerOp(x.result), 1e-10))
		if want <= 2*x.n {
			x.c.N = min(x.n, want)
			return nil
		}
		x.n = min(want, 1000*x.n)
		if err := x.run(ctx, x.n); err != nil || x.result == nil {
			return err
		}
		if whole := x.whole(); whole > 2*x.target {
			return x.shorten(ctx, whole)
		}
	}
}

// guessRange is how much shorter than a sample a first guess may turn out to be and still tell
// how long the sample is.
const guessRange = 12

func scaled(n int64, target, whole time.Duration) int64 {
	return max(int64(float64(n)*target.Seconds()/whole.Seconds()), 1)
}

// shorten sets N after iterations that took far too long. Work that grows with the iterations
// takes far less at fewer than in proportion.
func (x *search) shorten(ctx context.Context, whole time.Duration) error {
	long := x.ran
	n := scaled(long, x.target, whole)
	for range calibrationSteps {
		if err := x.run(ctx, n); err != nil || x.result == nil {
			return err
		}
		if x.used-x.start >= x.target/4 || 2*n >= long {
			break
		}
		n = int64(math.Sqrt(float64(n) * float64(long)))
	}
	x.c.N = n
	return nil
}

// tickText is what a program says of the tick of the processor's counter in the head of its
// answer.
var tickText = regexp.MustCompile(`"tick_ns": "([0-9.e+-]+)"`)

// tick keeps the first answer's tick for all processes after it: measuring it takes more than
// half of the time of a short process.
func (l *Lab) tick(p *plan.Plan, suite int, stdout []byte) {
	m := tickText.FindSubmatch(stdout)
	if m == nil {
		return
	}
	ns, err := strconv.ParseFloat(string(m[1]), 64)
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := &p.Suites[suite]; s.Tick == 0 && err == nil && ns > 0 && !math.IsInf(ns, 1) {
		s.Tick = ns
	}
}

// googleSuffix is what Google Benchmark adds to a name on its own.
var googleSuffix = regexp.MustCompile(`(/iterations:[0-9]+|/manual_time|/real_time|/process_time|/min_time:[0-9.]+)+$`)

// list adds the cases of a C++ suite: what its program lists, once for each
// variant of the study.
func (googleBenchmark) list(ctx context.Context, l *Lab, p *plan.Plan, suite int) error {
	arm := discoveryArm(p, suite)
	target, err := l.Target(plan.Case{Suite: suite}, arm, 0)
	if err != nil {
		return err
	}
	want, err := newPattern(p.Options.Bench)
	if err != nil {
		return err
	}
	for _, v := range p.Suites[suite].Variants {
		res, err := l.Runner.Run(ctx, proc.Cmd{Path: target.Path, Dir: target.Dir, Env: append(slices.Clone(target.Env),
			v.Env...),
			Args: append(slices.Clone(v.Args), "--benchmark_list_tests=true"), Timeout: p.Options.Timeout})
		if err != nil {
			return err
		}
		known := len(p.Cases)
		for line := range strings.Lines(string(res.Stdout)) {
			call := googleSuffix.ReplaceAllString(strings.TrimSpace(line), "")
			if call == "" || res.ExitCode != 0 {
				continue
			}
			name := variantName(call, v.Keys)
			if want.top("Benchmark"+firstPart(name)) && want.full("Benchmark"+name) &&
				!slices.ContainsFunc(p.Cases[known:], func(c plan.Case) bool { return c.Name == name }) {
				p.Cases = append(p.Cases, plan.Case{Suite: suite, Name: name, Base: name, Procs: 1, N: 1, Call: call,
					Env: v.Env, Args: v.Args})
			}
		}
		if res.ExitCode != 0 || len(bytes.TrimSpace(res.Stdout)) == 0 {
			l.fail(p, plan.Failure{Suite: suite, Name: v.Keys, Arm: p.Arms[arm].Name,
				Reason: "listing its benchmarks: " + why(res, output{})}, res)
		}
	}
	return nil
}

func firstPart(name string) string {
	first, _, _ := strings.Cut(name, "/")
	return first
}

// variantName puts a variant's keys behind the first part of a name, in place of those
// that the program itself put into it.
func variantName(call, keys string) string {
	parts := strings.Split(call, "/")
	var own []string
	if keys != "" {
		own = strings.Split(keys, "/")
	}
	rest := slices.DeleteFunc(slices.Clone(parts[1:]), func(part string) bool {
		key, _, ok := strings.Cut(part, "=")
		return ok && slices.ContainsFunc(own, func(o string) bool { return strings.HasPrefix(o, key+"=") })
	})
	return strings.Join(slices.Concat(parts[:1], own, rest), "/")
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
