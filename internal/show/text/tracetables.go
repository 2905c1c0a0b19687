package text

import (
	"fmt"
	"strings"
	"time"

	"memcost/internal/base/units"
	"memcost/internal/gotool/exectrace"
)

// collectionsShown is how many collections a picture's table has: the longest.
const collectionsShown = 20

// TraceTables returns the figures of the picture of a trace: the collections with their pauses, the
// longest by start, and where the processors' time went, as Trace has it.
func TraceTables(t *exectrace.Trace) []Table {
	var tables []Table
	if t.GC.N > 0 {
		tables = append(tables, collections(t))
	}
	procs := Table{Title: "CPU time by kind", Header: []string{"kind", "total", "share"}}
	for _, r := range procRows(t) {
		procs.add(r...)
	}
	return append(tables, procs)
}

func collections(t *exectrace.Trace) Table {
	c := Table{Title: "GC cycles", Header: []string{"start", "mark phase", "pauses"}}
	if t.GC.N > collectionsShown {
		c.Title = fmt.Sprintf("The %d longest of %s GC cycles", collectionsShown, units.Thousands(t.GC.N))
	}
	for _, left := range t.Left {
		if left.Kind == exectrace.GCStop {
			c.Title += fmt.Sprintf("; the shortest %s pauses are left out", units.Thousands(left.N))
		}
	}
	for _, cycle := range t.GC.Longest(collectionsShown) {
		start, marking := cycleTimes(cycle)
		c.add(start, marking, pausesText(t.PausesOf(cycle)))
	}
	return c
}

func pausesText(pauses []time.Duration) string {
	if len(pauses) == 0 {
		return units.None
	}
	var each []string
	for _, p := range pauses {
		each = append(each, units.Duration(p))
	}
	return strings.Join(each, " + ")
}

// TraceSentence says what the collector did, in the words of Trace.
func TraceSentence(t *exectrace.Trace) string {
	switch t.GC.N {
	case 0:
		return fmt.Sprintf("No GC cycle in a trace of %s", units.Duration(t.Span))
	case 1:
		return fmt.Sprintf("One GC cycle in a trace of %s, which stopped the world for %s", units.Duration(t.Span),
			units.Duration(t.STW.GC.Total))
	}
	return fmt.Sprintf("In a trace of %s, %s GC cycles stopped the world for %s in all and %s at most",
		units.Duration(t.Span), units.Thousands(t.GC.N), units.Duration(t.STW.GC.Total), units.Duration(t.STW.GC.Max))
}
