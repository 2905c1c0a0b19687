package exchange

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// A googleWriter writes what JSONReporter would have written (see google.go), as far as
// tools/compare.py and similar tools read it: every sample is a repetition. Left out is
// "repetitions", which is not known until the end. Times are nanoseconds.
//
// compare.py requires a cpu_time. Where none was measured it repeats the real_time, and
// memcost's own field cpu_time_measured marks it; a sample without a time is written
// like a benchmark that failed.
type googleWriter struct {
	w       *bufio.Writer
	started bool
	context []benchfmt.Config
	entries map[string]*googleFamily // by name
	n       int
}

// googleFamily holds the indices by which compare.py sorts.
type googleFamily struct{ index, repetition int }

func newGoogleWriter(w *bufio.Writer) *googleWriter {
	return &googleWriter{w: w, entries: map[string]*googleFamily{}}
}

func (g *googleWriter) write(r *benchfmt.Result) error {
	if !g.started {
		if err := g.begin(r); err != nil {
			return err
		}
	}
	name := toGoogleName(r.Name.String()) + g.difference(r)
	family := g.entries[name]
	if family == nil {
		family = &googleFamily{index: len(g.entries)}
		g.entries[name] = family
	}
	var o object
	o.add("name", name)
	o.add("family_index", family.index)
	o.add("per_family_instance_index", 0)
	o.add("run_name", name)
	o.add("run_type", "iteration")
	o.add("repetition_index", family.repetition)
	o.add("threads", 1)
	o.times(r)
	o.counters(r)
	family.repetition++
	g.w.WriteString(separator(g.n, "    ", ",\n    "))
	g.n++
	return o.write(g.w, "    ")
}

// begin writes the context: the file configuration of the first sample.
func (g *googleWriter) begin(r *benchfmt.Result) error {
	g.started = true
	var o object
	if r != nil {
		for _, c := range r.Config {
			if c.File {
				g.context = append(g.context, benchfmt.Config{Key: c.Key, Value: slices.Clone(c.Value), File: true})
			}
		}
		for _, c := range g.context {
			o.context(c.Key, string(c.Value))
		}
	}
	o.add("json_schema_version", 1)
	g.w.WriteString("{\n  \"context\": ")
	if err := o.write(g.w, "  "); err != nil {
		return err
	}
	g.w.WriteString(",\n  \"benchmarks\": [\n")
	return nil
}

// context writes one key of the configuration under Google's name, with a
// number where JSONReporter has one.
func (o *object) context(key, value string) {
	if key == "machine" {
		key = "host_name"
	}
	if key == "num_cpus" || key == "mhz_per_cpu" {
		if n, err := strconv.Atoi(value); err == nil {
			o.add(key, n)
			return
		}
	}
	o.add(key, value)
}

func (g *googleWriter) end() error {
	if !g.started {
		if err := g.begin(nil); err != nil {
			return err
		}
	}
	_, err := g.w.WriteString("\n  ]\n}\n")
	return err
}

// difference returns the difference of r's file configuration from the context, as
// arguments of a name.
func (g *googleWriter) difference(r *benchfmt.Result) string {
	var b strings.Builder
	for _, c := range g.context {
		if i, ok := r.ConfigIndex(c.Key); !ok || !r.Config[i].File {
			fmt.Fprintf(&b, "/%s:none", c.Key)
		} else if !bytes.Equal(r.Config[i].Value, c.Value) {
			fmt.Fprintf(&b, "/%s:%s", c.Key, oneWord(string(r.Config[i].Value)))
		}
	}
	for _, c := range r.Config {
		known := slices.ContainsFunc(g.context, func(have benchfmt.Config) bool { return have.Key == c.Key })
		if c.File && !known {
			fmt.Fprintf(&b, "/%s:%s", c.Key, oneWord(string(c.Value)))
		}
	}
	return b.String()
}

var realTime, cpuTime = timeUnit("", 1), timeUnit("cpu-", 1)

func (o *object) times(r *benchfmt.Result) {
	ns, ok := nanosecondsOf(r, realTime)
	if !ok {
		o.add("error_occurred", true)
		o.add("error_message", "no time was measured")
		o.add("iterations", 0)
		o.add("real_time", 0)
		o.add("cpu_time", 0)
		o.add("time_unit", "ns")
		return
	}
	o.add("iterations", r.Iters)
	o.add("real_time", ns)
	cpu, ok := nanosecondsOf(r, cpuTime)
	if !ok {
		cpu = ns
	}
	o.add("cpu_time", cpu)
	o.add("time_unit", "ns")
	if !ok {
		o.add(cpuTimeMeasured, false)
	}
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

// counters writes the other values, in base units.
func (o *object) counters(r *benchfmt.Result) {
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
		if theirs, ok := googleCounters[key]; ok {
			key = theirs
		}
		for o.has(key) || entryFields[key] {
			key += "_"
		}
		o.add(key, v.Value)
	}
}
