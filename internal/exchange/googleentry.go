package exchange

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

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
