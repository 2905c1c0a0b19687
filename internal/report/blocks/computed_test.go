package blocks

import (
	"testing"

	"memcost/internal/report/answer"
	"memcost/internal/report/compare"
	"memcost/internal/report/result"
	"memcost/internal/show/terminal"
	"memcost/internal/testkit"
)

// The computed front of each kind of run fits, alone and with others.
func TestComputedFronts(t *testing.T) {
	var all []*result.Answer
	for _, name := range []string{"healthy", "arms", "busy", "damaged", "empty", "escapes", "numbers", "partial",
		"progress", "troubled"} {
		a := frontRun(t, name)
		all = append(all, a)
		r := &Report{Front: answer.Of([]*result.Answer{a}, answer.Options{}), Answers: []*result.Answer{a}}
		testkit.Golden(t, "testdata/computed/"+name+".txt", drawFront(t, r, terminal.Style{}))
		for _, width := range []int{20, 40, 60, 80, 200} {
			drawFront(t, r, terminal.Style{Width: width, Color: true})
		}
		renderMarkdown(t, r)
	}
	r := &Report{Front: answer.Of(all, answer.Options{}), Answers: all, Compared: compare.Answers(all)}
	testkit.Golden(t, "testdata/computed/ten.txt", drawFront(t, r, terminal.Style{}))
	for _, width := range []int{20, 40, 60, 80, 200} {
		drawFront(t, r, terminal.Style{Width: width})
	}
	renderMarkdown(t, r)
}
