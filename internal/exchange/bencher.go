package exchange

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// The Bencher Metric Format is defined by https://bencher.dev/bmf.json: an
// object of benchmarks, each an object of measures, each {"value",
// "lower_value", "upper_value"}. A measure is named by its slug; the built-in
// ones, with their units, are in lib/bencher_json/src/project/measure/built_in.rs
// of github.com/bencherdev/bencher.
//
// Lost in reading: lower_value and upper_value.

// A measure is the name of one of memcost's units in Bencher.
type measure struct {
	slug string
	unit string  // base unit here
	mult float64 // value there = value here × mult
}

// measures, of which latency (ns), throughput (operations per second) and
// allocated (bytes, of BenchmarkDotNet) are Bencher's own. Bytes per second are
// not given as throughput, whose unit is operations per second.
var measures = []measure{
	{"latency", "sec/op", 1e9},
	{"throughput", "ops/sec", 1},
	{"allocated", "B/op", 1},
	{"allocations", "allocs/op", 1},
	{"byte-throughput", "B/sec", 1},
	{"byte-throughput", "B/s", 1},
	{"item-throughput", "items/sec", 1},
	{"cpu-time", "cpu-sec/op", 1e9},
}

// measureOf returns the measure of a unit; one that is not in the table keeps its base
// unit and takes a slug from its name: peak-RSS-bytes is peak-rss-bytes.
func measureOf(unit string) measure {
	for _, m := range measures {
		if m.unit == unit {
			return m
		}
	}
	slug := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(unit))
	return measure{strings.Trim(slug, "-"), unit, 1}
}

// measureUnit inverts measureOf, as far as the slug allows. A measure may also be given
// by its name: "Latency".
func measureUnit(key string) unit {
	slug := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(key)), " ", "-")
	for _, m := range measures {
		switch {
		case m.slug == slug && m.unit == "sec/op":
			return timeUnit("", 1)
		case m.slug == slug && m.unit == "cpu-sec/op":
			return timeUnit("cpu-", 1)
		case m.slug == slug:
			return unit{base: m.unit, factor: 1}
		}
	}
	return namedUnit(key)
}

type bencherMetric struct {
	Value json.RawMessage `json:"value"`
}

func readBencher(rd *reading, r io.Reader) error {
	s := newJSONStream(r)
	return s.eachKey("the Bencher Metric Format", func(key string) error {
		where := fmt.Sprintf("line %d (%.80q)", s.line(), key)
		var ms map[string]json.RawMessage
		bad, err := s.value(&ms)
		switch {
		case err != nil:
			return err
		case bad != nil || ms == nil:
			rd.warn(where, "this is not an object with measures, and is passed over")
			return nil
		case oneWord(key) == "":
			rd.warn(where, "it has no name, and is passed over")
			return nil
		}
		rec := rd.newRecord(where, benchmarkName(key), nil)
		for _, name := range slices.SortedFunc(maps.Keys(ms), compareMeasures) {
			var metric bencherMetric
			if err := json.Unmarshal(ms[name], &metric); err != nil {
				rd.warn(where, "measure %.80q is not an object with a value, and is left out", name)
				continue
			}
			v, err := number(metric.Value)
			if err != nil {
				rd.warn(where, "measure %.80q %v, and is left out", name, err)
				continue
			}
			rec.add(v, measureUnit(name))
		}
		return rec.emit()
	})
}

// compareMeasures orders them as the table does, and then by name.
func compareMeasures(a, b string) int {
	rank := func(s string) int {
		u := measureUnit(s)
		i := slices.IndexFunc(measures, func(m measure) bool { return m.unit == u.base })
		if i < 0 {
			return len(measures)
		}
		return i
	}
	if d := rank(a) - rank(b); d != 0 {
		return d
	}
	return strings.Compare(a, b)
}
