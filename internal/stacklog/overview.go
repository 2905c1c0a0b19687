package stacklog

import (
	"fmt"
	"io"
	"strings"
)

// WriteOverview writes a table of runs as text, one row each.
func WriteOverview(w io.Writer, runs []Run) error { return WriteOverviewNarrow(w, runs, 0) }

// WriteOverviewNarrow is WriteOverview for a screen of so many columns.
func WriteOverviewNarrow(w io.Writer, runs []Run, width int) error {
	var b strings.Builder
	overview(runs).text(&b, 0, width)
	_, err := io.WriteString(w, strings.TrimPrefix(b.String(), "\n"))
	return err
}

func overview(runs []Run) table {
	t := table{about: "All", header: "program\tgrowths\tshrinks\tlargest stack\tbytes copied\tstacks\treused\tgrew most"}
	for _, r := range runs {
		l := r.Log
		if l == nil {
			t.rows = append(t.rows, r.Name+strings.Repeat("\t", 6)+"\tnot run")
			continue
		}
		copied, most := fmt.Sprint(l.Copied()), ""
		if l.Trace {
			copied = "?"
		}
		if len(l.Sites) > 0 {
			most, _, _ = strings.Cut(l.Sites[0].who(), "\t")
		}
		t.rows = append(t.rows, fmt.Sprintf("%s\t%d\t%d\t%s\t%s\t%d\t%d\t%s", r.Name, l.Grows.N, l.Shrinks.N, bytesText(l.Largest), copied, l.Allocs.N, l.Reused, most))
	}
	return t
}
