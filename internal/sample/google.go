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
func (h googleBenchmark) calibrate(ctx context.Context, l *Lab, p *plan.Plan, c *plan.Case) error {
	sample := p.SampleOf(c.Suite)
	c.N = 0
	r, start, err := l.calibrationRun(ctx, h, p, *c, "1x")
	if r == nil || err != nil {
		return err
	}
	n := int64(1)
	for {
		want := iterations(sample, max(secPerOp(r), 1e-10))
		if want <= 2*n {
			c.N = min(n, want)
			break
		}
		n = min(want, 1000*n)
		var used time.Duration
		if r, used, err = l.calibrationRun(ctx, h, p, *c, fmt.Sprintf("%dx", n)); r == nil || err != nil {
			return err
		}
		if whole := used - start; whole > 2*sample {
			long := n
			n = max(int64(float64(n)*sample.Seconds()/whole.Seconds()), 1)
			// Work that grows with the iterations takes far less at n than in proportion.
			for range calibrationSteps {
				if r, used, err = l.calibrationRun(ctx, h, p, *c, fmt.Sprintf("%dx", n)); r == nil || err != nil {
					return err
				}
				if used-start >= sample/4 || 2*n >= long {
					break
				}
				n = int64(math.Sqrt(float64(n) * float64(long)))
			}
			c.N = n
			break
		}
	}
	c.Estimate = secPerOp(r) // Short stays 0: the first rounds see if it depends on N
	return nil
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
