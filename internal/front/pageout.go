package front

import (
	"io"
	"slices"

	"memcost/internal/answer"
	"memcost/internal/catalog"
	"memcost/internal/page"
	"memcost/internal/result"
	"memcost/study"
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
	shipped, err := catalog.ReadAll(study.FS)
	if err != nil {
		return err
	}
	newest := slices.Clone(answers)
	slices.SortStableFunc(newest, func(a, b *result.Answer) int { return b.Created.Compare(a.Created) })
	return page.Write(w, newest, answer.Of(newest, answer.Options{Shipped: shipped}))
}
