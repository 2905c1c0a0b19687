package stacklog

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

var kindNames = [...]string{"alloc", "free", "refill", "release", "clear", "grow", "shrink", "move"}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", k)
}

// MarshalText is the name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Write writes the figures as text: totals, the first growths (goroutine, from,
// to, used, who grew), steps, sizes, chains, functions. Of each table there are
// so many rows at most; 0 is all.
func (l *Log) Write(w io.Writer, rows int) error { return l.WriteNarrow(w, rows, 0) }

// WriteNarrow is Write for a screen of so many columns; 0 is without end.
func (l *Log) WriteNarrow(w io.Writer, rows, width int) error {
	var b, totals strings.Builder
	l.totals(&totals)
	b.WriteString(Wrap(totals.String(), width))
	for _, t := range l.tables() {
		t.text(&b, rows, width)
	}
	for _, warning := range l.Warnings {
		b.WriteString(Wrap(fmt.Sprintf("\nwarning: %v\n", warning), width))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// table is one of the tables of a Log; columns and cells are separated by tabs.
type table struct {
	about, header string
	rows          []string
	more          int64 // that the Log does not hold
}

// tables are those that a text and a page show; who grew is not in a trace, nor
// what was in use.
func (l *Log) tables() []table {
	all := []table{
		{"The first growths and shrinks", "goroutine\tevent\tfrom\tto\tused\tfunction\tcalled at", l.growthRows(), l.Grows.N + l.Shrinks.N + l.Moves.N - int64(len(l.Growths))},
		{"Growths and shrinks by size", "event\tfrom\tto\ttimes\tbytes copied\tleast used\tmost used", l.stepRows(), 0},
		{"Stacks by size", "size\tallocated\treused\tfreed\tcache refills\tcache releases", l.sizeRows(), 0},
		{"Chains of sizes", "goroutines\tstack sizes", l.chainRows(), 0},
		{"Who grew", "growths\tbytes copied\tlargest\tfunction\tcalled at", l.siteRows(), 0},
	}
	if l.Trace {
		all[0].header = "goroutine\tevent\tfrom\tto"
		all[1].header = "event\tfrom\tto\ttimes"
		all[2].header = "size\tallocated\treused\tfreed"
	}
	return all
}

func (l *Log) totals(b *strings.Builder) {
	fmt.Fprintf(b, "%s, %s", count(l.Grows.N, "growth"), count(l.Shrinks.N, "shrink"))
	if !l.Trace {
		fmt.Fprintf(b, ", %s copied", count(l.Copied(), "byte"))
	}
	fmt.Fprintf(b, ", largest stack %s\n", bytesText(l.Largest))
	fmt.Fprintf(b, "%s allocated (%s; %d on memory of a freed one, %d fresh), %d freed (%s)\n",
		count(l.Allocs.N, "stack"), bytesText(uint64(l.Allocs.Bytes)), l.Reused, l.Fresh(), l.Frees.N, bytesText(uint64(l.Frees.Bytes)))
	if !l.Trace {
		fmt.Fprintf(b, "%s, caches cleared %s; %d of %d lines are the log's\n", count(l.Preempts, "preemption"), count(l.CacheClears, "time"), l.Own, l.Lines)
	}
}

func (t table) text(b *strings.Builder, most, width int) {
	if len(t.rows) == 0 {
		return
	}
	rows, more := t.rows, t.more
	if most > 0 && len(rows) > most {
		more += int64(len(rows) - most)
		rows = rows[:most]
	}
	b.WriteByte('\n')
	if text := t.aligned(rows); width <= 0 || wide(text) <= width {
		b.WriteString(text)
	} else {
		t.narrow(b, rows, width)
	}
	if more > 0 {
		fmt.Fprintf(b, "… and %d more\n", more)
	}
}

func (t table) aligned(rows []string) string {
	var b strings.Builder
	tw := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	fmt.Fprintln(tw, t.header)
	for _, row := range rows {
		fmt.Fprintln(tw, row)
	}
	tw.Flush()
	return b.String()
}

func (l *Log) growthRows() (rows []string) {
	sites := map[siteKey]Site{}
	for _, s := range l.Sites {
		sites[siteKey{s.PC, s.CallerPC}] = s
	}
	for _, e := range l.Growths {
		if l.Trace {
			rows = append(rows, fmt.Sprintf("%d\t%v\t%d\t%d", e.G, e.Kind, e.From, e.To))
			continue
		}
		who := "\t"
		if e.PC != 0 {
			who = sites[siteKey{e.PC, e.CallerPC}].who()
		}
		rows = append(rows, fmt.Sprintf("%#x\t%v\t%d\t%d\t%d\t%s", e.G, e.Kind, e.From, e.To, e.Used, who))
	}
	return rows
}

func (l *Log) stepRows() (rows []string) {
	for _, s := range l.Steps {
		row := fmt.Sprintf("%v\t%d\t%d\t%d", s.Kind, s.From, s.To, s.N)
		if !l.Trace {
			row += fmt.Sprintf("\t%d\t%d\t%d", s.Used, s.UsedMin, s.UsedMax)
		}
		rows = append(rows, row)
	}
	return rows
}

func (l *Log) sizeRows() (rows []string) {
	for _, s := range l.Sizes {
		row := fmt.Sprintf("%d\t%d\t%d\t%d", s.Size, s.Allocs, s.Reused, s.Frees)
		if !l.Trace {
			row += fmt.Sprintf("\t%d\t%d", s.CacheRefills, s.CacheReleases)
		}
		rows = append(rows, row)
	}
	return rows
}

func (l *Log) chainRows() (rows []string) {
	for _, c := range l.Chains {
		rows = append(rows, fmt.Sprintf("%d\t%s", c.N, c))
	}
	return rows
}

// String is the sizes with arrows between them.
func (c Chain) String() string {
	var sizes []string
	for _, s := range c.Sizes {
		sizes = append(sizes, bytesText(s))
	}
	if c.More {
		sizes = append(sizes, "…")
	}
	return strings.Join(sizes, " → ")
}

func (l *Log) siteRows() (rows []string) {
	for _, s := range l.Sites {
		rows = append(rows, fmt.Sprintf("%d\t%d\t%s\t%s", s.N, s.Used, bytesText(s.To), s.who()))
	}
	return rows
}

// who is the function that grew, and where it was called.
func (s Site) who() string {
	place := func(function, file string, line int, pc uint64) string {
		switch {
		case pc == 0:
			return "?"
		case function == "":
			return fmt.Sprintf("%#x", pc)
		}
		return fmt.Sprintf("%s %s:%d", function, file[strings.LastIndexByte(file, '/')+1:], line)
	}
	return place(s.Func, s.File, s.FuncLine, s.PC) + "\t" + place(s.Caller, s.CallerFile, s.CallerLine, s.CallerPC)
}

// bytesText is a size in the largest unit that divides it.
func bytesText(n uint64) string {
	for _, u := range []struct {
		size uint64
		name string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n != 0 && n%u.size == 0 {
			return fmt.Sprintf("%d %s", n/u.size, u.name)
		}
	}
	return fmt.Sprintf("%d B", n)
}
