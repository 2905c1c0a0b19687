package stackgrow

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

// Write writes the figures as text: totals, the first growths (goroutine, from,
// to, used, who grew), steps, chains, functions.
func (l *Log) Write(w io.Writer) error {
	var b strings.Builder
	l.totals(&b)
	section(&b, "goroutine\tevent\tfrom\tto\tused\tfunction\tcalled at", l.growthRows())
	section(&b, "event\tfrom\tto\ttimes\tbytes copied\tleast used\tmost used", l.stepRows())
	section(&b, "size\tallocated\treused\tfreed\tcache refills\tcache releases", l.sizeRows())
	section(&b, "goroutines\tstack sizes", l.chainRows())
	section(&b, "growths\tbytes copied\tlargest\tfunction\tcalled at", l.siteRows())
	for _, warning := range l.Warnings {
		fmt.Fprintf(&b, "\nwarning: %v\n", warning)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (l *Log) totals(b *strings.Builder) {
	fmt.Fprintf(b, "%d growths, %d shrinks, %d bytes copied, largest stack %s\n",
		l.Grows.N, l.Shrinks.N, l.Copied(), bytesText(l.Largest))
	fmt.Fprintf(b, "%d stacks allocated (%s; %d on memory of a freed one, %d fresh), %d freed (%s)\n",
		l.Allocs.N, bytesText(uint64(l.Allocs.Bytes)), l.Reused, l.Fresh(), l.Frees.N, bytesText(uint64(l.Frees.Bytes)))
	if !l.Trace {
		fmt.Fprintf(b, "%d preemptions, caches cleared %d times; %d of %d lines are the log's\n", l.Preempts, l.CacheClears, l.Own, l.Lines)
	}
}

func section(b *strings.Builder, header string, rows []string) {
	if len(rows) == 0 {
		return
	}
	b.WriteByte('\n')
	tw := tabwriter.NewWriter(b, 0, 8, 2, ' ', 0)
	fmt.Fprintln(tw, header)
	for _, row := range rows {
		fmt.Fprintln(tw, row)
	}
	tw.Flush()
}

func (l *Log) growthRows() (rows []string) {
	sites := map[siteKey]Site{}
	for _, s := range l.Sites {
		sites[siteKey{s.PC, s.CallerPC}] = s
	}
	for _, e := range l.Growths {
		who := "\t"
		if e.PC != 0 {
			who = sites[siteKey{e.PC, e.CallerPC}].who()
		}
		rows = append(rows, fmt.Sprintf("%#x\t%v\t%d\t%d\t%s\t%s", e.G, e.Kind, e.From, e.To, l.used(int64(e.Used)), who))
	}
	return rows
}

func (l *Log) stepRows() (rows []string) {
	for _, s := range l.Steps {
		rows = append(rows, fmt.Sprintf("%v\t%d\t%d\t%d\t%s\t%s\t%s",
			s.Kind, s.From, s.To, s.N, l.used(s.Used), l.used(int64(s.UsedMin)), l.used(int64(s.UsedMax))))
	}
	return rows
}

func (l *Log) sizeRows() (rows []string) {
	for _, s := range l.Sizes {
		rows = append(rows, fmt.Sprintf("%d\t%d\t%d\t%d\t%d\t%d", s.Size, s.Allocs, s.Reused, s.Frees, s.CacheRefills, s.CacheReleases))
	}
	return rows
}

func (l *Log) chainRows() (rows []string) {
	for _, c := range l.Chains {
		var sizes []string
		for _, s := range c.Sizes {
			sizes = append(sizes, bytesText(s))
		}
		if c.More {
			sizes = append(sizes, "…")
		}
		rows = append(rows, fmt.Sprintf("%d\t%s", c.N, strings.Join(sizes, " → ")))
	}
	return rows
}

func (l *Log) siteRows() (rows []string) {
	for _, s := range l.Sites {
		rows = append(rows, fmt.Sprintf("%d\t%d\t%s\t%s", s.N, s.Used, bytesText(s.To), s.who()))
	}
	return rows
}

func (l *Log) used(n int64) string {
	if l.Trace {
		return "?"
	}
	return fmt.Sprint(n)
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
