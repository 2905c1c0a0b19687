// Package latency reads what the program of the study malloc prints of the slowest of
// many calls, of threads and of memory, makes records of it, and judges which settings
// are fit for real time.
//
// A longest call is an observed one, not a bound on future calls.
package latency

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/units"
	"memcost/internal/measure/plan"
	"memcost/internal/study/language"
)

// Options determine which processes are run for each setting.
type Options struct {
	Full  bool
	Limit time.Duration // of one call, for the real-time verdict; 0: no verdict is asked for
	Sizes []language.LatencySize
	Use   *plan.Use // how blocks are used for the verdict; nil: one block at a time
}

// The time of a threads measurement in each profile, in seconds, and what the memory
// measurement allocates, in bytes.
const (
	quickThreadSec = 0.04
	fullThreadSec  = 0.5
	memoryBytes    = 32 << 20
)

// A Mode is one way to run the program.
type Mode struct {
	Args []string // the first names the mode, the second the block size
	// Situation is that in which the setting is judged, where it is another than OneBlock.
	Situation string
}

// Modes returns the ways in which the program is run under each setting.
func (o Options) Modes() []Mode {
	seconds := quickThreadSec
	if o.Full {
		seconds = fullThreadSec
	}
	var out []Mode
	for _, s := range o.Sizes {
		n := s.Quick
		if o.Full {
			n = s.Full
		}
		out = append(out, Mode{Args: o.calls(s.Bytes, n, 1, "pairs"+o.warmup())})
	}
	out = append(out, Mode{Args: []string{"--threads-scaling", "--sizes=64",
		"--seconds=" + strconv.FormatFloat(seconds, 'f', -1, 64), "--pattern=form=gobench"}},
		Mode{Args: []string{"--memory", "--sizes=64", "--operations=" + strconv.Itoa(memoryBytes), "--seconds=0.05",
			"--pattern=form=json"}})
	if o.Limit > 0 && o.Use != nil {
		out = append(out, o.situational()...)
	}
	return out
}

// calls are the arguments that time so many calls of blocks of a size.
func (o Options) calls(bytes, operations, threads int, pattern string) []string {
	args := []string{"--latency", "--sizes=" + strconv.Itoa(bytes), "--operations=" + strconv.Itoa(operations)}
	if threads > 1 {
		args = append(args, "--threads="+strconv.Itoa(threads))
	}
	args = append(args, "--pattern="+pattern+",form=json")
	if o.Limit > 0 {
		args = append(args, "--rt="+strings.Replace(o.Limit.String(), "µ", "u", 1))
	}
	return args
}

// warmup is the word for the untimed calls of one block, where the user chose how many.
func (o Options) warmup() string {
	if o.Use == nil || o.Use.Warmup < 0 {
		return ""
	}
	return ",warmup=" + strconv.FormatInt(o.Use.Warmup, 10)
}

// Of the situations' operations, as multiples of the blocks that are alive: enough to fill a set
// by drawing its places at random (all but 2%), and to have seen each place often.
const (
	toFill = 4
	toWarm = 8
)

// The operations that each situation times at least and at most: a set of two large blocks is
// small, and each of its calls long.
const (
	firstOperations   = 100
	leastFilling      = 8
	mostLive          = 2000
	mostLiveInFull    = 200_000
	fullFirstMultiple = 10
)

// situational returns the processes in which a setting is judged beside that of one block.
func (o Options) situational() (out []Mode) {
	for _, situation := range o.Use.Situations {
		for _, s := range o.Sizes {
			blocks := int(min(max(o.Use.Live/int64(s.Bytes), 2), mostBlocks))
			live := fmt.Sprintf("live,live=%d", blocks*s.Bytes)
			warm := fmt.Sprintf("%s,warmup=%d", live, toWarm*blocks)
			n, first := min(s.Quick, mostLive), firstOperations
			if o.Full {
				n, first = min(s.Full, mostLiveInFull), fullFirstMultiple*firstOperations
			}
			var args []string
			switch situation {
			case FirstUse:
				args = o.calls(s.Bytes, min(first, n), 1, "pairs,warmup=0")
			case Filling:
				args = o.calls(s.Bytes, max(toFill*blocks, leastFilling), 1, live+",warmup=0")
			case LiveSet:
				args = o.calls(s.Bytes, n, 1, warm)
			case Threads:
				args = o.calls(s.Bytes, n, o.Use.Threads, warm)
			default: // OneBlock is measured in any case
				continue
			}
			out = append(out, Mode{Args: args, Situation: situation})
		}
	}
	return out
}

// Process names the process of a mode under a setting, as records do.
func (m Mode) Process(v language.Variant) string {
	name := v.Keys + " " + strings.Join(m.Args[:2], " ")
	if m.Situation != "" {
		name += " " + m.Situation
	}
	return name
}

// Records reads what a process of the mode printed. Warnings are of parts without
// figures; the error is for output that could not be read.
func (m Mode) Records(v language.Variant, stdout []byte) (records []*benchfmt.Result, warnings []string, err error) {
	switch m.Args[0] {
	case "--latency":
		if m.Situation != "" {
			records, err = situationRecords(v, m.Situation, stdout)
			break
		}
		records, err = callRecords(v, stdout)
	case "--memory":
		return memoryRecords(v, stdout)
	default:
		records, err = threadRecords(v, stdout)
	}
	return records, nil, err
}

// The situations in which a setting is judged. A setting that is fit in one can fail in the
// others: blocks that are used for the first time fault, a free list that was warmed up by one
// block has no second one, and a second thread has an arena of its own.
const (
	FirstUse = "first"   // no warm-up, one block alive
	OneBlock = "one"     // after warm-up, one block alive
	Filling  = "filling" // no warm-up, the live set grows and is freed in random order
	LiveSet  = "live"    // after warm-up, the live set is freed and allocated in random order
	Threads  = "threads" // as LiveSet, in several threads
)

// Situations are all situations, in the order in which they are shown.
func Situations() []string { return []string{FirstUse, OneBlock, Filling, LiveSet, Threads} }

// DefaultUse is how blocks are used unless the user says otherwise. A live set of 64 MiB is one
// that no cache of a processor holds.
func DefaultUse() plan.Use {
	return plan.Use{Live: 64 << 20, Threads: 2, Warmup: -1, Situations: Situations()}
}

// SituationName names a situation in a table's header.
func SituationName(s string) string {
	switch s {
	case FirstUse:
		return "first use"
	case OneBlock:
		return "one block"
	case Filling:
		return "live set fills"
	case LiveSet:
		return "live set"
	}
	return s
}

// SituationSays says in words what a program does in a situation.
func SituationSays(s string, u *plan.Use) string {
	alive := "blocks alive, freed in random order"
	if u != nil {
		alive = fmt.Sprintf("up to %s in at most %s %s", units.Bytes(u.Live), units.Thousands(mostBlocks), alive)
	}
	switch s {
	case FirstUse:
		return "no warm-up, one block alive"
	case OneBlock:
		return "after warm-up, one block alive"
	case Filling:
		return "no warm-up, " + alive
	case LiveSet:
		return "after warm-up, " + alive
	case Threads:
		return fmt.Sprintf("as live set, in %d threads", u.Threads)
	}
	return s
}

// mostBlocks is how many blocks a live set has at most: of 64 B, four MiB of them. More take
// longer and show the same.
const mostBlocks = 65_536

// cut takes a record's name apart: a setting (allocator=NAME/setting=NAME), a situation and a
// block size in bytes.
func cut(name string) (setting, situation, size string, ok bool) {
	if keys, of := strings.CutPrefix(name, "RealTime/"); of {
		setting, size, ok = strings.Cut(keys, "/size=")
		return setting, OneBlock, size, ok
	}
	keys, of := strings.CutPrefix(name, "Situation/")
	setting, rest, has := strings.Cut(keys, "/situation=")
	situation, size, ok = strings.Cut(rest, "/size=")
	return setting, situation, size, of && has && ok
}

// Rule returns the condition under which a setting is called fit.
func (r *RealTime) Rule() string {
	return "no page fault, and no call longer than " + r.Limit.String() + " by the allocator's doing"
}

// Notes says, in sentences, what the situations are and what the verdicts do not cover.
func (r *RealTime) Notes() []string {
	var each []string
	for _, s := range r.Situations {
		each = append(each, s.Name+": "+s.Says)
	}
	var named []string
	for _, f := range r.Settings {
		if f.Sets != "" {
			named = append(named, f.Setting+" is "+f.Sets)
		}
	}
	notes := []string{"Situations: " + strings.Join(each, "; ") + "."}
	if len(named) > 0 {
		notes = append(notes, "Settings: "+strings.Join(named, "; ")+".")
	}
	return append(notes,
		"Other sizes, more threads and a larger live set were not tried, and the longest call is the longest one "+
			"observed; it is no upper bound.")
}

// Paste returns what makes a setting of glibc's malloc in a program of one's own: lines of C for
// the beginning of main, in the order that counts (parameters, lock, pool), and what belongs into
// the environment. There is none for the defaults.
func Paste(v language.Variant) (lines []string) {
	for _, e := range v.Env {
		lines = append(lines, "// in the environment of the program: "+e)
	}
	for _, a := range v.Args {
		knobs, ok := strings.CutPrefix(a, "-m")
		if !ok {
			continue
		}
		for k := range strings.SplitSeq(knobs, ",") {
			name, value, _ := strings.Cut(k, "=")
			lines = append(lines, fmt.Sprintf("mallopt(%s, %s); // <malloc.h>", name, value))
		}
	}
	for _, a := range v.Args {
		switch name, value, _ := strings.Cut(a, "="); name {
		case "-L":
			lines = append(lines, "mlockall(MCL_CURRENT | MCL_FUTURE); // <sys/mman.h>; 0 if it was granted")
		case "--thp":
			lines = append(lines, "prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); // <sys/prctl.h>")
		case "--prefault":
			lines = append(lines, fmt.Sprintf("size_t pool = %s;", bytesInC(value)),
				"char *p = malloc(pool); // NULL: less memory is free",
				"for (size_t at = 0; p && at < pool; at += 4096) ((volatile char *)p)[at] = 1;",
				"free(p); // its pages stay")
		}
	}
	return lines
}

// bytesInC returns a size as an expression of C: "256MiB" is "256UL << 20".
func bytesInC(size string) string {
	for _, unit := range []struct {
		suffix string
		shift  int
	}{{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"K", 10}, {"M", 20}, {"G", 30}} {
		if n, ok := strings.CutSuffix(size, unit.suffix); ok {
			return fmt.Sprintf("%sUL << %d", n, unit.shift)
		}
	}
	return size + "UL"
}

// pool returns the bytes that a setting makes resident before anything else.
func pool(v language.Variant) (bytes int64) {
	for _, a := range v.Args {
		if size, ok := strings.CutPrefix(a, "--prefault="); ok {
			bytes, _ = units.ReadBytes(size)
		}
	}
	return bytes
}

// sets returns what a setting of the GNU C library's malloc stands for, as the user would write it.
func sets(v language.Variant) string {
	var words []string
	for _, arg := range v.Args {
		if arg == "-L" {
			arg = "mlockall"
		}
		words = append(words, strings.ReplaceAll(strings.TrimPrefix(arg, "-m"), ",", " "))
	}
	for _, kv := range v.Env {
		if !strings.HasPrefix(kv, "LD_PRELOAD=") {
			words = append(words, kv)
		}
	}
	return strings.Join(words, " ")
}
