package exectrace

import (
	"fmt"
	"strings"
	"time"
)

// collectionsShown is how many collections a picture's table has: the longest.
const collectionsShown = 20

// A Table is figures of a picture as text: words in the first column.
type Table struct {
	Title  string
	Header []string
	Rows   [][]string
}

// Tables are the figures of the picture: the collections with their pauses, the
// longest by start, and where the processors' time went, as Write has it.
func (t *Trace) Tables() []Table {
	var tables []Table
	if t.GC.N > 0 {
		tables = append(tables, t.collections())
	}
	procs := Table{Title: "Processors' time", Header: []string{"kind", "total", "share"}, Rows: t.procRows()}
	return append(tables, procs)
}

func (t *Trace) collections() Table {
	shown := longest[Cycle]{keep: collectionsShown}
	for _, c := range t.GC.Cycles {
		shown.add(c)
	}
	c := Table{Title: "Collections", Header: []string{"start", "marking", "pauses"}}
	if t.GC.N > collectionsShown {
		c.Title = fmt.Sprintf("The %d longest of %s collections", collectionsShown, thousands(t.GC.N))
	}
	for _, left := range t.Left {
		if left.Kind == GCStop {
			c.Title += fmt.Sprintf("; the shortest %s pauses are left out", thousands(left.N))
		}
	}
	for _, cycle := range shown.all() {
		start, marking := cycle.times()
		c.Rows = append(c.Rows, []string{start, marking, pausesText(t.pausesOf(cycle))})
	}
	return c
}

// pausesOf are the collector's pauses that began or ended while it marked.
func (t *Trace) pausesOf(c Cycle) (pauses []time.Duration) {
	for _, i := range t.Timeline {
		if i.Kind == GCStop && i.Start <= c.End && i.End >= c.Start {
			pauses = append(pauses, i.End-i.Start)
		}
	}
	return pauses
}

func pausesText(pauses []time.Duration) string {
	if len(pauses) == 0 {
		return "–"
	}
	var each []string
	for _, p := range pauses {
		each = append(each, durationText(p))
	}
	return strings.Join(each, " + ")
}
