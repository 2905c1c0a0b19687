package mallocprofile

import (
	"fmt"

	"memcost/internal/base/units"
)

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
