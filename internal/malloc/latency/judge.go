package latency

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/units"
	"memcost/internal/measure/plan"
	"memcost/internal/study/language"
)

// RealTime holds which settings are fit for real time, in which situations: those without an
// operation that has a page fault, and without one that is late because of the allocator, or
// the kernel on its behalf. A delay by an interrupt, another process or the host is not counted
// against an allocator. An unexplained delay leaves the setting undecided: an allocator
// that stalls now and then would show the same.
type RealTime struct {
	Limit      time.Duration `json:"limit_ns"` // of one call
	Situations []Situation   `json:"situations"`
	Settings   []Fitness     `json:"settings"`
}

// A Situation is a way in which blocks are used while a setting is judged.
type Situation struct {
	Key  string `json:"key"`  // first, one, filling, live or threads
	Name string `json:"name"` // "first use"
	Says string `json:"says"` // "no warm-up, one block alive"
}

// Fitness is the verdict on one setting, over all sizes.
type Fitness struct {
	Allocator string `json:"allocator"`
	Setting   string `json:"setting"`
	Sets      string `json:"sets,omitempty"`   // what the setting's name stands for
	Beside    bool   `json:"beside,omitempty"` // measured beside the settings that were asked for
	Tally
	In []InSituation `json:"situations"`
	// Sizes are the verdicts by size of block, over all situations, smallest first.
	Sizes []AtSize `json:"sizes,omitempty"`
	// Paste are the lines of C that make the setting, where it breaks the rule in no situation.
	Paste []string `json:"paste,omitempty"`
	// Pool is what the setting makes resident before anything else, in bytes; Peak is the resident
	// memory beyond that at the peak of the memory measurement, which keeps PeakLive bytes of
	// blocks of 64 B alive; 0: not measured.
	Pool     int64   `json:"pool_bytes,omitempty"`
	Peak     float64 `json:"peak_resident_bytes,omitempty"`
	PeakLive float64 `json:"peak_live_bytes,omitempty"`
}

// InSituation is the verdict on a setting in one situation, over all sizes.
type InSituation struct {
	Situation string `json:"situation"`
	Tally
	Longest float64 `json:"longest_sec,omitempty"` // call of malloc or free; 0: not recorded
}

// AtSize is the verdict on a setting for blocks of one size, over all situations.
type AtSize struct {
	Bytes int64 `json:"bytes"`
	Fit   bool  `json:"fit"` // no violation, and no unexplained delay, in any situation
	// Broken reports that an operation breaks the rule; of what is neither fit nor broken it is undecided.
	Broken bool     `json:"broken,omitempty"`
	In     []string `json:"broken_in,omitempty"` // situations, as their keys
}

// A Tally counts the operations of a verdict.
type Tally struct {
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

// Verdict says whether the setting is fit.
func (f Fitness) Verdict() string {
	fit := 0
	for _, s := range f.In {
		if s.Fit {
			fit++
		}
	}
	switch {
	case f.Fit:
		return "fit"
	case f.Violations == 0:
		return "undecided"
	case fit > 0:
		return "in part"
	}
	return "not fit"
}

// At returns the verdict in a situation: "fit", how many of how many operations break the rule,
// "undecided", or "–" where nothing was measured.
func (f Fitness) At(situation string) string {
	i := slices.IndexFunc(f.In, func(s InSituation) bool { return s.Situation == situation })
	switch {
	case i < 0:
		return "–"
	case f.In[i].Fit:
		return "fit"
	case f.In[i].Violations == 0:
		return "undecided"
	}
	return units.Thousands(f.In[i].Violations) + " of " + units.Thousands(f.In[i].Operations)
}

// Longest returns the longest call in seconds of all situations; 0 where none was recorded.
func (f Fitness) Longest() (sec float64) {
	for _, s := range f.In {
		sec = max(sec, s.Longest)
	}
	return sec
}

// LongestCall returns Longest as text.
func (f Fitness) LongestCall() string {
	if sec := f.Longest(); sec > 0 {
		return units.Quantity(sec, "sec/op")
	}
	return units.None
}

// Says is what stands before the lines that make the setting: that it broke the rule nowhere, and
// the memory it costs; "" of a setting without lines.
func (f Fitness) Says() string {
	if len(f.Paste) == 0 {
		return ""
	}
	say := f.Allocator + " with " + f.Setting + " broke the rule in no situation"
	if f.Unexplained > 0 {
		say += fmt.Sprintf(" (%s of %s late, and no cause was found: undecided)", units.Thousands(f.Unexplained),
			units.Plural(int(f.Operations), "operation"))
	}
	switch {
	case f.Pool > 0 && f.Peak > 0:
		say += fmt.Sprintf("; %s are resident from the start, and %s more with %s alive", units.Bytes(f.Pool),
			units.Bytes(f.Peak), units.Bytes(f.PeakLive))
	case f.Peak > 0:
		say += fmt.Sprintf("; up to %s are resident with %s alive", units.Bytes(f.Peak), units.Bytes(f.PeakLive))
	}
	return say + ":"
}

// Broken returns the settings that were asked for and break the limit.
func (r *RealTime) Broken() (names []string) {
	for _, s := range r.Settings {
		if s.Violations > 0 && !s.Beside {
			names = append(names, s.Allocator+" "+s.Setting)
		}
	}
	return names
}

// atSize holds the figures of one record, of a setting at one size in a situation.
type atSize struct {
	setting, situation string // allocator=glibc/setting=default
	bytes              int64
	fit, broken        bool // neither: something is unexplained

	operations, faults, nulls float64
	own, machine, unexplained float64 // late operations, by cause
	longest                   float64
	first                     string // what broke the limit first
}

// A Judge gathers the records of a run and judges its settings.
type Judge struct {
	limit    time.Duration
	settings []language.Variant
	search   plan.Search
	seen     []atSize
	peak     map[string][2]float64 // resident and live bytes, by setting
}

// NewJudge returns a judge of settings, each of which has to be measured at every size of the
// search; of a search without sizes, at every size that any of them is.
func NewJudge(limit time.Duration, settings []language.Variant, search plan.Search) *Judge {
	return &Judge{limit: limit, settings: settings, search: search, peak: map[string][2]float64{}}
}

// Add takes note of a record; one that says nothing of the limit is passed over.
func (j *Judge) Add(r *benchfmt.Result) {
	if keys, ok := strings.CutPrefix(string(r.Name), "Memory/"); ok {
		if setting, pattern, _ := strings.Cut(keys, "/pattern="); strings.HasPrefix(pattern, "grow/") {
			resident, _ := r.Value("peak-RSS-B")
			live, _ := r.Value("peak-live-B")
			j.peak[setting] = [2]float64{resident, live}
		}
		return
	}
	setting, situation, size, ok := cut(string(r.Name))
	if _, judged := r.Value("rt-passed"); !ok || !judged {
		return
	}
	x := atSize{setting: setting, situation: situation, first: r.GetConfig(noteKey)}
	x.bytes, _ = strconv.ParseInt(size, 10, 64)
	for unit, to := range map[string]*float64{"operations": &x.operations, "fault-operations": &x.faults,
		"nulls": &x.nulls, "late-own": &x.own, "late-machine": &x.machine, "late-unexplained": &x.unexplained,
		longestUnit: &x.longest} {
		*to, _ = r.Value(unit)
	}
	fit, known := r.Value("rt-allocator")
	x.fit, x.broken = known && fit == 1, known && fit == 0
	j.seen = append(j.seen, x)
}

// Verdict judges what was added. A setting of which there is no record is left out.
func (j *Judge) Verdict() *RealTime {
	sizes := j.search.Sizes
	for _, x := range j.seen {
		if len(j.search.Sizes) == 0 && !slices.Contains(sizes, x.bytes) {
			sizes = append(sizes, x.bytes)
		}
	}
	out := &RealTime{Limit: j.limit, Situations: j.situations(), Settings: []Fitness{}}
	for _, v := range j.settings {
		if f := j.fitness(v, out.Situations, sizes); f.Operations > 0 {
			out.Settings = append(out.Settings, f)
		}
	}
	return out
}

// situations are those that were asked for: one block alone in searches of before.
func (j *Judge) situations() (out []Situation) {
	for _, key := range Situations() {
		if key == OneBlock || j.search.Use != nil && slices.Contains(j.search.Use.Situations, key) {
			out = append(out, Situation{key, SituationName(key), SituationSays(key, j.search.Use)})
		}
	}
	return out
}

func (j *Judge) fitness(v language.Variant, situations []Situation, sizes []int64) Fitness {
	allocator, setting, _ := strings.Cut(strings.TrimPrefix(v.Keys, "allocator="), "/setting=")
	f := Fitness{Allocator: allocator, Setting: setting, Sets: sets(v), Beside: v.Keys == j.search.Beside,
		Tally: Tally{Fit: true}, Peak: j.peak[v.Keys][0], PeakLive: j.peak[v.Keys][1]}
	if strings.ReplaceAll(f.Sets, " ", "+") == setting { // one of the user's own, as he wrote it
		f.Setting, f.Sets = f.Sets, ""
	}
	measured := true
	for _, s := range situations {
		in := j.inSituation(v.Keys, s.Key, sizes)
		f.In = append(f.In, in)
		f.Operations += in.Operations
		f.Machine += in.Machine
		f.Unexplained += in.Unexplained
		// The note shown is that of a violation, else of what leaves the setting undecided.
		if in.First != "" && (f.First == "" || in.Violations > 0 && f.Violations == 0) {
			f.First = s.Name + ", " + in.First
		}
		f.Violations += in.Violations
		f.Fit = f.Fit && in.Fit
		measured = measured && in.Operations > 0
	}
	for _, bytes := range slices.Sorted(slices.Values(sizes)) {
		f.Sizes = append(f.Sizes, j.atSize(v.Keys, bytes, situations))
	}
	if f.Violations == 0 && measured {
		f.Paste, f.Pool = Paste(v), pool(v)
	}
	f.Peak = max(f.Peak-float64(pool(v)), 0)
	return f
}

// atSize judges the blocks of one size.
func (j *Judge) atSize(keys string, bytes int64, situations []Situation) AtSize {
	at := AtSize{Bytes: bytes, Fit: true}
	for _, s := range situations {
		in := j.inSituation(keys, s.Key, nil, bytes)
		at.Fit = at.Fit && in.Fit && in.Operations > 0
		if in.Violations > 0 {
			at.Broken, at.In = true, append(at.In, s.Key)
		}
	}
	return at
}

// Answer says in a sentence which settings are fit, and of the defaults for which sizes.
func (r *RealTime) Answer() string {
	var fit []string
	for _, s := range r.Settings {
		if s.Fit {
			fit = append(fit, s.named())
		}
	}
	say := "No setting is fit for all sizes and situations that were tried"
	if len(fit) > 0 {
		say = "Fit for all sizes and situations that were tried: " + strings.Join(fit, ", ")
	}
	for _, s := range r.Settings {
		if s.Setting == "default" && s.Allocator == "glibc" && !s.Fit && len(s.Sizes) > 1 {
			say += ". The default settings of glibc: " + s.bySize()
		}
	}
	return say + "."
}

// NotFor lists the sizes at which the setting breaks the rule; "" where there are none.
func (f Fitness) NotFor() string {
	var not []string
	for _, x := range f.Sizes {
		if x.Broken {
			not = append(not, units.Bytes(x.Bytes))
		}
	}
	return strings.Join(not, ", ")
}

func (f Fitness) named() string { return f.Allocator + " " + f.Setting }

// bySize says for which sizes a setting is fit: "fit for blocks of 64 B, 4 KiB; not fit for 32 MiB".
func (f Fitness) bySize() string {
	var fit, not, open []string
	for _, x := range f.Sizes {
		switch size := units.Bytes(x.Bytes); {
		case x.Fit:
			fit = append(fit, size)
		case x.Broken:
			not = append(not, size)
		default:
			open = append(open, size)
		}
	}
	var parts []string
	for _, p := range []struct {
		says  string
		sizes []string
	}{{"fit for blocks of ", fit}, {"not fit for ", not}, {"undecided for ", open}} {
		if len(p.sizes) > 0 {
			parts = append(parts, p.says+strings.Join(p.sizes, ", "))
		}
	}
	return strings.Join(parts, "; ")
}

// inSituation judges a setting in a situation, at all sizes or at one of them; sizes are those that have to be there.
func (j *Judge) inSituation(keys, situation string, sizes []int64, only ...int64) InSituation {
	f, broken := InSituation{Situation: situation, Tally: Tally{Fit: true}}, false
	missing := slices.Clone(sizes)
	for _, x := range j.seen {
		if x.setting != keys || x.situation != situation || len(only) > 0 && !slices.Contains(only, x.bytes) {
			continue
		}
		missing = slices.DeleteFunc(missing, func(bytes int64) bool { return bytes == x.bytes })
		f.Operations += int64(x.operations)
		f.Violations += int64(max(x.faults, x.own, x.nulls))
		f.Machine += int64(x.machine)
		f.Unexplained += int64(x.unexplained)
		f.Longest = max(f.Longest, x.longest)
		if first := x.broken && !broken; first || !x.fit && f.Fit {
			f.First = units.Bytes(x.bytes) + ": " + x.first
		}
		f.Fit, broken = f.Fit && x.fit, broken || x.broken
	}
	if len(missing) > 0 && f.Fit { // a process died: the warnings have the reason
		f.Fit, f.First = false, units.Bytes(missing[0])+": not measured"
	}
	return f
}
