package exchange

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// Google Benchmark's JSON is defined by its writer, JSONReporter in
// src/json_reporter.cc of github.com/google/benchmark, and described in
// docs/user_guide.md, "Output Formats". It is an object of "context" and
// "benchmarks"; every repetition of a benchmark is an entry of run_type
// "iteration", and entries of run_type "aggregate" sum them up.
//
// Lost in reading: labels, complexity fits, the caches and load of the context,
// and aggregates where there are iterations.

// contextLater is the number of results that wait for a context that comes after them,
// as it does when a tool has sorted the keys. Beyond it they are passed on without.
const contextLater = 4096

// A googleFile is a Google Benchmark file on its way.
type googleFile struct {
	rd         *reading
	config     []benchfmt.Config
	hasContext bool
	cpuRepeats bool   // according to the context, cpu_time only repeats real_time
	debug      bool   // the library is a debug build
	timedBuild string // what the timed code is, where the program says so
	waiting    []*record

	measured  map[string]bool // run names with iterations
	summary   aggregates
	summaries int // benchmarks that are represented by an aggregate
}

func readGoogle(rd *reading, r io.Reader) error {
	s := newJSONStream(r)
	g := &googleFile{rd: rd, measured: map[string]bool{}}
	listed := false
	if err := s.open('{', "Google Benchmark's JSON"); err != nil {
		return err
	}
	err := s.eachKey(func(key string) error {
		switch key {
		case "context":
			return g.context(s)
		case "benchmarks":
			listed = true
			return g.benchmarks(s)
		}
		return s.skip()
	})
	if err != nil && !errors.Is(err, errCut) {
		return err
	}
	if err := errors.Join(g.endSummary(), g.release()); err != nil {
		return err
	}
	if g.summaries > 0 {
		rd.warn("benchmarks", "%d have aggregates only: the median of the repetitions, else the mean, is taken as "+
			"one result", g.summaries)
	}
	if !listed && err == nil {
		return errors.New(`there is no "benchmarks": this is not Google Benchmark's JSON`)
	}
	return err
}

func (g *googleFile) benchmarks(s *jsonStream) error {
	if err := s.open('[', `"benchmarks"`); err != nil {
		return err
	}
	return s.each(func(i int) error {
		where := fmt.Sprintf("line %d (entry %d)", s.line(), i+1)
		var e googleEntry
		bad, err := s.value(&e.fields)
		switch {
		case err != nil:
			return err
		case bad != nil || e.fields == nil:
			g.rd.warn(where, "this is not an object, and is passed over")
			return nil
		}
		e.where = where
		return g.entry(e)
	})
}

func (g *googleFile) entry(e googleEntry) error {
	name, kind := e.identity()
	if name == "" {
		g.rd.warn(e.where, "it has no name, and is passed over")
		return nil
	}
	if kind == otherAggregate {
		return nil
	}
	if name != g.summary.name {
		if err := g.endSummary(); err != nil {
			return err
		}
	}
	if msg, failed := e.failure(); failed {
		g.rd.warn(e.where, "%s was not measured: %s", name, msg)
		return nil
	}
	rec := e.record(g.rd, GoogleName(name))
	if kind != iteration {
		if !g.measured[name] {
			g.summary.hold(name, kind, rec)
		}
		return nil
	}
	g.measured[name] = true
	return g.emit(rec)
}

// endSummary emits the best aggregate of a benchmark as its result.
func (g *googleFile) endSummary() error {
	rec := g.summary.best()
	named := g.summary.name
	g.summary = aggregates{}
	if rec == nil || g.measured[named] {
		return nil
	}
	g.summaries++
	return g.emit(rec)
}

// emit sends rec on, or keeps it until the context is known.
func (g *googleFile) emit(rec *record) error {
	if g.hasContext {
		if g.cpuRepeats {
			rec.res.Values = slices.DeleteFunc(rec.res.Values, func(v benchfmt.Value) bool {
				return v.Unit == cpuUnit+"sec/op"
			})
		}
		rec.res.Config = g.rd.newRecord("", "", g.config).res.Config
		return rec.emit()
	}
	if g.waiting = append(g.waiting, rec); len(g.waiting) < contextLater {
		return nil
	}
	g.rd.warn(rec.where, "the file has no context before so many entries, and they are read without it")
	return g.release()
}

func (g *googleFile) release() error {
	g.hasContext = true
	for _, rec := range g.waiting {
		if err := g.emit(rec); err != nil {
			return err
		}
	}
	g.waiting = nil
	return nil
}

// contextKeys lists the keys of "context" that have another name here. Keys that do not
// describe the measurement, or are no single value, are left out.
var contextKeys = map[string]string{
	"host_name": "machine", "executable": "", "json_schema_version": "", "caches": "", "load_avg": "",
	cpuTimeMeasured: "",
}

func (g *googleFile) context(s *jsonStream) error {
	where := fmt.Sprintf("line %d (context)", s.line())
	if err := s.open('{', `"context"`); err != nil {
		return err
	}
	err := s.eachKey(func(key string) error {
		var v json.RawMessage
		if _, err := s.value(&v); err != nil {
			return err
		}
		to, known := contextKeys[key]
		if !known {
			to = key
		}
		if kind := v[0]; to != "" && kind != '{' && kind != '[' {
			g.configure(config(to, text(v)))
		}
		g.cpuRepeats = g.cpuRepeats || key == cpuTimeMeasured && text(v) == "false"
		switch key {
		case "library_build_type":
			g.debug = strings.EqualFold(text(v), "debug")
		case timedBuildType:
			g.timedBuild = text(v)
		}
		return nil
	})
	g.warnOfDebugging(where)
	return errors.Join(err, g.release())
}

// warnOfDebugging warns of a debug build of what was timed. A program that times its own code
// (its cpu_time only repeats real_time) says what that was built as; the library is not in its
// times, and Debian's says of itself that it is a debug build.
func (g *googleFile) warnOfDebugging(where string) {
	switch {
	case strings.EqualFold(g.timedBuild, "debug"):
		g.rd.warn(where, "what was timed was built without optimisation: its times are too long")
	case g.debug && !g.cpuRepeats && g.timedBuild == "":
		g.rd.warn(where, "the benchmark library was built for debugging: its times are too long")
	}
}

// configure adds what is not there yet: two keys can become one.
func (g *googleFile) configure(add []benchfmt.Config) {
	for _, c := range add {
		if !slices.ContainsFunc(g.config, func(have benchfmt.Config) bool { return have.Key == c.Key }) {
			g.config = append(g.config, c)
		}
	}
}
