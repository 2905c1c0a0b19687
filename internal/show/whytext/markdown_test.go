package whytext

import (
	"regexp"
	"strings"
	"testing"

	"memcost/internal/sites"
)

func markdown(t *testing.T, r *sites.Report, o Options) string {
	t.Helper()
	var b strings.Builder
	if err := Markdown(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestMarkdownGolden(t *testing.T) {
	golden(t, "report.md", markdown(t, fixture(), Options{Answer: answer}))
	golden(t, "static.md", markdown(t, static(), Options{}))
}

// tags are the HTML that memcost writes itself.
var tags = regexp.MustCompile(`</?(details|summary)>`)

// Nothing of a report is markup, ends a row, or reaches GitHub's limit.
func TestMarkdownOfHostileReports(t *testing.T) {
	for _, r := range []*sites.Report{hostile(), many(500), static(), {Mode: "benchmarks"}, {Mode: "static"}} {
		got := markdown(t, r, Options{Answer: evil})
		if len(got) > 65_536 {
			t.Errorf("%d bytes", len(got))
		}
		fence, details := "", 0
		for line := range strings.SplitSeq(got, "\n") {
			if fence == "" {
				details += strings.Count(line, "<details>") - strings.Count(line, "</details>")
			}
			switch marks := strings.TrimRight(line, "abcdefghijklmnopqrstuvwxyz"); {
			case fence == "" && strings.HasPrefix(marks, "```") && strings.Trim(marks, "`") == "":
				fence = marks
			case line == fence:
				fence = ""
			case fence != "":
				if strings.HasPrefix(line, fence) {
					t.Errorf("a line ends its block: %q", line)
				}
			case strings.ContainsAny(tags.ReplaceAllString(line, ""), "<>\x1b\u202e\a"):
				t.Errorf("HTML or control characters: %q", line)
			case strings.HasPrefix(line, "|") && strings.Count(line, "|") != 7 && strings.Count(line, "|") != 8:
				t.Errorf("a row of other columns: %q", line)
			case strings.HasPrefix(line, "INJECTED"), strings.HasPrefix(line, "#"):
				t.Errorf("a line of its own: %q", line)
			}
		}
		if fence != "" {
			t.Errorf("a block is not closed")
		}
		if details != 0 {
			t.Error("details are not closed")
		}
	}
}
