package page

import (
	"fmt"

	"memcost/internal/report/answer"
	"memcost/internal/report/result"
)

// newMatrix returns the verdicts of a study.
func newMatrix(to links, s answer.Study) matrixStudy {
	out := matrixStudy{Name: s.Name, Anchor: to.anchor(s.Name)}
	for i, l := range s.Lines {
		if i > 0 && len(s.Lines) > mostRows {
			out.Rows = append(out.Rows, counted(to, s))
			break
		}
		row := matrixRow{Name: l.Name, Here: i == 0 && !l.Published}
		for j, c := range l.Cells {
			if j >= len(s.Claims) {
				break
			}
			id := s.Claims[j].ID
			row.Cells = append(row.Cells, matrixCell{class(c.Status), mark(c.Status), to.claim(s.Name, id),
				id + " " + c.Status + ", " + l.Name, c.Says})
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// counted returns a row that says on how many of the machines after the first a claim holds.
func counted(to links, s answer.Study) matrixRow {
	others := s.Lines[1:]
	row := matrixRow{Name: fmt.Sprintf("%d others", len(others))}
	for j, claim := range s.Claims {
		n := map[string]int{}
		tested := 0
		for _, l := range others {
			if j < len(l.Cells) {
				n[l.Cells[j].Status]++
				if l.Cells[j].Status != "not tested" && l.Cells[j].Status != result.Invalid {
					tested++
				}
			}
		}
		says := fmt.Sprintf("%d of %d hold, %d fail, %d undecided", n["holds"], tested, n["fails"], n["undecided"])
		cell := matrixCell{"counted", fmt.Sprint(n["holds"]), to.claim(s.Name, claim.ID), claim.ID + ": " + says,
			says}
		if n["fails"] > 0 {
			cell.Class += " some-fail"
		}
		row.Cells = append(row.Cells, cell)
	}
	return row
}
