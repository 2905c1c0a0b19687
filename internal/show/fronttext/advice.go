package fronttext

import (
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/report/answer"
)

// narrowest is the least width at which what to do and what it saves stand in columns.
const narrowest = 60

// adviceSection says what to do: each line rests on a decided claim. The condition under which
// it was measured stands beside it, or below it where there is room.
func adviceSection(f *answer.Front, width int) *section {
	if len(f.Advice) == 0 {
		return nil
	}
	title := painted(pretty.Bold, "What to do on this machine").cut(width)
	if width < narrowest {
		var rows []row
		for _, a := range f.Advice {
			c := adviceCells(a, false)
			l := append(c[0], paint(0, ": "))
			rows = append(rows, row{whole: indentedAll(append(l, c[1]...).wrapped(width-gap, gap), gap)})
		}
		return &section{head: []line{title}, rows: rows, rank: 3, gap: 2, good: min(len(rows), 3), least: 1}
	}
	g := grid{head: make([]string, 3), left: map[int]bool{2: true}, drop: []int{2}, room: 36,
		most: map[int]int{1: max(width/4, 8), 2: max(width/3, 8)}}
	inline := true
	for _, a := range f.Advice {
		g.rows = append(g.rows, adviceCells(a, true))
	}
	shown, widths := g.columns(width - gap)
	for _, r := range g.rows {
		inline = inline && len(shown) == 3 && r[0].width() <= widths[0]
	}
	if !inline {
		g.rows = nil
		for _, a := range f.Advice {
			g.rows = append(g.rows, adviceCells(a, false))
		}
	}
	_, lines := g.lines(width, gap)
	rows := rowsOf(lines)
	for i, a := range f.Advice {
		if !inline && a.When != "" {
			rows[i].full = append([]line{lines[i]}, painted(pretty.Faint, "when: "+a.When).indented(2*gap).cut(width))
		}
	}
	return &section{head: []line{title}, rows: rows, rank: 3, gap: 2, good: min(len(rows), 4), least: min(len(rows), 3),
		aside: more}
}

func adviceCells(a answer.Advice, inline bool) []line {
	do := said(strings.TrimSuffix(a.Do, "."))
	if inline && a.When != "" {
		do = append(do, paint(pretty.Faint, ": "+a.When))
	}
	return []line{do, painted(pretty.Bold, a.Times), painted(pretty.Faint, a.Study+" "+a.Claim)}
}
