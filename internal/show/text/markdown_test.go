package text

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"memcost/internal/report/result"
	"memcost/internal/testkit"
)

// markdown renders answers, and checks what holds of every answer.
func markdown(t testing.TB, answers ...*result.Answer) string {
	t.Helper()
	var b bytes.Buffer
	if err := Markdown(&b, "", answers); err != nil {
		t.Fatal(err)
	}
	s := b.String()
	if n := utf8.RuneCountInString(s); n >= 65_536 {
		t.Errorf("%d characters are more than GitHub takes", n)
	}
	opened := strings.Count(s, "<details>") + strings.Count(s, "<details open>")
	if !strings.HasSuffix(s, "\n</details>\n") || opened == 0 || strings.Count(s, "</details>") != opened ||
		strings.Count(s, "<summary>") != opened || strings.Count(s, "</summary>") != opened {
		t.Errorf("the end is not folded in: %.200q", s[max(len(s)-200, 0):])
	}
	var columns int
	for _, line := range strings.Split(s, "\n") {
		n := strings.Count(line, "|")
		if n > 0 && (!strings.HasPrefix(line, "| ") || !strings.HasSuffix(line, " |") || columns > 0 && n != columns) {
			t.Errorf("not a row of %d columns: %s", columns-1, line)
		}
		if columns = n; n == 0 {
			columns = 0
		}
	}
	return s
}

func TestMarkdownGolden(t *testing.T) {
	for _, name := range []string{"healthy", "arms", "busy", "partial", "troubled", "escapes", "empty", "numbers"} {
		testkit.Golden(t, "testdata/"+name+".md", markdown(t, readRun(t, name)))
	}
	testkit.Golden(t, "testdata/files/damaged.md", markdown(t, readFile(t, "files/damaged.txt")))
}

const hostile = "a|b`c``<script>alert(1)</script><!-- --></details>&amp;\n\n# " +
	"H\n[x](https://evil.example/?q)![i](http://e.example/i.png) " +
	"@octocat #12 *b* _i_ ~~s~~ \\| www.evil.example $x$ me@evil.example \x1b[2J \u202e ```"

// markup is all that GitHub's Markdown could make something of; the renderer's own
// is taken out first.
var (
	ownMarkup = regexp.MustCompile(
		"</?details>|<details open>|</?summary>|(?m)^### |^- |^\\| | \\|$| \\| |\\*\\*|\\[[0-9.e+]+, " +
			"[0-9.e+]+\\]|\\| :?--:? |`--json`|&#\\d+;")
	markup = regexp.MustCompile("[|`<>\\[\\]*_~\\\\&$]|@[^\u200b]|#[^\u200b]|://|www\\.")
)

func TestMarkdownIsOnlyText(t *testing.T) {
	for _, s := range []string{hostile, "- x", "1. x", "=== ", "+ x", "12) y", "    code", "| a |",
		"https://evil.example", "WWW.evil.example", "@a", "#1", ""} {
		got := md(s)
		rest := regexp.MustCompile(`&#\d+;`).ReplaceAllString(got, "")
		rest = strings.NewReplacer(":\u200b//", "", "www\u200b.", "").Replace(rest)
		if m := markup.FindString(rest); m != "" {
			t.Errorf("md(%q) = %q holds %q", s, got, m)
		}
		if blockStart.MatchString(got) || strings.ContainsAny(got, "\n\r") {
			t.Errorf("md(%q) = %q begins a block", s, got)
		}
		if name := mdName(s); name != got && strings.ContainsAny(strings.Trim(name, "`"), "`|\\<>@#") {
			t.Errorf("mdName(%q) = %q", s, name)
		}
	}
	if got := mdName("Smaug/place=stack/size=1024-2"); got != "`Smaug/place=stack/size=1024-2`" {
		t.Error(got)
	}
}

// Whatever stands in an answer, it cannot leave its place.
func TestMarkdownOfHostileAnswers(t *testing.T) {
	a := readRun(t, "arms")
	a.Dir, a.Tool, a.Command, a.Warnings = "/tmp/"+hostile, hostile, []string{hostile},
		[]string{hostile, "- " + hostile}
	a.Machine.CPUModel, a.Machine.OS = hostile, hostile
	for i := range a.Arms {
		a.Arms[i].Name += hostile
	}
	s := &a.Suites[0]
	s.Name, s.Question = hostile, "- "+hostile
	for i := range s.Tables {
		x := &s.Tables[i]
		x.Title, x.By, x.Arm, x.Columns[0] = hostile, hostile, hostile, hostile
		x.Rows[0].Label, x.Rows[0].Cells[0].Note, x.Rows[0].Cells[1].Unit = hostile, hostile, hostile
	}
	for i := range s.Claims {
		c := &s.Claims[i]
		c.ID, c.Prose = fmt.Sprint(hostile, i), hostile
		for j := range c.Verdicts {
			c.Verdicts[j].Data += hostile
			c.Verdicts[j].Notes = []string{hostile}
		}
	}
	for i := range s.Answer {
		s.Answer[i].Arm, s.Answer[i].Text = hostile, hostile
	}
	for i := range s.Cases {
		c := &s.Cases[i]
		c.Name += hostile
		c.Arm = hostile
		c.Flags, c.Failed, c.Invalid = []string{hostile}, hostile, []string{hostile}
	}
	b := *a
	b.Dir = "/elsewhere/" + hostile
	for _, answers := range [][]*result.Answer{{a}, {a, &b}} {
		got := markdown(t, answers...)
		for _, line := range strings.Split(got, "\n") {
			rest := ownMarkup.ReplaceAllString(line, "")
			rest = regexp.MustCompile("`[A-Za-z0-9/=_.,+%()' -]+`").ReplaceAllString(rest, "")
			rest = strings.ReplaceAll(rest, "|", "") // counted by markdown
			rest = strings.NewReplacer(":\u200b//", "", "www\u200b.", "").Replace(rest)
			if m := markup.FindString(rest); m != "" {
				t.Errorf("%q is left in: %s", m, line)
			}
		}
	}
}

// However much there is, and wherever, the comment is one that GitHub takes.
func TestMarkdownLimit(t *testing.T) {
	base := func() *result.Answer {
		return readRun(t, "arms")
	}
	long := strings.Repeat("long_name|", 4000)
	for name, edit := range map[string]func(a *result.Answer){
		"cases":  func(a *result.Answer) { a.Suites[0].Cases = repeat(a.Suites[0].Cases, 3000) },
		"tables": func(a *result.Answer) { a.Suites[0].Tables = repeat(a.Suites[0].Tables, 2000) },
		"claims": func(a *result.Answer) {
			a.Suites[0].Claims = repeat(a.Suites[0].Claims, 2000)
			for i := range a.Suites[0].Claims {
				a.Suites[0].Claims[i].ID = fmt.Sprint("C", i)
			}
		},
		"suites":   func(a *result.Answer) { a.Suites = repeat(a.Suites, 3000) },
		"warnings": func(a *result.Answer) { a.Warnings = repeat([]string{long}, 5000) },
		"problems": func(a *result.Answer) {
			for i := range a.Suites[0].Cases {
				for j := range 1000 { // of one cause they would be one
					a.Suites[0].Cases[i].Flags = append(a.Suites[0].Cases[i].Flags, fmt.Sprint(long, j))
				}
			}
		},
		"names": func(a *result.Answer) {
			for i := range a.Suites[0].Cases {
				a.Suites[0].Cases[i].Name += long
			}
			a.Suites[0].Question = long
		},
		"answers": func(a *result.Answer) {},
	} {
		t.Run(name, func(t *testing.T) {
			a := base()
			edit(a)
			answers := []*result.Answer{a}
			if name == "answers" {
				answers = repeat(answers, 100)
			}
			s := markdown(t, answers...)
			if name != "names" && !strings.Contains(s, "left out for want of room") {
				t.Error("nothing is said of what is left out")
			}
		})
	}
}

func repeat[T any](xs []T, n int) []T {
	var out []T
	for range n {
		out = append(out, xs...)
	}
	return out
}
