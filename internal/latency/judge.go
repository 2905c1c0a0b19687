package latency

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/units"
)

// noteKey is the configuration key of a record that names the first violation of the
// limit.
const noteKey = "note"

// RealTime holds which settings are fit for real time: those without an operation that
// has a page fault, and without one that is late because of the allocator, or the kernel
// on its behalf. A delay by an interrupt, another process or the host is not counted
// against an allocator. An unexplained delay leaves the setting undecided: an allocator
// that stalls now and then would show the same. What is called fit was seen under
// Condition only.
type RealTime struct {
	Limit     time.Duration `json:"limit_ns"` // of one call
	Condition string        `json:"condition"`
	Settings  []Fitness     `json:"settings"`
}

// Condition is what the calls that are judged have in common: each size has untimed calls
// before the first timed one (a tenth of the operations, at most a thousand), and an operation
// frees its block before the next one begins. First use is another thing (under the recipe rt
// a first block of 32 MiB takes 8,196 page faults, and 10,000 live blocks of 4 KiB take
// 2,384), so that the condition stands wherever the word "fit" does.
const Condition = "after warm-up, one block alive"

// Fitness is the verdict on one setting, over all sizes.
type Fitness struct {
	Allocator  string `json:"allocator"`
	Setting    string `json:"setting"`
	Fit        bool   `json:"fit"`        // no violation, and no unexplained delay
	Violations int64  `json:"violations"` // operations that break the rule
	Operations int64  `json:"operations"`
	First      string `json:"first,omitempty"` // the first violation, and its size
	// Machine counts the operations that an interrupt, another process or the host
	// delayed.
	Machine int64 `json:"late_by_machine"`
	// Unexplained counts the late operations without a known cause: with no violation
	// they leave it undecided whether the setting is fit.
	Unexplained int64 `json:"late_unexplained"`
}

// Verdict says whether the setting is fit, and under which condition.
func (f Fitness) Verdict() string {
	switch {
	case f.Fit:
		return "fit " + Condition
	case f.Violations == 0:
		return "undecided"
	}
	return "not fit"
}

// Rule returns the condition under which a setting is called fit.
func (r *RealTime) Rule() string {
	return "no page fault, and no call longer than " + r.Limit.String() + " by the allocator's doing; " + r.Condition
}

// Limits says, in sentences, what the verdicts do not cover.
func (r *RealTime) Limits() []string {
	return []string{"A setting was tried " + r.Condition + ": the verdict says nothing of the first use of a block, " +
		"nor of many live ones.",
		"The longest call is the longest one observed; it is no upper bound."}
}

// Broken counts the settings that break the limit.
func (r *RealTime) Broken() int {
	n := 0
	for _, s := range r.Settings {
		if s.Violations > 0 {
			n++
		}
	}
	return n
}

// atSize holds the figures of one record, of a setting at one size.
type atSize struct {
	setting     string // allocator=glibc/setting=default
	bytes       int64
	fit, broken bool // neither: something is unexplained

	operations, faults, nulls float64
	own, machine, unexplained float64 // late operations, by cause
	first                     string  // what broke the limit first
}

// A Judge gathers the records of a run and judges its settings.
type Judge struct {
	limit    time.Duration
	settings []string
	sizes    []int64
	seen     []atSize
}

// NewJudge returns a judge of settings (allocator=NAME/setting=NAME), each of which has to
// be measured at every size, in bytes; without sizes, at every size that any of them is.
func NewJudge(limit time.Duration, settings []string, sizes []int64) *Judge {
	return &Judge{limit: limit, settings: settings, sizes: sizes}
}

// Add takes note of a record; one that is not of the real-time limit is passed over.
func (j *Judge) Add(r *benchfmt.Result) {
	keys, ok := strings.CutPrefix(string(r.Name), "RealTime/")
	if _, judged := r.Value("rt-passed"); !ok || !judged {
		return
	}
	setting, size, _ := strings.Cut(keys, "/size=")
	x := atSize{setting: setting, first: r.GetConfig(noteKey)}
	x.bytes, _ = strconv.ParseInt(size, 10, 64)
	for unit, to := range map[string]*float64{"operations": &x.operations, "fault-operations": &x.faults,
		"nulls": &x.nulls, "late-own": &x.own, "late-machine": &x.machine, "late-unexplained": &x.unexplained} {
		*to, _ = r.Value(unit)
	}
	fit, known := r.Value("rt-allocator")
	x.fit, x.broken = known && fit == 1, known && fit == 0
	j.seen = append(j.seen, x)
}

// Verdict judges what was added. A setting of which there is no record is left out.
func (j *Judge) Verdict() *RealTime {
	sizes := j.sizes
	if len(sizes) == 0 {
		for _, x := range j.seen {
			if !slices.Contains(sizes, x.bytes) {
				sizes = append(sizes, x.bytes)
			}
		}
	}
	out := &RealTime{Limit: j.limit, Condition: Condition, Settings: []Fitness{}}
	for _, setting := range j.settings {
		if f := j.fitness(setting, sizes); f.Operations > 0 {
			out.Settings = append(out.Settings, f)
		}
	}
	return out
}

func (j *Judge) fitness(keys string, sizes []int64) Fitness {
	allocator, setting, _ := strings.Cut(strings.TrimPrefix(keys, "allocator="), "/setting=")
	f, broken := Fitness{Allocator: allocator, Setting: setting, Fit: true}, false
	missing := slices.Clone(sizes)
	for _, x := range j.seen {
		if x.setting != keys {
			continue
		}
		missing = slices.DeleteFunc(missing, func(bytes int64) bool { return bytes == x.bytes })
		f.Operations += int64(x.operations)
		f.Violations += int64(max(x.faults, x.own, x.nulls))
		f.Machine += int64(x.machine)
		f.Unexplained += int64(x.unexplained)
		// The note shown is that of a violation, else of what leaves the setting
		// undecided.
		if first := x.broken && !broken; first || !x.fit && f.Fit {
			f.First = units.Quantity(float64(x.bytes), "B/op") + ": " + x.first
		}
		f.Fit, broken = f.Fit && x.fit, broken || x.broken
	}
	if len(missing) > 0 && f.Fit { // a process died: the warnings have the reason
		f.Fit, f.First = false, units.Quantity(float64(missing[0]), "B/op")+": not measured"
	}
	return f
}
