package mallocprofile

import (
	"fmt"

	"memcost/internal/base/units"
)

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
