package latency

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/study/language"
)

// threadRecords reads lines in the Go benchmark format, under the variant's keys.
func threadRecords(v language.Variant, stdout []byte) ([]*benchfmt.Result, error) {
	var out []*benchfmt.Result
	var invalid error
	for r := benchfmt.NewReader(strings.NewReader(string(stdout)), "output"); r.Scan(); {
		if res, ok := r.Result().(*benchfmt.Result); ok && !strings.HasPrefix(string(res.Name), "ThreadsFloor") {
			if n, ok := res.Value("nulls"); ok && n > 0 {
				invalid = fmt.Errorf("%s is INVALID: malloc returned NULL %.0f times", res.Name, n)
				continue
			}
			x := res.Clone()
			x.Config = nil
			x.Name = benchfmt.Name(variantName(string(x.Name), v.Keys))
			out = append(out, x)
		}
	}
	if len(out) == 0 {
		return nil, cmp.Or(invalid, errors.New("it printed no figure"))
	}
	return out, nil
}

// variantName puts a variant's keys behind the first part of a name.
func variantName(name, keys string) string {
	first, rest, _ := strings.Cut(name, "/")
	return first + "/" + keys + "/" + rest
}

// record makes a record of a variant.
func record(v language.Variant, name string, values ...benchfmt.Value) *benchfmt.Result {
	return &benchfmt.Result{Name: benchfmt.Name(variantName(name, v.Keys)), Iters: 1, Values: values}
}

// is returns a figure, and lasted a time of so many nanoseconds.
func is[N int64 | float64](unit string, v N) benchfmt.Value {
	return benchfmt.Value{Value: float64(v), Unit: unit}
}

func lasted(unit string, ns float64) benchfmt.Value {
	return benchfmt.Value{Value: ns * 1e-9, Unit: unit + "-sec", OrigValue: ns, OrigUnit: unit + "-ns"}
}

// parse reads the JSON that malloc_bench printed.
func parse(stdout []byte, into any) error {
	if err := json.Unmarshal(stdout, into); err != nil {
		return fmt.Errorf("what it printed cannot be read: %w", err)
	}
	return nil
}

// callsJSON is the part of the output of malloc_bench --latency that is read; see
// study/malloc/src/latency.h.
type callsJSON struct {
	Background background `json:"background"`
	Cells      []cellJSON `json:"cells"`
}

// cellJSON is what it says of one size.
type cellJSON struct {
	Size    int64  `json:"size"`
	Nulls   int64  `json:"nulls"`
	Ops     int64  `json:"operations"` // of each thread
	Threads int64  `json:"threads"`
	Skipped string `json:"skipped"`
	Calls   []struct {
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
			slowCalls
			Causes map[string]int64 `json:"causes"`
		} `json:"slow"`
		Minor int64 `json:"minor_faults"`
		Major int64 `json:"major_faults"`
	} `json:"calls"`
	RT *verdictJSON `json:"rt"`
}

// errNoCells is the error of output without a size.
var errNoCells = errors.New("what it printed cannot be read: it says nothing of any size")

// cells reads what malloc_bench --latency says of each size.
func cells(stdout []byte) (x callsJSON, err error) {
	if err = parse(stdout, &x); err == nil && len(x.Cells) == 0 {
		err = errNoCells
	}
	return x, err
}

// limited adds what is said of the limit to a record of the cell.
func (c cellJSON) limited(r *benchfmt.Result) *benchfmt.Result {
	r.Values = append(r.Values, is("nulls", c.Nulls))
	if c.RT == nil {
		return r
	}
	longest := 0.0
	for _, k := range c.Calls {
		if k.Call == "malloc" || k.Call == "free" {
			longest = max(longest, k.Max)
		}
	}
	c.RT.into(r, c.Ops*max(c.Threads, 1), longest)
	return r
}

// verdictJSON is what the program says of the limit.
type verdictJSON struct {
	Passed bool `json:"passed"` // no operation is late or has a page fault
	// none is by what the allocator, or the kernel for it, does
	Allocator   bool       `json:"passed_allocator"`
	Faults      int64      `json:"faults"` // operations
	Own         int64      `json:"late_own"`
	Machine     int64      `json:"late_machine"`
	Unexplained int64      `json:"late_unexplained"`
	FirstNone   *violation `json:"first_unexplained"`
	First       *violation `json:"first"`
	FirstOwn    *violation `json:"first_own"`
}

// into adds the verdict to a record of so many operations, with the longest call in ns.
func (x *verdictJSON) into(r *benchfmt.Result, operations int64, longest float64) {
	passed := map[bool]float64{true: 1}
	r.Values = append(r.Values, lasted("max", longest), is("rt-passed", passed[x.Passed]), is("late-own", x.Own),
		is("late-machine", x.Machine), is("late-unexplained", x.Unexplained), is("late-suspect", x.Own+x.Unexplained),
		is("fault-operations", x.Faults), is("operations", operations))
	if !x.Allocator || x.Unexplained == 0 { // else it is not known
		r.Values = append(r.Values, is("rt-allocator", passed[x.Allocator]))
	}
	first := cmp.Or(x.FirstOwn, x.First)
	if x.Allocator {
		first = cmp.Or(x.FirstNone, first)
	}
	if first != nil {
		r.SetConfig(noteKey, first.String())
	}
}

// Skipped says why malloc_bench --latency measured nothing, "" where it did or does not say.
func Skipped(stdout []byte) string {
	x, err := cells(stdout)
	if err != nil {
		return ""
	}
	for _, c := range x.Cells {
		if c.Skipped == "" {
			return ""
		}
	}
	return x.Cells[0].Skipped
}

// callRecords reads the records of malloc_bench --latency.
func callRecords(v language.Variant, stdout []byte) ([]*benchfmt.Result, error) {
	x, err := cells(stdout)
	if err != nil {
		return nil, err
	}
	var out []*benchfmt.Result
	add := func(name string, values ...benchfmt.Value) *benchfmt.Result {
		r := record(v, name, values...)
		out = append(out, r)
		return r
	}
	for _, c := range x.Cells {
		faults := int64(0)
		var slow slowCalls // of all kinds but the control
		for _, k := range c.Calls {
			faults += k.Minor + k.Major
			for _, p := range []struct {
				calls int
				ns    float64
			}{{2, k.P50}, {10, k.P90}, {100, k.P99}, {1000, k.P3}, {10_000, k.P4}, {100_000, k.P5}} {
				if p.calls*2 <= k.Count { // else it is the longest, which comes below
					add(fmt.Sprintf("Latency/call=%s/size=%d/calls=%d", k.Call, c.Size, p.calls), lasted("latency", p.ns))
				}
			}
			if k.Count > 0 {
				add(fmt.Sprintf("Latency/call=%s/size=%d/calls=%d", k.Call, c.Size, k.Count), lasted("latency", k.Max))
			}
			r := add(fmt.Sprintf("Longest/call=%s/size=%d", k.Call, c.Size), lasted("max", k.Max))
			r.Values = append(r.Values, k.Slow.values()...)
			if k.Call != "empty" {
				slow.add(k.Slow.slowCalls)
			}
			how := "causes of the slowest calls: " + causes(k.Slow.Causes)
			if stops := x.Background.String(); stops != "" {
				how += "; " + stops
			}
			r.SetConfig("how", how)
		}
		if slow.Slow >= fewSlow {
			add(fmt.Sprintf("SlowCalls/size=%d", c.Size), slow.values()...)
		}
		c.limited(add(fmt.Sprintf("RealTime/size=%d", c.Size), is("faults", faults)))
	}
	return out, nil
}

// situationRecords reads what malloc_bench --latency says of the limit in a situation.
func situationRecords(v language.Variant, situation string, stdout []byte) (out []*benchfmt.Result, err error) {
	x, err := cells(stdout)
	if err != nil {
		return nil, err
	}
	for _, c := range x.Cells {
		if c.Skipped != "" {
			return nil, errors.New(c.Skipped)
		}
		if c.RT == nil {
			continue
		}
		out = append(out, c.limited(record(v, fmt.Sprintf("Situation/situation=%s/size=%d", situation, c.Size))))
	}
	if len(out) == 0 {
		return nil, errors.New("it says nothing of the limit")
	}
	return out, nil
}

// longestUnit is the unit of the longest call of a record.
const longestUnit = "max-sec"

// noteKey is the configuration key of a record that names the first violation of the
// limit.
const noteKey = "note"

// memoryJSON is the part of the output of malloc_bench --memory that is read; see
// study/malloc/src/memory.cpp.
type memoryJSON struct {
	Runs []struct {
		Pattern string  `json:"pattern"`
		Size    int64   `json:"size"`
		Skipped string  `json:"skipped"`
		Invalid string  `json:"invalid"`
		Nulls   float64 `json:"nulls"`
		Live    float64 `json:"peak_live"`
		Peak    float64 `json:"peak_resident"`
		Freed   float64 `json:"freed_resident"`
		Idle    float64 `json:"idle_resident"`
		Ratio   float64 `json:"live_per_resident"`
		Worst   float64 `json:"worst_live_per_resident"`
		Series  []struct {
			At       float64 `json:"at"`
			Live     float64 `json:"live"`
			Resident float64 `json:"resident"`
		} `json:"series"`
	} `json:"runs"`
}

// memorySteps is the number of moments of which a record is kept, up to the idle end.
// Under every allocator the same operations come before a step.
const memorySteps = 25

// memoryRecords reads the records of malloc_bench --memory. A pattern without figures is a
// warning.
func memoryRecords(v language.Variant, stdout []byte) (out []*benchfmt.Result, warnings []string, err error) {
	var x memoryJSON
	if err := parse(stdout, &x); err != nil {
		return nil, nil, err
	}
	first := float64(pool(v)) // malloc_bench counts what is resident beyond it
	for _, r := range x.Runs {
		keys := fmt.Sprintf("pattern=%s/size=%d", r.Pattern, r.Size)
		if why := cmp.Or(r.Skipped, r.Invalid); why != "" {
			warnings = append(warnings, fmt.Sprintf("%s, --memory, %s: not measured: %s", v.Keys, keys, why))
			continue
		}
		values := []benchfmt.Value{is("peak-live-B", r.Live), is("peak-RSS-B", first+r.Peak),
			is("freed-RSS-B", first+r.Freed), is("idle-RSS-B", first+r.Idle), is("nulls", r.Nulls)}
		if first > 0 {
			values = append(values, is("live/RSS", r.Live/(first+r.Peak)))
		} else {
			values = append(values, is("live/RSS", r.Ratio),
				is("worst-live/RSS", r.Worst))
		}
		out = append(out, record(v, "Memory/"+keys, values...))
		for step := 0; step < memorySteps && len(r.Series) > 0; step++ {
			// the first moment is left out: almost nothing is allocated yet
			p := r.Series[(step+1)*(len(r.Series)-1)/memorySteps]
			for _, held := range []struct {
				by    string
				bytes float64
			}{{"allocator", first + p.Resident}, {"program", p.Live}} {
				out = append(out, record(v, fmt.Sprintf("Held/by=%s/%s/step=%d", held.by, keys, step),
					is("held-B", held.bytes), is("at-sec", p.At)))
			}
		}
	}
	if len(out) == 0 {
		return nil, warnings, errors.New("it measured nothing")
	}
	return out, warnings, nil
}

// slowCalls counts those of the longest calls that are truly slow.
type slowCalls struct {
	Slow      float64 `json:"slow"`
	Explained float64 `json:"explained"`  // by a counter or by a control
	Counted   float64 `json:"by_counter"` // by what a counter saw
	Own       float64 `json:"own"`        // slow when repeated, too: the allocator's work
	Misses    float64 `json:"misses"`     // too short for anything but the processor's caches
}

// fewSlow is the number of slow calls from which on shares are shown: below it, one call
// is more than a twentieth.
const fewSlow = 20

func (s *slowCalls) add(t slowCalls) {
	s.Slow += t.Slow
	s.Explained += t.Explained
	s.Counted += t.Counted
	s.Own += t.Own
	s.Misses += t.Misses
}

// values returns the figures, none where no call is slow.
func (s slowCalls) values() []benchfmt.Value {
	if s.Slow == 0 {
		return nil
	}
	return []benchfmt.Value{is("slow-calls", s.Slow), is("caused-share", (s.Explained+s.Own+s.Misses)/s.Slow),
		is("explained-share", s.Explained/s.Slow), is("counted-share", s.Counted/s.Slow)}
}

// A background holds the interruptions of an empty loop that ran beside the calls.
type background struct {
	Seconds     float64 `json:"seconds"` // watched; 0: not at all
	Read        bool    `json:"interrupts_read"`
	Counted     int64   `json:"counted"`     // stops in which a counter moved
	Interrupted int64   `json:"interrupted"` // in which only /proc/interrupts did
	Unseen      int64   `json:"unseen"`      // without a counter that moved
	Longest     float64 `json:"unseen_longest"`
}

// String returns the text for a reader, "" where it has no consequence.
func (b background) String() string {
	if b.Seconds <= 0 || !b.Read {
		return ""
	}
	out := fmt.Sprintf("an empty loop was stopped %d times in %.2g s by what a counter saw, %d by other interrupts, "+
		"%d by nothing that this system saw", b.Counted, b.Seconds, b.Interrupted, b.Unseen)
	if b.Unseen > 0 {
		out += fmt.Sprintf(" (up to %v)", time.Duration(b.Longest))
	}
	return out
}

// A violation is a call that breaks the real-time limit.
type violation struct {
	What  string  `json:"what"` // fault, latency
	Call  string  `json:"call"`
	Index int64   `json:"index"`
	NS    float64 `json:"ns"`
	Cause string  `json:"cause"`
}

func (v *violation) String() string {
	what := map[string]string{"fault": "a page fault", "latency": "too long"}[v.What]
	return fmt.Sprintf("%s in %s at operation %d (%v, %s)", cmp.Or(what, v.What), v.Call, v.Index, time.Duration(v.NS),
		v.Cause)
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
