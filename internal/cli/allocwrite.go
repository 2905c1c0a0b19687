package cli

import (
	"io"

	"memcost/internal/report/compare"
	"memcost/internal/report/result"
	"memcost/internal/show/alloctext"
	"memcost/internal/show/text"
)

// writeAlloc writes an answer that is that of memcost alloc as text or as Markdown; false where it
// is another's.
func writeAlloc(w io.Writer, answers []*result.Answer, format string, style text.Style) (bool, error) {
	if len(answers) != 1 || !compare.Is(answers[0]) || format != "text" && format != "md" {
		return false, nil
	}
	r, err := compare.Of(answers[0])
	switch {
	case err != nil:
		return false, nil // it has one side yet
	case format == "md":
		return true, alloctext.Markdown(w, r)
	}
	return true, alloctext.Write(w, r, style)
}
