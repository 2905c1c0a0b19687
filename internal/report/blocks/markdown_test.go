package blocks

import (
	"bytes"
	"strings"
	"testing"

	"memcost/internal/show/markdown"
	"memcost/internal/testkit"
)

// mostMarkdown is what the front takes of a comment on a pull request, in bytes.
const mostMarkdown = 20_000

func renderMarkdown(t testing.TB, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := markdown.Write(&b, r.Document(), markdown.Options{Most: mostMarkdown}); err != nil {
		t.Fatal(err)
	}
	if n := b.Len(); n > mostMarkdown {
		t.Errorf("%d bytes are more than GitHub takes", n)
	}
	return b.String()
}

func TestMarkdownGolden(t *testing.T) {
	got := renderMarkdown(t, &Report{Front: madeFront()})
	testkit.Golden(t, "testdata/all.md", got)
	at := -1
	for _, part := range []string{"costs **3.7**", "<details>", "| **together** |", "What to do", "fail here"} {
		next := strings.Index(got, part)
		if next < at {
			t.Errorf("%q stands before what it should follow", part)
		}
		at = next
	}
}
