package fronttext

import (
	"bytes"
	"strings"
	"testing"
)

func renderMarkdown(t testing.TB, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.Markdown(&b); err != nil {
		t.Fatal(err)
	}
	if n := b.Len(); n >= 65_536 {
		t.Errorf("%d bytes are more than GitHub takes", n)
	}
	return b.String()
}

func TestMarkdownGolden(t *testing.T) {
	got := renderMarkdown(t, &Report{Front: made()})
	golden(t, "all.md", got)
	at := -1
	for _, part := range []string{"costs **3.7**", "What to do", "| **together** |", "fails here", "<details>"} {
		next := strings.Index(got, part)
		if next < at {
			t.Errorf("%q stands before what it should follow", part)
		}
		at = next
	}
}
