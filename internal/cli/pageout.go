package cli

import (
	"io"

	"memcost/internal/report/result"
	"memcost/internal/show/page"
)

// writeHTML writes the page of answers, the newest first, with their front: what a search
// recorded, and a comparison of sides, has none.
func writeHTML(w io.Writer, answers []*result.Answer) error {
	for _, a := range answers {
		sides := a.Question != nil && a.Question.Comparison != nil
		if a.Kind == result.Records || sides {
			return page.Write(w, answers, nil)
		}
	}
	r, err := reportOf(answers, "")
	if err != nil {
		return err
	}
	return page.Write(w, r.Answers, r.Front)
}
