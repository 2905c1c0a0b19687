package blocks

import (
	"fmt"
	"strings"

	"memcost/internal/document"
	"memcost/internal/report/result"
)

// cases adds the cases of packages that nothing else shows, or what several answers say of the
// same cases.
func (r *Report) cases(d *document.Document) {
	behind := document.Frame{Rank: 7, Gap: 2, Good: 6, Least: 1, On: document.Terminal, Most: Lines}
	for i := range r.Compared {
		c := &r.Compared[i]
		t := compared(c, behind)
		t.Title = document.As(document.Strong, c.Study+": compared").And(document.As(document.Faint, " · "+
			strings.TrimSuffix(c.Table.Title, ".")))
		const most = 3
		if left := len(c.Runs) - most; left > 0 {
			t.Notes = append(t.Notes[:len(t.Notes)-left], document.Say(fmt.Sprintf("and %d more runs: --long", left)))
		}
		d.Add(t)
	}
	if len(r.Compared) > 0 {
		note := notSideBySide()
		note.On = document.Terminal
		d.Add(note)
		return
	}
	for i := range r.Front.Studies {
		a, s := ofCard(r.Answers, &r.Front.Studies[i])
		if s == nil {
			continue
		}
		x := part{answer: a, study: s}
		several, say := changed(x)
		if len(s.Cases) > 0 && listed(s) {
			d.Add(casesOf(x, behind, len(r.Front.Studies) > 1, say))
			continue
		}
		if several == nil {
			continue
		}
		if len(r.Front.Studies) > 1 {
			say = document.As(document.Strong, s.Name+": ").And(say)
		}
		if len(several.Rows) == 0 {
			d.Add(&document.Sentence{Frame: document.Frame{Rank: 7, Gap: 2, Good: -1, Most: 3, On: document.Terminal}, Text: say,
				Flow: true, Hang: 2})
			continue
		}
		several.Title, several.Frame, several.Good = say, behind, 4
		several.Columns[0].Head = "changed"
		d.Add(several)
	}
}

// listed reports whether the cases of a study are listed: where nothing else shows its figures.
func listed(s *result.Study) bool { return len(s.Claims) == 0 || len(s.Tables) == 0 }

// casesOf lists the cases of a package with their costs: of many the first ones.
func casesOf(x part, f document.Frame, titled bool, changed document.Text) document.Block {
	v := &view{answers: []*result.Answer{x.answer}}
	v.findSets()
	x.run = 0
	t := v.table(&section{parts: []part{x}})
	t.Frame = f
	t.Title = nil
	if titled {
		t.Title = given(x.study.Name)
	} else {
		t.Inset = 2
	}
	for column, drop := range map[int]int{bytesColumn: 2, allocsColumn: 1, othersColumn: 3} {
		t.Columns[column].Drop = drop
	}
	if changed != nil {
		t.Notes = append(t.Notes, changed)
	}
	return t
}
