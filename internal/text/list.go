package text

import (
	"io"

	pretty "github.com/jedib0t/go-pretty/v6/text"
)

// A Listed is a study with what belongs to it, in groups of names and what they mean.
type Listed struct {
	Name, Question string
	Groups         []ListedGroup
}

// A ListedGroup is some things of a study below a title; "" is none.
type ListedGroup struct {
	Title string
	Items [][2]string // name and meaning
}

// List writes studies.
func List(w io.Writer, studies []Listed, s Style) error {
	p := &printer{w: w, Style: s}
	t := Table{Left: map[int]bool{1: true}, Prose: 1}
	for _, study := range studies {
		t.Rows = append(t.Rows, []Cell{{Text: study.Name, color: pretty.Bold, all: true}, {Text: study.Question}})
		for _, g := range study.Groups {
			if g.Title != "" && len(g.Items) > 0 {
				t.add(g.Title, "")
			}
			for _, item := range g.Items {
				t.add("  "+item[0], item[1])
			}
		}
	}
	p.tableHere(t)
	return p.err
}
