package exchange

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
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
	err := s.eachKey("Google Benchmark's JSON", func(key string) error {
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
	return entries(s, g.rd, `"benchmarks"`, "", "an object", func(where string, fields map[string]json.RawMessage) error {
		return g.entry(googleEntry{where, fields})
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
	err := s.eachKey(`"context"`, func(key string) error {
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

// A googleEntry is one object of "benchmarks".
type googleEntry struct {
	where  string
	fields map[string]json.RawMessage
}

// entryKind is the kind of an entry.
type entryKind int

const (
	iteration entryKind = iota
	median
	mean
	otherAggregate // spread, complexity: no measurement
)

// maxIterations is the largest number that any int can hold and a float64 holds exactly.
const maxIterations = 1 << 53

// identity returns the name of the benchmark, without that of an aggregate, and the kind
// of entry. Before version 1.5 there was no run_type, and an aggregate was recognised by
// the end of its name.
func (e googleEntry) identity() (name string, kind entryKind) {
	name = text(e.fields["name"])
	aggregate := text(e.fields["aggregate_name"])
	switch text(e.fields["run_type"]) {
	case "iteration":
		return name, iteration
	case "aggregate":
		if run := text(e.fields["run_name"]); run != "" {
			name = run
		}
	default:
		i := strings.LastIndexByte(name, '_')
		if i < 0 || !slices.Contains([]string{"mean", "median", "stddev", "cv", "BigO", "RMS"}, name[i+1:]) {
			return name, iteration
		}
		name, aggregate = name[:i], name[i+1:]
	}
	switch aggregate {
	case "median":
		return name, median
	case "mean":
		return name, mean
	}
	return name, otherAggregate
}

// failure returns why the benchmark was not measured.
func (e googleEntry) failure() (message string, failed bool) {
	switch {
	case text(e.fields["error_occurred"]) == "true":
		message = text(e.fields["error_message"])
	case text(e.fields["skipped"]) == "true":
		message = text(e.fields["skip_message"])
	default:
		return "", false
	}
	if message = strings.Join(strings.Fields(message), " "); message == "" {
		message = "it gives no reason"
	}
	return message, true
}

// record makes a result of the entry. Its counters are sorted by name, as Google
// Benchmark writes them.
func (e googleEntry) record(rd *reading, name string) *record {
	rec := rd.newRecord(e.where, name, nil)
	if n, err := number(e.fields["iterations"]); err == nil && n >= 1 && n < maxIterations {
		rec.res.Iters = int(n)
	}
	scale, known := 1.0, true
	if u := text(e.fields["time_unit"]); u != "" {
		scale, known = nanoseconds[u]
	}
	if known {
		e.add(rec, "real_time", timeUnit("", scale))
		if text(e.fields[cpuTimeMeasured]) != "false" {
			e.add(rec, "cpu_time", timeUnit(cpuUnit, scale))
		}
	} else {
		rd.warn(e.where, "time_unit is %s, and the times are left out", text(e.fields["time_unit"]))
	}
	for _, key := range slices.Sorted(maps.Keys(e.fields)) {
		if raw := e.fields[key]; !entryFields[key] && isCounter(raw) {
			e.add(rec, key, counterUnit(key))
		}
	}
	return rec
}

func (e googleEntry) add(rec *record, key string, u unit) {
	raw, ok := e.fields[key]
	if !ok {
		return
	}
	v, err := number(raw)
	if err != nil {
		rec.rd.warn(rec.where, "%s %v, and is left out", key, err)
		return
	}
	rec.add(v, u)
}

// isCounter reports whether a value is a number, or a string that the jsonFilter made of
// NaN. A null is a counter that some other tool could not write.
func isCounter(raw json.RawMessage) bool {
	switch {
	case raw[0] == '"':
		v, err := number(raw)
		return err == nil && !finite(v)
	case raw[0] == '-' || '0' <= raw[0] && raw[0] <= '9':
		return true
	}
	return string(raw) == "null"
}

// cpuTimeMeasured, when false in an entry or in the context, marks a cpu_time that only
// repeats real_time. It is a field of memcost's own.
const cpuTimeMeasured = "cpu_time_measured"

// timedBuildType, in the context, is what the timed code was built as, "release" or "debug". It
// is a field of memcost's own.
const timedBuildType = "timed_build_type"

// cpuUnit begins the unit of cpu_time.
const cpuUnit = "cpu-"

// entryFields are the fields of an entry that are not counters.
var entryFields = map[string]bool{
	"name": true, "family_index": true, "per_family_instance_index": true, "run_name": true, "run_type": true,
	"repetitions": true, "repetition_index": true, "threads": true, "aggregate_name": true, "aggregate_unit": true,
	"error_occurred": true, "error_message": true, "skipped": true, "skip_message": true, "iterations": true,
	"real_time": true, "cpu_time": true, "time_unit": true, "cpu_coefficient": true, "real_coefficient": true,
	"big_o": true, "rms": true, "label": true, cpuTimeMeasured: true,
}

// googleCounters are the counters that Google Benchmark itself defines
// (SetBytesProcessed, SetItemsProcessed, MemoryManager), by our unit.
var googleCounters = map[string]string{
	"B/sec": "bytes_per_second", "items/sec": "items_per_second", "allocs/op": "allocs_per_iter",
}

func counterUnit(key string) unit {
	for ours, theirs := range googleCounters {
		if key == theirs {
			return unit{base: ours, factor: 1}
		}
	}
	return namedUnit(key)
}

// aggregates holds those of one benchmark, until all of them have been read.
type aggregates struct {
	name         string
	median, mean *record
}

func (a *aggregates) hold(name string, kind entryKind, rec *record) {
	a.name = name
	if kind == median {
		a.median = rec
	} else {
		a.mean = rec
	}
}

func (a *aggregates) best() *record {
	if a.median != nil {
		return a.median
	}
	return a.mean
}

// A googleWriter writes what JSONReporter would have written, as far as tools/compare.py and
// similar tools read it: every sample is a repetition. Keys are sorted. Left out is
// "repetitions", which is not known until the end. Times are nanoseconds.
//
// compare.py requires a cpu_time. Where none was measured it repeats the real_time, and
// memcost's own field cpu_time_measured marks it; a sample without a time is written
// like a benchmark that failed.
type googleWriter struct {
	w        *bufio.Writer
	keys     []string          // of the context, in their order
	context  map[string]string // the file configuration of the first sample; nil before it
	families map[string]googleFamily
	n        int
}

// googleFamily holds the indices by which compare.py sorts.
type googleFamily struct{ index, repetition int }

func (g *googleWriter) write(r *benchfmt.Result) error {
	if err := g.begin(r); err != nil {
		return err
	}
	name := toGoogleName(r.Name.String()) + g.difference(r)
	family, known := g.families[name]
	if !known {
		family.index = len(g.families)
	}
	entry := map[string]any{"name": name, "family_index": family.index, "per_family_instance_index": 0,
		"run_name": name, "run_type": "iteration", "repetition_index": family.repetition, "threads": 1,
		"time_unit": "ns"}
	addTimes(entry, r)
	addCounters(entry, r)
	family.repetition++
	g.families[name] = family
	text, err := encode(entry, "    ")
	if g.n > 0 {
		g.w.WriteString(",\n")
	}
	g.n++
	g.w.WriteString("    " + text)
	return err
}

// begin writes the context, once: the file configuration of the first sample, under Google's names and with a
// number where JSONReporter has one.
func (g *googleWriter) begin(r *benchfmt.Result) error {
	if g.context != nil {
		return nil
	}
	g.keys, g.context = fileConfig(r)
	context := map[string]any{"json_schema_version": 1}
	for key, value := range g.context {
		switch n, err := strconv.Atoi(value); {
		case key == "machine":
			context["host_name"] = value
		case err == nil && (key == "num_cpus" || key == "mhz_per_cpu"):
			context[key] = n
		default:
			context[key] = value
		}
	}
	text, err := encode(context, "  ")
	g.w.WriteString("{\n  \"context\": " + text + ",\n  \"benchmarks\": [\n")
	return err
}

func (g *googleWriter) end() error {
	err := g.begin(&benchfmt.Result{})
	g.w.WriteString("\n  ]\n}\n")
	return err
}

// fileConfig returns the configuration of a sample's file, and its keys in their order.
func fileConfig(r *benchfmt.Result) (keys []string, values map[string]string) {
	values = map[string]string{}
	for _, c := range r.Config {
		if c.File {
			keys = append(keys, c.Key)
			values[c.Key] = string(c.Value)
		}
	}
	return keys, values
}

// difference returns the difference of r's file configuration from the context, as
// arguments of a name.
func (g *googleWriter) difference(r *benchfmt.Result) string {
	keys, values := fileConfig(r)
	further := slices.DeleteFunc(keys, func(key string) bool { return slices.Contains(g.keys, key) })
	out := ""
	for _, key := range slices.Concat(g.keys, further) {
		if is, has := values[key]; !has {
			out += "/" + key + ":none"
		} else if was, had := g.context[key]; !had || was != is {
			out += "/" + key + ":" + oneWord(is)
		}
	}
	return out
}

var realTime, cpuTime = timeUnit("", 1), timeUnit(cpuUnit, 1)

func addTimes(entry map[string]any, r *benchfmt.Result) {
	ns, timed := nanosecondsOf(r, realTime)
	cpu, measured := nanosecondsOf(r, cpuTime)
	iterations := r.Iters
	switch {
	case !timed:
		entry["error_occurred"], entry["error_message"] = true, "no time was measured"
		iterations, ns, cpu = 0, 0, 0
	case !measured:
		entry[cpuTimeMeasured] = false
		cpu = ns
	}
	entry["iterations"], entry["real_time"], entry["cpu_time"] = iterations, ns, cpu
}

// nanosecondsOf returns a time as it was read, if it was read in ns. benchfmt.Reader
// leaves a 0 in ns/op.
func nanosecondsOf(r *benchfmt.Result, u unit) (ns float64, ok bool) {
	for _, v := range r.Values {
		switch {
		case v.Unit == u.base && v.OrigUnit == u.orig:
			ns = v.OrigValue
		case v.Unit == u.base:
			ns = digits(v.Value*1e9, 15)
		case v.Unit == u.orig:
			ns = v.Value
		default:
			continue
		}
		return ns, finite(ns)
	}
	return 0, false
}

// addCounters adds the other values, in base units.
func addCounters(entry map[string]any, r *benchfmt.Result) {
	for _, v := range r.Values {
		switch v.Unit {
		case realTime.base, realTime.orig, cpuTime.base, cpuTime.orig:
			continue
		}
		if !finite(v.Value) {
			continue
		}
		key := v.Unit
		if key == "B/s" { // what benchfmt makes of MB/s
			key = "B/sec"
		}
		key = cmp.Or(googleCounters[key], key)
		for entryFields[key] || entry[key] != nil {
			key += "_"
		}
		entry[key] = v.Value
	}
}
