package cli

import (
	"io"

	"memcost/internal/show/text"
)

// A listedText is a study with what belongs to it, in groups of names and what they mean.
type listedText struct {
	Name, Question string
	Groups         []listedGroup
}

// A listedGroup is some things of a study below a title; "" is none.
type listedGroup struct {
	Title string
	Items [][2]string // name and meaning
}

// writeList writes studies.
func writeList(w io.Writer, studies []listedText, s text.Style) error {
	t := text.Table{Left: map[int]bool{1: true}, Prose: 1}
	for _, study := range studies {
		t.Rows = append(t.Rows, []text.Cell{text.Bold(study.Name), {Text: study.Question}})
		for _, g := range study.Groups {
			if g.Title != "" && len(g.Items) > 0 {
				t.Add(g.Title, "")
			}
			for _, item := range g.Items {
				t.Add("  "+item[0], item[1])
			}
		}
	}
	p := text.NewPrinter(w, s)
	p.Table(t)
	return p.Err()
}
