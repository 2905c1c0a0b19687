package mallocuse

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"memcost/internal/units"
)

// Programs that make fewer calls a CPU second cannot gain from another allocator: at 50 ns a
// call, which is slow, malloc takes half a percent of their time.
const leastRate = 0.1e6

// a rate from which an allocator that is faster by a few nanoseconds a call is seen.
const highRate = 1e6

// headline says how the program uses malloc.
func headline(u *Use) string {
	if u.Allocations() == 0 {
		return "It makes no call of malloc."
	}
	from, to := usualSizes(u.Profile)
	says := fmt.Sprintf("It makes %s calls of malloc and free a CPU second, most for blocks of %s to %s", million(u.Rate),
		units.Bytes(from), units.Bytes(to))
	switch calls := mostFreedWithin(u.Profile, 0.9); {
	case calls > 0:
		says += fmt.Sprintf("; 90%% are freed within %s.", units.Plural(calls, "call"))
	default:
		_, living, all := ages(u.Profile)
		says += fmt.Sprintf("; %s are never freed.", percent(part(living, all)))
	}
	return says
}

// findings are the parts of the study, those that apply first.
func findings(u *Use, cores int) []Finding {
	all := []Finding{rate(u), sizes(u), cache(u), mapping(u), trim(u), threads(u), arenas(u, cores), prefault(u)}
	order := []Applies{Yes, Little, No}
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Compare(slices.Index(order, a.Applies), slices.Index(order, b.Applies))
	})
	return all
}

func rate(u *Use) Finding {
	f := Finding{Part: "allocator", Command: "memcost alloc -- " + strings.Join(u.Command, " ")}
	took := fmt.Sprintf("If a call takes 20 ns, malloc and free take %s of its CPU time", percent(u.Rate*20e-9))
	switch {
	case u.Rate < leastRate:
		f.Applies, f.Command = No, ""
		f.Says = fmt.Sprintf("It makes %s calls a CPU second. Below 0.1 million another allocator saves no time.",
			million(u.Rate))
		if strings.Contains(u.Program, "python") {
			f.Says += " CPython has a pool of its own: with PYTHONMALLOC=malloc it calls malloc."
		}
	case u.Rate < highRate:
		f.Applies, f.Says = Little, took+"."
	default:
		f.Applies, f.Says = Yes, took+": another allocator may save some of that."
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
	var of []string
	for n := max(from, 8); n <= min(to, 1<<30); n *= 2 {
		of = append(of, fmt.Sprint(n))
	}
	f.Command = fmt.Sprintf("memcost run malloc --full -b 'Malloc/./default/malloc_free/size=(%s)$'", strings.Join(of, "|"))
	return f
}

// cache is about the blocks that each thread of glibc keeps when they are freed.
func cache(u *Use) Finding {
	f := Finding{Part: "thread cache"}
	small := 1 - part(float64(callsFrom(u.Profile, cached)), float64(u.Allocations()))
	soon := freedWithin(u.Profile, 64)
	f.Says = fmt.Sprintf("%s of its blocks are below 1 KiB, and %s are freed within 64 calls", percent(small), percent(soon))
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

func mapping(u *Use) Finding {
	f := Finding{Part: "mmap threshold"}
	calls := callsFrom(u.Profile, mapped)
	share, bytes := part(float64(calls), float64(u.Allocations())), part(bytesFrom(u.Profile, mapped), float64(u.Bytes))
	if calls == 0 {
		f.Applies, f.Says = No, "All of its blocks are below 128 KiB: M_MMAP_THRESHOLD changes nothing by default."
		return f
	}
	f.Applies = Little
	f.Says = fmt.Sprintf("%s of its blocks are below 128 KiB: M_MMAP_THRESHOLD matters for %s (%s of the bytes).",
		percent(1-share), blocks(calls), percent(min(bytes, 1)))
	if perSecond := float64(calls) / max(u.CPU.Seconds(), 1e-3); perSecond >= 100 || bytes >= 0.1 {
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
		f.Says = "Its live bytes never fell by a quarter of their peak and rose again: M_TRIM_THRESHOLD and M_TOP_PAD " +
			"decide little."
		return f
	}
	f.Applies = Yes
	f.Says = fmt.Sprintf("Its live bytes fell by %s on average and rose again, %s: M_TRIM_THRESHOLD decides whether "+
		"the pages go back to the system in between.", units.Bytes(u.Turned), times(u.Turns))
	f.Command = "memcost run malloc --vary M_TRIM_THRESHOLD=268435456 -b 'Malloc/././(malloc_free|walk)'"
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
		f.Says = fmt.Sprintf("%s of its blocks are freed by another thread than their own: its threads are like the "+
			"producers and consumers of the study.", between(foreign.Value, foreign.Lo, foreign.Hi))
	case u.Threads.Busiest > 0.95:
		f.Applies = Little
		f.Says = fmt.Sprintf("%s called malloc, but one of them made %s of the calls.",
			units.Plural(u.Threads.Started, "thread"), percent(u.Threads.Busiest))
	default:
		f.Applies = Yes
		f.Says = fmt.Sprintf("%s called malloc, %d at once, and free their own blocks: the private threads of the study "+
			"are like them.", units.Plural(u.Threads.Started, "thread"), u.Threads.AtOnce)
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
	f.Says = fmt.Sprintf("%d threads at once have up to %d arenas here. M_ARENA_MAX=1 makes them share one: less memory, "+
		"more waiting.", u.Threads.AtOnce, most)
	f.Command = "memcost malloc latency --vary M_ARENA_MAX=1"
	return f
}

func prefault(u *Use) Finding {
	f := Finding{Part: "prefault", Command: "memcost malloc latency --rt 20us"}
	pages := u.Peak.Value / 4096
	f.Says = fmt.Sprintf("%s live at the peak: about %s page faults at first touch, of %s in the whole run. Prefaulting "+
		"takes them at the start, for code with a time limit.", units.Bytes(u.Peak.Value), units.Thousands(int64(pages)),
		units.Thousands(u.Faults))
	switch {
	case u.Peak.Hi < few || u.Peak.Lo < few/2:
		f.Applies, f.Command = No, ""
		f.Says = fmt.Sprintf("At most %s live at the peak: too little for page faults to count.", units.Bytes(u.Peak.Hi))
	case u.Turns > 0:
		f.Applies = Yes
	default:
		f.Applies = Little
	}
	return f
}

// few are the bytes whose page faults do not count: 256 pages.
const few = 1 << 20
