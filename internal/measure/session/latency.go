package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/proc"
	"memcost/internal/malloc/allocator"
	"memcost/internal/malloc/latency"
	"memcost/internal/study/language"
)

// A latencySearch runs malloc_bench in its other modes: the slowest calls with their
// causes, threads, and memory, under each setting.
type latencySearch struct {
	*record
	vary    []string // settings of the user's
	program string
	options latency.Options
	done    map[string]bool // processes whose records are in the run folder
}

// processKey is the configuration key of a record that names its process.
const processKey = "process"

func (s *latencySearch) found() int { return len(s.done) }

func (s *latencySearch) add(r *benchfmt.Result) error {
	if p := r.GetConfig(processKey); p != "" {
		s.done[p] = true
	}
	return nil
}

// prepare builds the program and chooses the settings, which are in the run folder from
// then on.
func (s *latencySearch) prepare(ctx context.Context) error {
	q := s.Question
	o := &q.Plan.Options
	own, err := Study(studyOf(Latency))
	if err != nil {
		return err
	}
	s.options = latency.Options{Full: o.Profile == Full, Limit: q.Search.Limit, Sizes: sizesOf(own.Latency.Sizes, q.Search.Sizes),
		Use: q.Search.Use}
	if o.Timeout == 0 {
		o.Timeout = time.Minute
		if s.options.Full {
			o.Timeout = 10 * time.Minute
		}
	}
	program, st, err := s.buildMalloc(ctx)
	if err != nil {
		return err
	}
	s.program = program
	x := &q.Plan.Studies[0]
	if len(x.Variants) > 0 {
		return nil // they are in the run folder already
	}
	q.Search.Sizes = nil
	for _, size := range s.options.Sizes {
		q.Search.Sizes = append(q.Search.Sizes, int64(size.Bytes))
	}
	if len(s.vary) > 0 {
		return s.chooseOwn(ctx)
	}
	settings := slices.DeleteFunc(slices.Clone(st.Variants), func(v language.Variant) bool { return v.Preset != "" })
	if !s.options.Full && o.Bench == "" {
		settings = slices.DeleteFunc(slices.Clone(settings), func(v language.Variant) bool {
			_, setting, _ := strings.Cut(v.Keys, "setting=")
			return slices.Contains(own.Latency.Skip, setting)
		})
	}
	if settings, err = namedVariants(settings, o.Bench); err != nil {
		return err
	}
	x.Variants = s.variantsHere(&language.Study{Name: st.Name, Variants: settings, Published: st.Published},
		q.Search.Published)
	return nil
}

// sizesOf returns the sizes that are asked for, those of the study where none are, each with as many operations as the study
// has of the next larger size.
func sizesOf(study []language.LatencySize, asked []int64) (out []language.LatencySize) {
	if len(asked) == 0 {
		return study
	}
	for _, bytes := range asked {
		like := study[len(study)-1]
		for _, s := range slices.Backward(study) {
			if int64(s.Bytes) >= bytes {
				like = s
			}
		}
		like.Bytes = int(bytes)
		out = append(out, like)
	}
	return out
}

// chooseOwn uses the user's settings beside the default one: the study's parameters for
// its own settings apply to these.
func (s *latencySearch) chooseOwn(ctx context.Context) error {
	own, err := allocator.Variants(s.vary)
	if err != nil {
		return err
	}
	t := s.trier(s.program)
	if err := t.Own(ctx, own[1:], func(says string) { s.warn("%s", says) }); err != nil {
		return err
	}
	x := &s.Question.Plan.Studies[0]
	x.Variants, s.Question.Search.Beside = own, allocator.Default
	x.Directives, x.Show = language.WithVariants(x.Directives, x.Show, own)
	return nil
}

func (s *latencySearch) command(v language.Variant, args ...string) proc.Cmd {
	return proc.Cmd{Path: s.program, Args: append(slices.Clone(v.Args), args...), Env: append(slices.Clone(s.Env),
		v.Env...),
		Timeout: s.Question.Plan.Options.Timeout, Limit: 16 << 20}
}

func (s *latencySearch) lines() []string {
	var out []string
	for _, v := range s.Question.Plan.Studies[0].Variants {
		for _, m := range s.options.Modes() {
			out = append(out, s.command(v, m.Args...).String())
		}
	}
	return out
}

// find runs every mode under every setting, but for those that are done.
func (s *latencySearch) find(ctx context.Context) error {
	modes, variants := s.options.Modes(), s.Question.Plan.Studies[0].Variants
	began, done, ran, total := time.Now(), 0, 0, len(variants)*len(modes)
	t := s.trier(s.program)
	for _, v := range variants {
		if f, err := t.Try(ctx, v); err != nil {
			return err
		} else if f.Dead != "" {
			s.leftOut("%s is INVALID: %s", v.Keys, f.Dead)
			done += len(modes)
			continue
		}
		for _, m := range modes {
			done++
			if s.done[m.Process(v)] {
				continue
			}
			left := ""
			if ran > 0 {
				left = timeLeft(began, float64(ran)/float64(ran+total-done+1))
			}
			s.Log.Step(fmt.Sprintf("%s (%d of %d%s)", m.Process(v), done, total, left))
			if err := s.run(ctx, v, m); err != nil {
				return err
			}
			ran++
		}
	}
	return nil
}

// run runs one process and records what it measured; that it failed is a warning.
func (s *latencySearch) run(ctx context.Context, v language.Variant, mode latency.Mode) error {
	const violated = 3 // the real-time limit
	res, err := s.Runner.Run(ctx, s.command(v, mode.Args...))
	if err != nil {
		return err
	}
	var records []*benchfmt.Result
	var warnings []string
	if why := latency.Skipped(res.Stdout); why != "" {
		err = errors.New("not measured: " + why)
	} else if res.ExitCode != violated {
		says := res
		says.Stdout = nil // JSON, which explains nothing
		err = says.Err("running malloc_bench " + mode.Args[0])
	}
	if err == nil {
		records, warnings, err = mode.Records(v, res.Stdout)
	}
	for _, w := range warnings {
		s.warn("%s", w)
	}
	if err != nil {
		s.warn("%s: %v", mode.Process(v), err)
		return s.save()
	}
	s.done[mode.Process(v)] = true
	return s.keep(records, [2]string{"study", s.Question.Plan.Studies[0].Name},
		[2]string{"arm", s.Question.Plan.Sides[0].Name},
		[2]string{processKey, mode.Process(v)})
}
