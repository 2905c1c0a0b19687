package alloctext

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/measure/plan"
	"memcost/internal/report/compare"
	"memcost/internal/show/text"
)

// Markdown writes a report for a comment on a pull request or for a document: the answer, a table,
// what was left out, and all metrics folded in below.
func Markdown(w io.Writer, r *compare.AllocReport) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "### %s\n\n%s\n\n", md(r.Says), md(subject(r)))
	table(&b, head(r), rows(r, 1<<20, timeAndMemory))
	for _, x := range r.Allocators {
		if x.Invalid != "" {
			fmt.Fprintf(&b, "- INVALID: %s: %s\n", md(x.Name), md(x.Invalid))
		}
	}
	for _, s := range plan.NotMeasuredSays(r.NotMeasured) {
		fmt.Fprintf(&b, "- not measured: %s\n", md(s))
	}
	for _, s := range append(append([]string{}, r.Notes...), r.Warnings...) {
		fmt.Fprintf(&b, "- %s\n", md(s))
	}
	for _, n := range r.NoiseFloor {
		fmt.Fprintf(&b, "- noise floor, two copies of the same configuration: %s, %s apart in the median round\n",
			md(n.Ratio.Times()), units.Percent(float64(n.Spread)))
	}
	b.WriteString("\n<details><summary>Page faults and context switches</summary>\n\n")
	table(&b, eventsHead(), rows(r, 1<<20, events))
	b.WriteString("\n</details>\n")
	_, err := w.Write(b.Bytes())
	return err
}

func table(b *bytes.Buffer, head []string, rows [][]string) {
	line := func(cells []string) {
		for i, c := range cells {
			cells[i] = md(c)
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
	}
	line(head)
	b.WriteString("|" + strings.Repeat(" --- |", len(head)) + "\n")
	for _, row := range rows {
		line(row)
	}
	b.WriteString("\n")
}

// md makes a text that Markdown shows as it is, in one line.
func md(s string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(text.Clean(s)), " ") {
		if strings.ContainsRune("\\`*_{}[]<>()#+!|~@&$", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
