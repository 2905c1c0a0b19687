package mallocprofile

import (
	"fmt"
	"math/bits"
	"strings"

	"memcost/internal/base/units"
)

// Programs that make fewer calls a CPU second cannot gain from another allocator: at 50 ns a
// call, which is slow, malloc takes half a percent of their time.
const leastRate = 0.1e6

// a rate from which an allocator that is faster by a few nanoseconds a call is seen.
const highRate = 1e6

func rate(u *Use, pool string) Finding {
	f := Finding{Part: "allocator", Command: "memcost alloc -- " + strings.Join(u.Command, " ")}
	took := fmt.Sprintf("If a call takes 20 ns, malloc and free take %s of its CPU time", percent(u.Rate*20e-9))
	switch {
	case u.Rate < leastRate:
		f.Applies, f.Command = No, ""
		f.Says = fmt.Sprintf("It makes %s calls a CPU second. Below 0.1 million another allocator saves no time.",
			million(u.Rate))
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
