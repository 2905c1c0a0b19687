package search

import (
	"fmt"
	"memcost/internal/study/language"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// The causes, which are part of the names of the cases.
const (
	causeTcache    = "tcache"
	causeGrow      = "first-brk"  // the first block makes the heap grow
	causeFirstMmap = "first-mmap" // the first block is mmapped, those after it are not
	causeMmap      = "mmap"       // every block is
	causeTrim      = "trim"
	causeMadvise   = "madvise"
	causeNull      = "null"
	causeHeap      = "heap" // back to the heap
	causeFaults    = "faults"
	causeCalls     = "calls"
	causeCost      = "cost"
)

var mechanisms = map[string]string{
	"tcache": "the thread cache", "heap": "the heap", "brk": "a heap that grows for it (brk)",
	"mmap": "a mapping of its own (mmap)",
}

func place(mechanism string) string {
	if w := mechanisms[mechanism]; w != "" {
		return w
	}
	return mechanism
}

// A change is described by what is known of the process that shows it.
type change struct {
	glibc  bool // malloc is glibc's own
	locked bool // all memory is locked
}

// explain names what changes between two sides, first what matters most.
func (s change) explain(before, after Probe) (cause, what string) {
	a, b := before.signature(s.glibc), after.signature(s.glibc)
	switch {
	case b.null != "":
		return causeNull, s.null(b.null)
	case a.null != "":
		return causeHeap, "malloc succeeds again"
	case a.mechanism != "mmap" && b.mechanism == "mmap":
		return causeMmap, fmt.Sprintf("from %s to a mapping of its own (mmap), every time%s", place(a.mechanism),
			given(b))
	case a.mechanism == "mmap" && b.mechanism != "mmap":
		return causeHeap, "from a mapping of its own back to " + place(b.mechanism)
	case a.mechanism == "tcache" && b.mechanism != "tcache":
		return causeTcache, "from the thread cache to " + place(b.mechanism)
	case a.brk == 0 && b.brk > 0:
		return causeTrim, "the freed block goes back to the system: trim, and the heap grows again (brk) for the " +
			"next one"
	case a.madvise == 0 && b.madvise > 0:
		return causeMadvise, "the freed block's pages go back to the system (madvise)"
	case a.first != "mmap" && b.first == "mmap":
		why := ""
		if s.glibc {
			why = ": its free raised the threshold"
		}
		return causeFirstMmap, fmt.Sprintf("the first block is a mapping of its own (mmap) instead of from %s; "+
			"later ones come from %s%s", place(a.first), place(b.mechanism), why)
	case a.first == "mmap" && b.first != "mmap":
		return causeHeap + "-first", "the first block comes from " + place(b.first) + " instead of a mapping of its own"
	case a.first != "brk" && b.first == "brk":
		return causeGrow, "the first block makes the heap grow (brk)"
	case a.touchFaults != b.touchFaults:
		return causeFaults, faults("the first touch", b.touchFaults)
	case a.mallocFaults != b.mallocFaults:
		return causeFaults, faults("malloc", b.mallocFaults)
	}
	return causeCalls, "the system calls change: " + changes(a, b)
}

func (s change) null(why string) string {
	if s.locked {
		return "malloc fails (" + why + "): all memory is locked, and RLIMIT_MEMLOCK ends there"
	}
	return "malloc fails: " + why
}

func given(b signature) string {
	if b.munmap > 0 {
		return ", which free takes away (munmap)"
	}
	return ""
}

func faults(where string, yes bool) string {
	if yes {
		return where + " faults every time"
	}
	return where + " does not fault any longer"
}

func changes(a, b signature) string {
	var out []string
	for _, c := range []struct {
		name string
		a, b any
	}{
		{"first block", a.first, b.first}, {"then", a.mechanism, b.mechanism}, {"brk", a.brk, b.brk},
		{"mmap", a.mmap, b.mmap},
		{"munmap", a.munmap, b.munmap}, {"madvise", a.madvise, b.madvise}, {"kept", a.kept, b.kept},
	} {
		if c.a != c.b {
			out = append(out, fmt.Sprintf("%s %v to %v", c.name, c.a, c.b))
		}
	}
	return strings.Join(out, ", ")
}

// Study is the name of the study that the records belong to.
const CliffStudy = "malloc/cliffs"

// Results returns the records of a finding in the Go benchmark format: a case
// BenchmarkCliff/SETTING/cause=… for each cliff, one for each prediction without a
// cliff, and last BenchmarkCliffSearch/SETTING, with which the finding is complete.
func (f Finding) Results() []*benchfmt.Result {
	var out []*benchfmt.Result
	for _, c := range f.Cliffs {
		r := f.record("Cliff", "cause="+c.Cause, benchfmt.Value{Value: float64(c.At), Unit: "bytes"},
			benchfmt.Value{Value: float64(c.Below), Unit: "below-bytes"})
		if c.Before.Null == "" && c.After.Null == "" {
			r.Values = append(r.Values, benchfmt.Value{Value: c.Ratio, Unit: "cost-ratio"})
		}
		note := c.Verdict
		if p := c.Prediction; p != nil {
			r.Values = append(r.Values, benchfmt.Value{Value: float64(p.High), Unit: "predicted-bytes"})
			note = fmt.Sprintf("%s: glibc's rules predict %s", c.Verdict, p)
		}
		how := fmt.Sprintf("from %d B on: %s: %s", c.At, c.What, c.After)
		if c.Below > 0 {
			how = fmt.Sprintf("from %d B on: %s: %s; %s", c.At, c.What, c.Before, c.After)
		}
		set(r, "how", how)
		set(r, "note", note)
		out = append(out, r)
	}
	for _, p := range f.Absent {
		r := f.record("Cliff", "cause="+p.Cause, benchfmt.Value{Value: float64(p.High), Unit: "predicted-bytes"})
		set(r, "note", fmt.Sprintf("%s: glibc's rules predict %s, and nothing was found", Differs, p))
		out = append(out, r)
	}
	return append(out, f.search())
}

// search returns the record of how the setting was searched, or why it was not.
func (f Finding) search() *benchfmt.Result {
	r := f.record("CliffSearch", "", benchfmt.Value{Value: float64(len(f.Cliffs)), Unit: "cliffs"},
		benchfmt.Value{Value: float64(f.Probes), Unit: "processes"}, benchfmt.Value{Value: float64(f.Largest),
			Unit: "largest-bytes"})
	if f.Failed != "" {
		r.Values = []benchfmt.Value{{Value: 1, Unit: "failed"}}
		set(r, "failed", f.Failed)
		return r
	}
	set(r, "how", fmt.Sprintf("blocks of up to %d bytes were tried in %d processes; %s, malloc from %s",
		f.Largest, f.Probes, f.Platform, f.Library))
	set(r, "note", strings.Join(f.Notes, "; "))
	return r
}

func (f Finding) record(name, last string, values ...benchfmt.Value) *benchfmt.Result {
	full := name
	for _, part := range []string{f.Setting, last} {
		if part != "" {
			full += "/" + part
		}
	}
	r := &benchfmt.Result{Name: benchfmt.Name(full), Iters: 1, Values: values}
	set(r, "study", CliffStudy)
	return r
}

func set(r *benchfmt.Result, key, value string) {
	if value = strings.Join(strings.Fields(value), " "); value != "" {
		r.Config = append(r.Config, benchfmt.Config{Key: key, Value: []byte(value), File: true})
	}
}

// Done returns the name of the setting whose finding a record completes; not ok for any
// other record, and for that of a search that failed.
func Done(r *benchfmt.Result) (setting string, ok bool) {
	name := string(r.Name)
	if r.GetConfig("failed") != "" {
		return "", false
	}
	if name == "CliffSearch" {
		return "", true
	}
	return strings.CutPrefix(name, "CliffSearch/")
}

func (p Prediction) String() string {
	if p.Low == p.High {
		return fmt.Sprintf("%s from %d B (%s)", p.Cause, p.Low, p.Rule)
	}
	return fmt.Sprintf("%s from between %d and %d B (%s)", p.Cause, p.Low, p.High, p.Rule)
}

// The defaults, from mallopt(3) and glibc 2.36, malloc/malloc.c. On 64-bit systems a
// chunk is the request and 8 bytes, rounded up to 16.
const (
	kib            = 1024
	defaultMmap    = 128 * kib      // DEFAULT_MMAP_THRESHOLD_MIN
	dynamicMost    = 32 * kib * kib // DEFAULT_MMAP_THRESHOLD_MAX
	defaultTrim    = 128 * kib      // DEFAULT_TRIM_THRESHOLD
	defaultPad     = 128 * kib      // DEFAULT_TOP_PAD
	consolidate    = 64 * kib       // FASTBIN_CONSOLIDATION_THRESHOLD: free looks at trimming from here on
	tcacheMost     = 1032           // MAX_TCACHE_SIZE
	header, align  = 8, 16
	hugeTLBTunable = "hugetlb"
)

// knobs are the malloc settings that are in force.
type knobs struct {
	mmap, trim, pad, mmapMax int64
	tcache, tcacheCount      int64
	frozen                   string // the setting that froze the dynamic threshold; "" if none
	unknown                  string // a setting without a documented rule for the sizes
}

// request returns the largest request that a chunk of n bytes serves (n a multiple of
// 16).
func request(n int64) int64 { return n - header }

// smallest returns the smallest request whose chunk has at least n bytes.
func smallest(n int64) int64 {
	n = (n + align - 1) &^ (align - 1)
	return max(1, request(n-align)+1)
}

// readKnobs reads the keys of mallopt and the names of their tunables. Setting any of
// M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_THRESHOLD and M_MMAP_MAX freezes the dynamic
// mmap threshold, even to its default (mallopt(3), malloc.c: no_dyn_threshold).
func readKnobs(set language.Variant) knobs {
	k := knobs{mmap: defaultMmap, trim: defaultTrim, pad: defaultPad, mmapMax: 65536, tcache: tcacheMost,
		tcacheCount: 7}
	for _, a := range set.Args {
		if rest, ok := strings.CutPrefix(a, "-m"); ok {
			for kv := range strings.SplitSeq(rest, ",") {
				key, value, _ := strings.Cut(kv, "=")
				k.set(strings.ToLower(strings.TrimPrefix(key, "M_")), value, key)
			}
		}
	}
	for _, e := range set.Env {
		if rest, ok := strings.CutPrefix(e, "GLIBC_TUNABLES="); ok {
			for kv := range strings.SplitSeq(rest, ":") {
				key, value, _ := strings.Cut(kv, "=")
				name := strings.TrimPrefix(key, "glibc.malloc.")
				k.set(name, value, key)
			}
		}
	}
	return k
}

func (k *knobs) set(name, value, written string) {
	v, err := strconv.ParseInt(value, 0, 64)
	if err != nil {
		return // the program has refused it, or its check found no effect
	}
	var target *int64
	switch name {
	case "mmap_threshold":
		target = &k.mmap
	case "trim_threshold":
		target = &k.trim
	case "top_pad":
		target = &k.pad
	case "mmap_max":
		target = &k.mmapMax
	case "tcache_max":
		k.tcache = v
	case "tcache_count":
		k.tcacheCount = v
	case hugeTLBTunable:
		if v != 0 {
			k.unknown = written
		}
	}
	if target != nil {
		*target, k.frozen = v, written
	}
}

// predict returns the predictions of glibc's rules; none for another malloc.
func predict(set language.Variant, f cliffFacts, mayLock bool) []Prediction {
	k := readKnobs(set)
	if !f.glibc() || k.unknown != "" {
		return nil
	}
	var out []Prediction
	add := func(cause string, low, high int64, rule string, args ...any) {
		out = append(out, Prediction{cause, low, high, fmt.Sprintf(rule, args...)})
	}
	if n := smallest((k.tcache+header+align-1)&^(align-1) + align); k.tcacheCount > 0 && k.tcache > 0 &&
		(k.mmapMax == 0 || n < smallest(k.mmap)) { // a mapping is never cached
		add(causeTcache, n, n, "the thread cache holds blocks of up to %d bytes", k.tcache)
	}
	k.mmaps(add)
	k.trims(add)
	if limit, err := strconv.ParseInt(f.Memlock, 10, 64); err == nil && locked(set) && !mayLock {
		add(causeNull, 1, limit, "locked memory may not exceed RLIMIT_MEMLOCK, %d bytes for the whole process", limit)
	}
	return out
}

// mmaps predicts where blocks become mappings of their own: from the threshold on, for the probe leaves the heap no room
// that a block could be served from without it. Below, the first block of any size makes the heap grow.
func (k knobs) mmaps(add func(string, int64, int64, string, ...any)) {
	n := smallest(k.mmap)
	switch {
	case k.mmapMax == 0:
		return
	case k.frozen != "":
		add(causeMmap, n, n, "M_MMAP_THRESHOLD is %d, frozen by %s", k.mmap, k.frozen)
		return
	}
	add(causeFirstMmap, n, n, "M_MMAP_THRESHOLD begins with 128 KiB, and rises to the size of a mapping that is freed")
	// The mapping is the chunk and 8 bytes, rounded up to a page, and raises the threshold
	// if it is no larger than the cap. The size is compared with its flag bits in it
	// (__libc_free: chunksize_nomask), so that a mapping of 32 MiB is too large already.
	n = smallest(dynamicMost - page)
	add(causeMmap, n, n, "the dynamic threshold rises to 32 MiB at most, and a freed mapping must be smaller to "+
		"raise it")
}

// trims predicts from where on every free gives the top of the heap back: when the top
// has at least 64 KiB and M_TRIM_THRESHOLD, and a page more than M_TOP_PAD, of which the
// next block must not be served. One page either way is what the top had left.
func (k knobs) trims(add func(string, int64, int64, string, ...any)) {
	if k.frozen == "" {
		return // the trim threshold is twice the mmap threshold, and the pad is kept: no trim
	}
	n := max(k.pad, max(consolidate, k.trim)-k.pad)
	if k.mmapMax > 0 && smallest(n) >= smallest(k.mmap) {
		return // such blocks are mappings
	}
	add(causeTrim, max(1, n-page-align), smallest(n)+page,
		"free trims a top of at least 64 KiB and M_TRIM_THRESHOLD=%d to M_TOP_PAD=%d", k.trim, k.pad)
}

// judge puts the predictions beside what was measured.
func judge(f *Finding, predictions []Prediction, from int64) {
	used, most := map[string]bool{}, f.Largest
	for i := range f.Cliffs {
		c := &f.Cliffs[i]
		if c.Cause == causeNull {
			most = min(most, c.Below) // beyond this size malloc fails
		}
		c.Verdict = NotPredicted
		for _, p := range predictions {
			if p.Cause != c.Cause {
				continue
			}
			used[p.Cause] = true
			c.Prediction, c.Verdict = &p, Differs
			if c.Below < p.High && c.At >= p.Low || c.Below == 0 && p.High <= c.At {
				c.Verdict = Agrees
			}
		}
	}
	for _, p := range predictions {
		if !used[p.Cause] && p.High > from && p.High <= most {
			f.Absent = append(f.Absent, p)
		}
	}
}
