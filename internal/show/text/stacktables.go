package text

import (
	"fmt"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/gotool/stacklog"
)

// StackTotals returns the sums of a log, as lines.
func StackTotals(l *stacklog.Log) []string {
	first := units.Plural(l.Grows.N, "growth") + ", " + units.Plural(l.Shrinks.N, "shrink")
	if !l.Trace {
		first += ", " + units.Plural(l.Copied(), "byte") + " copied"
	}
	lines := []string{first + ", largest stack " + units.Bytes(l.Largest),
		fmt.Sprintf("%s allocated (%s; %d reused from freed stacks, %d new), %d freed (%s)",
			units.Plural(l.Allocs.N, "stack"),
			units.Bytes(l.Allocs.Bytes), l.Reused, l.Fresh(), l.Frees.N, units.Bytes(l.Frees.Bytes))}
	if !l.Trace {
		lines = append(lines, fmt.Sprintf("%s; stack caches cleared %s; %d of %d log lines are about stacks",
			units.Plural(l.Preempts, "preemption"), units.Plural(l.CacheClears, "time"), l.Own, l.Lines))
	}
	return lines
}

// StackTables returns the figures of a log; a trace has neither the functions that grew nor what was
// in use.
func StackTables(l *stacklog.Log) []Table {
	all := []Table{growthTable(l), stepTable(l), sizeTable(l), chainTable(l), siteTable(l)}
	if l.Trace {
		for i := range all[:3] {
			all[i] = all[i].first(4)
		}
	}
	return all
}

func growthTable(l *stacklog.Log) Table {
	t := Table{Title: "The first growths and shrinks", Header: []string{"goroutine", "event", "from (B)", "to (B)",
		"in use (B)",
		"function", "caller"},
		Keys: 4, Left: map[int]bool{1: true, 5: true, 6: true}, More: l.Grows.N + l.Shrinks.N +
			l.Moves.N - int64(len(l.Growths))}
	sites := map[[2]uint64]stacklog.Site{}
	for _, s := range l.Sites {
		sites[[2]uint64{s.PC, s.CallerPC}] = s
	}
	for _, e := range l.Growths {
		g, function, caller := fmt.Sprintf("%#x", e.G), "", ""
		if l.Trace {
			g = fmt.Sprint(e.G)
		}
		if e.PC != 0 {
			function, caller = sitePlaces(sites[[2]uint64{e.PC, e.CallerPC}])
		}
		t.add(g, e.Kind.String(), fmt.Sprint(e.From), fmt.Sprint(e.To), fmt.Sprint(e.Used), function, caller)
	}
	return t
}

func stepTable(l *stacklog.Log) Table {
	t := Table{Title: "Growths and shrinks by size", Header: []string{"event", "from (B)", "to (B)", "times",
		"bytes copied",
		"least in use (B)", "most in use (B)"}, Keys: 3}
	for _, s := range l.Steps {
		t.add(s.Kind.String(), fmt.Sprint(s.From), fmt.Sprint(s.To), fmt.Sprint(s.N), fmt.Sprint(s.Used),
			fmt.Sprint(s.UsedMin), fmt.Sprint(s.UsedMax))
	}
	return t
}

func sizeTable(l *stacklog.Log) Table {
	t := Table{Title: "Stacks by size", Header: []string{"size (B)", "allocated", "reused", "freed", "cache refills",
		"cache releases"}}
	for _, s := range l.Sizes {
		t.add(fmt.Sprint(s.Size), fmt.Sprint(s.Allocs), fmt.Sprint(s.Reused), fmt.Sprint(s.Frees),
			fmt.Sprint(s.CacheRefills), fmt.Sprint(s.CacheReleases))
	}
	return t
}

func chainTable(l *stacklog.Log) Table {
	t := Table{Title: "Stack sizes over the life of goroutines", Header: []string{"goroutines", "stack sizes"},
		Left:  map[int]bool{1: true},
		Prose: 1}
	for _, c := range l.Chains {
		t.add(fmt.Sprint(c.N), chain(c))
	}
	return t
}

// chain returns the sizes of a chain with arrows between them.
func chain(c stacklog.Chain) string {
	var sizes []string
	for _, s := range c.Sizes {
		sizes = append(sizes, units.Bytes(s))
	}
	if c.More {
		sizes = append(sizes, "…")
	}
	return strings.Join(sizes, " → ")
}

func siteTable(l *stacklog.Log) Table {
	t := Table{Title: "Growths by function", Header: []string{"growths", "bytes copied", "largest stack", "function",
		"caller"},
		Left: map[int]bool{3: true, 4: true}}
	for _, s := range l.Sites {
		function, caller := sitePlaces(s)
		t.add(fmt.Sprint(s.N), fmt.Sprint(s.Used), units.Bytes(s.To), function, caller)
	}
	return t
}

// sitePlaces returns the function that grew, and where it was called.
func sitePlaces(s stacklog.Site) (function, caller string) {
	place := func(function, file string, line int, pc uint64) string {
		switch {
		case pc == 0:
			return "?"
		case function == "":
			return fmt.Sprintf("%#x", pc)
		}
		return fmt.Sprintf("%s %s:%d", function, file[strings.LastIndexByte(file, '/')+1:], line)
	}
	return place(s.Func, s.File, s.FuncLine, s.PC), place(s.Caller, s.CallerFile, s.CallerLine, s.CallerPC)
}
