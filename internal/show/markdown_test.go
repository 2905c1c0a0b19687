package show_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"memcost/internal/document"
	"memcost/internal/show/markdown"
	"memcost/internal/testkit"
)

// render writes a document and checks what holds of every one: what is opened is closed, each
// table has rows of as many cells, and it is no longer than asked for.
func inMarkdown(t testing.TB, d *document.Document, most int) string {
	t.Helper()
	var b strings.Builder
	if err := markdown.Write(&b, d, markdown.Options{Most: most}); err != nil {
		t.Fatal(err)
	}
	s := b.String()
	if most == 0 {
		most = markdown.Most
	}
	if n := utf8.RuneCountInString(s); n >= most {
		t.Errorf("%d characters are more than %d", n, most)
	}
	code := s
	s = unfenced(s)
	opened := strings.Count(s, "<details>") + strings.Count(s, "<details open>")
	if strings.Count(s, "</details>") != opened || strings.Count(s, "<summary>") != opened ||
		strings.Count(s, "</summary>") != opened {
		t.Errorf("%d folds are not closed: %.300q", opened, s[max(len(s)-300, 0):])
	}
	columns := 0
	for _, line := range strings.Split(s, "\n") {
		n := strings.Count(line, "|")
		if n > 0 && (!strings.HasPrefix(line, "| ") || !strings.HasSuffix(line, " |") || columns > 0 && n != columns) {
			t.Errorf("not a row of %d columns: %s", columns-1, line)
		}
		if columns = n; n == 0 {
			columns = 0
		}
	}
	return code
}

var fences = regexp.MustCompile("(?ms)^(````*)[a-z]*$.*?^(````*)$")

// unfenced returns a text without its code.
func unfenced(s string) string { return fences.ReplaceAllString(s, "") }

func TestMarkdown(t *testing.T) {
	for _, c := range examples() {
		most := 0
		if c.name == "long" || c.name == "hostile" {
			most = 6000
		}
		testkit.Golden(t, "testdata/"+c.name+".md", inMarkdown(t, c.document, most))
	}
}

// markup is all that GitHub's Markdown could make something of; the renderer's own is taken out
// first.
var (
	ownMarkup = regexp.MustCompile("</?details>|<details open>|</?summary>|<br>|(?m)^#### |^### |^- |^\\| | \\|$| \\| |\\*\\*|" +
		"\\| :?--:? |`--json`|&#\\d+;|`[A-Za-z0-9/=_.,+%()': -]+`")
	ownLink = regexp.MustCompile(`\[([^\]]*)\]\(https://evil\.example\)`)
	markup  = regexp.MustCompile("[|`<>\\[\\]*_~\\\\&$]|@[^\u200b]|#[^\u200b]|://|www\\.")
)

// left returns the first piece of a line that could be markup.
func left(line string) string {
	rest := ownMarkup.ReplaceAllString(line, "")
	rest = strings.ReplaceAll(rest, "|", "") // counted by render
	return markup.FindString(strings.NewReplacer(":\u200b//", "", "www\u200b.", "").Replace(rest))
}

// Whatever stands in a document, it cannot leave its place.
func TestHostileInMarkdown(t *testing.T) {
	for _, s := range testkit.Hostiles {
		got := unfenced(inMarkdown(t, hostileDocument(s), 0))
		for _, line := range strings.Split(got, "\n") {
			if m := left(ownLink.ReplaceAllString(line, "$1")); m != "" {
				t.Errorf("%q: %q is left in: %s", s, m, line)
			}
		}
	}
}

// However much there is, the comment is one that GitHub takes, and says that something is left out.
func TestLimitOfMarkdown(t *testing.T) {
	many := &document.Document{}
	for i := range 1000 {
		table := &document.Table{Frame: document.Frame{Rank: i % 7, Least: i % 3}, Title: document.Say(fmt.Sprint("table ", i)),
			Columns: []document.Column{{Head: "a"}, {Head: "b"}}}
		for range 20 {
			table.Add(document.Say(strings.Repeat("long_name|", 30)), document.Say("1"))
		}
		fold := &document.Fold{Head: document.Say("fold")}
		fold.Add(table, &document.Sentence{Text: document.Say("said")})
		many.Add(fold)
	}
	for _, most := range []int{0, 20_000, 5_000, 1_000} {
		if got := inMarkdown(t, many, most); !strings.Contains(got, "left out") {
			t.Error("nothing is said of what is left out")
		}
		for _, c := range examples() {
			inMarkdown(t, c.document, most)
		}
	}
}
