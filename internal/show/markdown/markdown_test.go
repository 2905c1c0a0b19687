package markdown

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"memcost/internal/document"
	"memcost/internal/document/documenttest"
	"memcost/internal/testkit"
)

// render writes a document and checks what holds of every one: what is opened is closed, each
// table has rows of as many cells, and it is no longer than asked for.
func render(t testing.TB, d *document.Document, most int) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, d, Options{Most: most}); err != nil {
		t.Fatal(err)
	}
	s := b.String()
	if most == 0 {
		most = Most
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

func TestGolden(t *testing.T) {
	for _, c := range documenttest.Documents() {
		most := 0
		if c.Name == "long" || c.Name == "hostile" {
			most = 6000
		}
		testkit.Golden(t, "testdata/"+c.Name+".md", render(t, c.Document, most))
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
func TestHostile(t *testing.T) {
	for _, s := range testkit.Hostiles {
		got := unfenced(render(t, documenttest.HostileBlocks(s), 0))
		for _, line := range strings.Split(got, "\n") {
			if m := left(ownLink.ReplaceAllString(line, "$1")); m != "" {
				t.Errorf("%q: %q is left in: %s", s, m, line)
			}
		}
	}
}

func TestPlainIsOnlyText(t *testing.T) {
	for _, s := range testkit.Hostiles {
		onlyText(t, s)
	}
	if got := name("Smaug/place=stack/size=1024-2"); got != "`Smaug/place=stack/size=1024-2`" {
		t.Error(got)
	}
}

func FuzzPlain(f *testing.F) {
	for _, s := range testkit.Hostiles {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { onlyText(t, s) })
}

func onlyText(t *testing.T, s string) {
	got := plain(s, longestGiven)
	rest := regexp.MustCompile(`&#\d+;`).ReplaceAllString(got, "")
	rest = regexp.MustCompile("(?i)www\u200b\\.").ReplaceAllString(strings.ReplaceAll(rest, ":\u200b//", ""), "")
	if m := markup.FindString(rest); m != "" {
		t.Errorf("plain(%q) = %q holds %q", s, got, m)
	}
	if blockStart.MatchString(strings.TrimSpace(got)) || strings.ContainsAny(got, "\n\r") {
		t.Errorf("plain(%q) = %q begins a block", s, got)
	}
	if name := name(s); strings.HasPrefix(name, "`") && strings.ContainsAny(strings.Trim(name, "`"), "`|\\<>@#") {
		t.Errorf("name(%q) = %q", s, name)
	}
}

// However much there is, the comment is one that GitHub takes, and says that something is left out.
func TestLimit(t *testing.T) {
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
		if got := render(t, many, most); !strings.Contains(got, "left out") {
			t.Error("nothing is said of what is left out")
		}
		for _, c := range documenttest.Documents() {
			render(t, c.Document, most)
		}
	}
}
