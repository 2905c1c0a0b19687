// This part of the package says what a profile of malloc means: how a program uses malloc, in a
// sentence, and which parts of the study malloc say something about this program, with the
// reasons. It is pure.

package mallocprofile

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"memcost/internal/base/units"
	"memcost/internal/malloc/allocator"
)

// A Use is how a program uses malloc.
type Use struct {
	Command []string `json:"command"`
	Ended   string   `json:"ended,omitempty"` // how, unless with status 0: "exit status 1", "killed by SIGSEGV"

	Wall   time.Duration `json:"wall_ns"`
	CPU    time.Duration `json:"cpu_ns"`
	Kernel time.Duration `json:"kernel_ns"` // of the CPU time
	Faults int64         `json:"faults"`
	Calls  uint64        `json:"calls"`                // of all processes
	Rate   float64       `json:"calls_per_cpu_second"` // of all processes

	Processes int     `json:"processes"` // that were counted
	Missing   int     `json:"missing"`   // that were not: there were too many
	Share     float64 `json:"share"`     // of the calls that the process below made

	*Profile `json:"process"`

	Overhead Overhead  `json:"overhead"`
	Headline string    `json:"headline"`
	Findings []Finding `json:"findings"`
}

// A Run is what is known of the run of the program that was profiled.
type Run struct {
	Command   []string
	Ended     string
	Wall, CPU time.Duration
	Kernel    time.Duration // of CPU
	Faults    int64
	Cores     int
	Pool      string // the sentence that it has a pool between itself and malloc; ""
}

// A Finding says whether a part of the study malloc applies to the program.
type Finding struct {
	Part    string  `json:"part"`
	Applies Applies `json:"applies"`
	Says    string  `json:"says"`              // why, in whole sentences
	Command string  `json:"command,omitempty"` // that measures it
}

// Applies is how much a part of the study matters to a program.
type Applies string

// The answers, most first.
const (
	Yes    Applies = "yes"
	Little Applies = "little"
	No     Applies = "no"
)

// Analyse says what the profiles of a program mean. There is at least one profile.
func Analyse(run Run, all Processes) *Use {
	u := &Use{Command: run.Command, Ended: run.Ended, Wall: run.Wall, CPU: run.CPU, Kernel: run.Kernel, Faults: run.Faults,
		Processes: len(all.Profiles), Missing: all.Missing, Profile: all.Profiles[0], Share: 1}
	for _, p := range all.Profiles {
		u.Calls += p.AllCalls()
	}
	if u.Calls > 0 {
		u.Share = float64(u.AllCalls()) / float64(u.Calls)
	}
	if s := run.CPU.Seconds(); s > 0 {
		u.Rate = float64(u.Calls) / s
	}
	u.Headline = headline(u)
	u.Findings = findings(u, run)
	return u
}

// headline says how the program uses malloc.
func headline(u *Use) string {
	if u.Allocations() == 0 {
		return "It makes no call of malloc."
	}
	from, to := usualSizes(u.Profile)
	says := fmt.Sprintf("It makes %s calls of malloc and free a CPU second, most for blocks of %s to %s",
		million(u.Rate), units.Bytes(from), units.Bytes(to))
	switch calls := mostFreedWithin(u.Profile, 0.9); {
	case calls > 1:
		says += fmt.Sprintf("; 90%% are freed within %s calls.", units.Thousands(int64(calls)))
	case calls == 1:
		says += "; 90% are freed by the next call."
	default:
		_, living, all := ages(u.Profile)
		says += fmt.Sprintf("; %s are never freed.", percent(usePart(living, all)))
	}
	return says
}

// ofTime are the parts that are about the time of calls: with few calls they matter little.
var ofTime = []string{"sizes", "thread cache", "threads", "arenas"}

// findings are the parts of the study, those that apply first.
func findings(u *Use, run Run) []Finding {
	all := []Finding{rate(u, run.Pool), kernel(u), sizes(u), cacheUse(u), mapping(u), trim(u), threads(u), arenas(u, run.Cores),
		prefault(u)}
	for i, f := range all {
		first, size := utf8.DecodeRuneInString(f.Says)
		all[i].Says = string(unicode.ToUpper(first)) + f.Says[size:]
		if f.Applies == Yes && u.Rate < leastRate && slices.Contains(ofTime, f.Part) {
			all[i].Applies = Little
		}
	}
	order := []Applies{Yes, Little, No}
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Compare(slices.Index(order, a.Applies), slices.Index(order, b.Applies))
	})
	return all
}

// million formats a rate: "9.4 million", "0.03 million", "800".
func million(rate float64) string {
	switch {
	case rate >= 9.95e6:
		return fmt.Sprintf("%.0f million", rate/1e6)
	case rate >= 1e4:
		return units.Brief(rate/1e6, "") + " million"
	}
	return fmt.Sprintf("%.0f", rate)
}

// percent formats a share so that what is not all is never called 100%, nor what is not nothing 0%.
func percent(share float64) string {
	p := 100 * share
	switch {
	case p > 0 && p < 0.1:
		return "under 0.1%"
	case p < 100 && p > 99.9:
		return "over 99.9%"
	case p < 10 && p > 0 || p > 99 && p < 100:
		return fmt.Sprintf("%.1f%%", p)
	}
	return fmt.Sprintf("%.0f%%", p)
}

// between formats a share with its interval: "38% [35, 41]".
func between(share, lo, hi float64) string {
	if hi-lo < 0.005 {
		return percent(share)
	}
	return fmt.Sprintf("%s [%.0f, %.0f]", percent(share), 100*lo, 100*hi)
}

func blocks(n uint64) string {
	if n == 1 {
		return "1 block"
	}
	return units.Thousands(int64(n)) + " blocks"
}

func times(n int64) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return units.Thousands(n) + " times"
}

// Programs that make fewer calls a CPU second cannot gain from another allocator: at 50 ns a
// call, which is slow, malloc takes half a percent of their time.
const leastRate = 0.1e6

// a rate from which an allocator that is faster by a few nanoseconds a call is seen.
const highRate = 1e6

func rate(u *Use, pool string) Finding {
	f := Finding{Part: "allocator", Command: "memcost alloc -- " + units.ShellLine(u.Command)}
	took := fmt.Sprintf("If a call takes 20 ns, as one of a small block does, malloc and free take %s of its CPU time",
		percent(min(u.Rate*20e-9, 1)))
	switch {
	case u.Rate < leastRate:
		f.Applies, f.Command = No, ""
		f.Says = fmt.Sprintf("It makes %s calls a CPU second. Below 0.1 million another allocator saves no time in the calls "+
			"themselves.", million(u.Rate))
	case u.Rate < highRate:
		f.Applies, f.Says = Little, took+"."
	default:
		f.Applies, f.Says = Yes, took+": another allocator may save some of that."
	}
	if pool != "" {
		f.Says += " " + pool
	}
	return f
}

// keeps are settings of glibc under which freed memory stays with the program.
const keeps = "M_MMAP_THRESHOLD=1073741824,M_TRIM_THRESHOLD=2147483647"

// kernel is about memory that is given back to the system and taken again, which costs page faults and system calls,
// and no time in malloc. What the kernel does beside that is in its share, too.
func kernel(u *Use) Finding {
	f := Finding{Part: "kernel"}
	share := usePart(u.Kernel.Seconds(), u.CPU.Seconds())
	least := 2 * u.Peak.Hi / 4096 // the faults of the live bytes, once, and as many of the program's own
	f.Says = fmt.Sprintf("%s of its CPU time is in the kernel, with %s page faults", percent(share), units.Thousands(u.Faults))
	switch {
	case share < 0.1 || u.Faults < few/4096:
		f.Applies = No
		f.Says += ": settings that keep freed memory save little."
	case float64(u.Faults) > least && (u.Turns > 0 || callsFrom(u.Profile, mapped) > 0):
		f.Applies = Yes
		f.Says += fmt.Sprintf(", and %s live at the peak: pages are given back and taken again. Settings that keep them may save "+
			"much of that.", units.Bytes(u.Peak.Value))
		f.Command = "memcost alloc --vary " + keeps + " -- " + units.ShellLine(u.Command)
	default:
		f.Applies = Little
		f.Says += ", about as many as the live bytes need once: huge pages may save some."
		f.Command = "memcost alloc --vary GLIBC_TUNABLES=glibc.malloc.hugetlb=1 -- " + units.ShellLine(u.Command)
	}
	return f
}

func sizes(u *Use) Finding {
	f := Finding{Part: "sizes"}
	if u.Allocations() == 0 {
		f.Applies, f.Says = No, "It allocates nothing."
		return f
	}
	from, to := usualSizes(u.Profile)
	f.Applies = Yes
	f.Says = fmt.Sprintf("Most of its blocks have %s to %s: these rows of the study are its own.", units.Bytes(from),
		units.Bytes(to))
	if u.Usable > 1.1 {
		f.Says += fmt.Sprintf(" The allocator gives %s times the bytes that it asks for.", units.Brief(u.Usable, ""))
	}
	f.Command = fmt.Sprintf("memcost run malloc --full -b 'Malloc/./default/malloc_free/size=(%s)$'",
		strings.Join(studied(from, to), "|"))
	return f
}

// studied are sizes of the study in a range, five at most.
func studied(from, to uint64) []string {
	first, last := max(from, 8), min(max(to, 8), 1<<30)
	powers := bits.Len64(last / first)
	var out []string
	for i := 0; i < powers; i += (powers + 4) / 5 {
		out = append(out, fmt.Sprint(first<<i))
	}
	return out
}

// cache is about the blocks that each thread of glibc keeps when they are freed.
func cacheUse(u *Use) Finding {
	f := Finding{Part: "thread cache"}
	small := 1 - usePart(float64(callsFrom(u.Profile, cached)), float64(u.Allocations()))
	soon := freedWithin(u.Profile, 64)
	f.Says = fmt.Sprintf("%s of its blocks are below 1 KiB, and %s are freed within 64 calls", percent(small),
		percent(soon))
	switch {
	case u.Allocations() == 0:
		f.Applies, f.Says = No, "It allocates nothing."
	case small > 0.5 && soon > 0.5:
		f.Applies = Yes
		f.Says += ": glibc.malloc.tcache_count decides how many are kept for the next call."
		f.Command = "memcost run malloc --full -b 'Malloc/glibc/(default|no-tcache)/malloc_free'"
	case small > 0.5 && soon > 0.05:
		f.Applies = Little
		f.Says += "; glibc.malloc.tcache_count=127 keeps more than the 7 of each size by default."
	default:
		f.Applies = No
		f.Says += ": what a thread keeps for its next calls is seldom used."
	}
	return f
}

// few are the bytes whose page faults do not count: 256 pages.
const few = 1 << 20

func mapping(u *Use) Finding {
	f := Finding{Part: "mmap threshold"}
	calls := callsFrom(u.Profile, mapped)
	share := usePart(float64(calls), float64(u.Allocations()))
	bytes := usePart(bytesFrom(u.Profile, mapped), float64(u.Bytes))
	if calls == 0 {
		f.Applies, f.Says = No, "All of its blocks are below 128 KiB: M_MMAP_THRESHOLD changes nothing by default."
		return f
	}
	f.Applies = Little
	f.Says = fmt.Sprintf("%s of its blocks are below 128 KiB: M_MMAP_THRESHOLD matters for %s (%s of the bytes).",
		percent(1-share), blocks(calls), percent(min(bytes, 1)))
	if perSecond := float64(calls) / max(u.CPU.Seconds(), 1e-3); calls >= 100 && (perSecond >= 100 || bytes >= 0.1) {
		f.Applies = Yes
		f.Command = "memcost run malloc -b 'Malloc/glibc/./malloc_free/size=(262144|1048576|16777216|33554432)$'"
	}
	if huge := callsFrom(u.Profile, largest); huge > 0 {
		f.Says += fmt.Sprintf(" %s of 32 MiB and more are mapped and unmapped each time.", blocks(huge))
	} else if someFreed(u.Groups[len(u.Groups)-1]) {
		f.Says += " The first one that is freed raises the threshold, unless M_MMAP_THRESHOLD is set."
	}
	return f
}

func trim(u *Use) Finding {
	f := Finding{Part: "trim"}
	if u.Turns == 0 {
		f.Applies = No
		f.Says = "Its live bytes never fell by a quarter of their peak and rose again: M_TRIM_THRESHOLD and " +
			"M_TOP_PAD decide little."
		return f
	}
	f.Applies = Yes
	f.Says = fmt.Sprintf("Its live bytes fell by %s on average and rose again, %s: M_TRIM_THRESHOLD decides whether "+
		"the pages go back to the system in between.", units.Bytes(u.Turned), times(u.Turns))
	f.Command = "memcost run malloc --vary M_TRIM_THRESHOLD=268435456 -b 'Malloc/././(malloc_free|walk)'"
	return f
}

func prefault(u *Use) Finding {
	f := Finding{Part: "prefault", Command: "memcost malloc latency --rt 20us"}
	pages := u.Peak.Value / 4096
	f.Says = fmt.Sprintf("%s live at the peak: about %s page faults at first touch, of %s in the whole run. "+
		"Prefaulting takes them at the start, for code with a time limit.", units.Bytes(u.Peak.Value),
		units.Thousands(int64(pages)), units.Thousands(u.Faults))
	switch {
	case u.Peak.Hi < few || u.Peak.Lo < few/2:
		f.Applies, f.Command = No, ""
		f.Says = fmt.Sprintf("At most %s live at the peak: too little for page faults to count.",
			units.Bytes(u.Peak.Hi))
	case u.Turns > 0:
		f.Applies = Yes
	default:
		f.Applies = Little
	}
	return f
}

func threads(u *Use) Finding {
	f := Finding{Part: "threads", Command: "memcost malloc latency"}
	switch foreign := u.Foreign; {
	case u.Threads.Started < 2:
		f.Applies, f.Command = No, ""
		f.Says = "One thread calls malloc: how malloc scales with threads says nothing about it."
	case foreign.Lo >= 0.05:
		f.Applies = Yes
		f.Says = fmt.Sprintf("%s of its blocks are freed by another thread than their own: its threads are like "+
			"the producers and consumers of the study.", between(foreign.Value, foreign.Lo, foreign.Hi))
	case u.Threads.Busiest > 0.95:
		f.Applies = Little
		f.Says = fmt.Sprintf("%s called malloc, but one of them made %s of the calls.",
			units.Plural(u.Threads.Started, "thread"), percent(u.Threads.Busiest))
	default:
		f.Applies = Yes
		f.Says = fmt.Sprintf("%s called malloc, %d at once, and free their own blocks: the private threads of the "+
			"study are like them.", units.Plural(u.Threads.Started, "thread"), u.Threads.AtOnce)
	}
	return f
}

func arenas(u *Use, cores int) Finding {
	f := Finding{Part: "arenas"}
	if u.Threads.AtOnce < 2 {
		f.Applies, f.Says = No, "One thread at a time calls malloc: it has one arena, whatever M_ARENA_MAX is."
		return f
	}
	most := min(int(u.Threads.AtOnce), 8*cores)
	f.Applies = Little
	if u.Threads.Busiest < 0.95 {
		f.Applies = Yes
	}
	f.Says = fmt.Sprintf("%d threads at once have up to %d arenas here. M_ARENA_MAX=1 makes them share one: less "+
		"memory, more waiting.", u.Threads.AtOnce, most)
	f.Command = "memcost malloc latency --vary M_ARENA_MAX=1"
	return f
}

// WhyNot says why a library counts nothing in a program, as their files show; "" where nothing
// speaks against it.
func WhyNot(library, program string) string {
	p, err := allocator.Read(program)
	if errors.Is(err, allocator.ErrNotELF) {
		return program + " is no program itself: what runs it is counted, if it can be"
	}
	if err != nil {
		return err.Error()
	}
	switch {
	case p.Static() && p.Pool != nil && p.Pool.Of == "Go":
		return program + " is a Go program without C code: its memory comes from Go's own allocator " +
			"(memcost why says from where)"
	case p.Static():
		return program + " is linked statically: nothing is loaded into it"
	case p.Secure != "":
		return fmt.Sprintf("%s ignores LD_PRELOAD: %s", program, p.Secure)
	case p.Malloc:
		return program + " has an allocator linked in as malloc, which comes before anything that is preloaded"
	case p.Musl():
		return program + " is linked with musl, and the library with the GNU C library"
	}
	l, err := allocator.Read(library)
	if err != nil {
		return err.Error()
	}
	return l.Fits(p)
}

// PoolOf says that a program has a pool between itself and malloc; "" where none is known.
func PoolOf(program string) string {
	p, err := allocator.Read(program)
	if err != nil || p.Pool == nil {
		return ""
	}
	says := p.Pool.Of + " has a pool of its own: malloc serves only what the pool asks for"
	if p.Pool.Advice != "" {
		says += "; " + p.Pool.Advice
	}
	return says + "."
}

// mapped is the size from which glibc maps a block on its own, until a freed one raises the
// threshold, to largest at most.
const (
	mapped  = 128 << 10
	largest = 32 << 20
	cached  = 1024 // up to about this size glibc's threads keep freed blocks of their own
)

// callsFrom returns how many of the allocations ask for at least so many bytes, which is the
// beginning of a class of sizes.
func callsFrom(p *Profile, bytes uint64) (calls uint64) {
	for _, s := range p.Sizes {
		if s.From >= bytes {
			calls += s.Calls
		}
	}
	return calls
}

// bytesFrom returns about how many bytes these ask for: the middle of each class stands for it.
func bytesFrom(p *Profile, bytes uint64) (sum float64) {
	for _, s := range p.Sizes {
		if s.From >= bytes {
			sum += float64(s.Calls) * float64(s.From+s.To-1) / 2
		}
	}
	return sum
}

// part is a share of a whole, 0 of nothing.
func usePart(of, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return of / whole
}

// usualSizes are the powers of two between which all but the smallest and the largest 5% of the
// blocks lie.
func usualSizes(p *Profile) (from, to uint64) {
	all, seen := p.Allocations(), uint64(0)
	if all == 0 {
		return 0, 0
	}
	from = 1
	started := false
	for _, s := range p.Sizes {
		seen += s.Calls
		if !started && float64(seen) > 0.05*float64(all) {
			from, started = powerBelow(s.From), true
		}
		if float64(seen) >= 0.95*float64(all) {
			return from, powerAbove(s.To)
		}
	}
	return from, from * 2
}

// powerBelow and powerAbove return the nearest powers of two; there is one below 0, too.
// powerBelow and powerAbove are the powers of two next to a number, or the number itself.
func powerBelow(n uint64) uint64 { return 1 << max(bits.Len64(n)-1, 0) }

func powerAbove(n uint64) uint64 { return 1 << bits.Len64(max(n, 1)-1) }

// ages adds up the lifetimes of all sizes.
func ages(p *Profile) (by map[uint64]float64, living, all float64) {
	by = map[uint64]float64{}
	for i := range p.Groups {
		for _, a := range p.Groups[i].Ages {
			by[a.From] += a.Blocks.Value
		}
		living += p.Groups[i].Living.Value
		all += p.Groups[i].Blocks()
	}
	return by, living, all
}

// freedWithin is the share of the blocks that live for fewer calls than a power of two.
func freedWithin(p *Profile, calls uint64) float64 {
	by, _, all := ages(p)
	sum := 0.0
	for from, n := range by {
		if from < calls {
			sum += n
		}
	}
	return usePart(sum, all)
}

// mostFreedWithin is the smallest power of two of calls within which a share of the blocks is
// freed; 0 where so many are never freed.
func mostFreedWithin(p *Profile, share float64) uint64 {
	for calls := uint64(1); calls < 1<<40; calls *= 2 {
		if freedWithin(p, calls) >= share {
			return calls
		}
	}
	return 0
}

// someFreed reports whether blocks of a group are known to be freed.
func someFreed(g Group) bool { return len(g.Ages) > 0 }
