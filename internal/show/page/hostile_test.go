package page

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"memcost/internal/measure/plan"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

// attacks are texts that would do something if the page took them for anything
// but text.
var attacks = []string{
	`<script>alert(1)</script>`, `</script><script>alert(2)</script>`, `"><img/src=x/onerror=alert(3)>`,
	`'onmouseover='alert(4)`,
	`{{.}}{{template`, `</title></style><svg/onload=alert(5)>`, `<!--<script>`, `]]>`, `&lt;b&gt;&#60;i&#62;`,
	`javascript:alert(6)`,
	"\u202egnp.exe\u2066", "nul\x00nul", "\x1b[31m", "line\u2028sep\u2029", `\u003cscript>`, `${alert(7)}`,
}

// written returns a run whose every text is made by a function from a harmless one
// and a number.
func written(t testing.TB, text func(n int, harmless string) string) *result.Answer {
	n := 0
	next := func(harmless string) string { n++; return text(n, harmless) }
	directive := func(verb, text string) language.Directive {
		return language.Directive{Verb: verb, Text: text, Pos: language.Pos{File: next("x_test.go"), Line: 1}}
	}
	s := suite{name: next("words"), directives: []language.Directive{
		directive("question", next("Which?")),
		directive("claim", "S1 place:heap / place:stack > 1 for every size # "+next("prose")),
		directive("claim", "S2 place:heap allocs/op == 1 # "+next("prose")),
		directive("table", next("Title")+" by size: "+header(next("one"))+" = place:stack | "+header(next("two"))+
			" = place:heap / place:stack"),
	}}
	for _, size := range []int{64, 1024, 4096} {
		s.cases = append(s.cases, bench{name: fmt.Sprintf("Words/place=stack/size=%d-2", size),
			sec: 1e-9 * float64(size)},
			bench{name: fmt.Sprintf("Words/place=heap/size=%d-2", size), sec: 2e-9 * float64(size), allocs: 1})
	}
	for range attacks {
		word := strings.NewReplacer(" ", "_", "\x00", "", "\u2028", "", "\u2029", "").Replace(next("kind"))
		s.cases = append(s.cases, bench{name: "Words/kind=" + word + "-2", sec: 1e-9, spread: 0.1})
	}
	return made(t, &folder{cpu: next("cpu"), rounds: 14, suites: []suite{s}, edit: func(q *plan.Question) {
		for range attacks {
			q.Warnings = append(q.Warnings, next("warning"))
		}
		q.Machine.Virtualization, q.Tool = next("kvm"), next("memcost")
		q.Command = append(q.Command, next("argument"))
		q.LeftOut = []string{next("left out")}
		q.Plan.Arms[0].Env = []string{next("GOGC=off")}
		q.Plan.Failures = []plan.Failure{{Name: "Words/kind=" + next("lost") + "-2", Arm: "go1.26.8",
			Reason: next("no reason"), Log: next("log")}}
	}})
}

// header returns a text that can stand before the = of a column.
func header(s string) string { return strings.NewReplacer("=", "-", "|", "-").Replace(s) }

// Whatever stands in a run, the page has the same elements and attributes as with
// harmless words, and the words as text.
func TestHostileWordsStayText(t *testing.T) {
	harmless := render(t, written(t, func(n int, s string) string { return fmt.Sprint(s, n) }))
	calm, _ := structure(t, harmless)
	if len(calm) < 200 {
		t.Fatalf("only %d elements", len(calm))
	}
	for shift := range attacks {
		hostile := render(t, written(t, func(n int, s string) string {
			return fmt.Sprint(s, n) + attacks[(n+shift)%len(attacks)]
		}))
		if strings.ContainsRune(hostile, 0) {
			t.Errorf("shift %d: the page holds NUL", shift)
		}
		got, text := structure(t, hostile)
		for i := range min(len(got), len(calm)) {
			if got[i] != calm[i] {
				t.Fatalf("shift %d: element %d is %s, with harmless words %s", shift, i, got[i], calm[i])
			}
		}
		if len(got) != len(calm) {
			t.Errorf("shift %d: %d elements, with harmless words %d", shift, len(got), len(calm))
		}
		for _, a := range attacks {
			if want := strings.ReplaceAll(a, "\x00", "\uFFFD"); !strings.Contains(text, want) &&
				strings.IndexFunc(a, odd) < 0 {
				t.Errorf("shift %d: the text %q is not on the page", shift, want)
			}
		}
	}
}

func odd(r rune) bool {
	return r < ' ' || r == '\u2028' || r == '\u2029' || r == '\u202e' || r == '\u2066'
}

var rawText = regexp.MustCompile(`(?s)<(script|style)[^>]*>.*?</(?:script|style)>`)

// void are the elements that have no end.
var void = regexp.MustCompile(`<(meta|br|input)\b([^>]*)>`)

// structure lists the elements of a page with the names of their attributes, and
// returns its text. An XML parser that is told HTML's habits reads the page but
// for its scripts and styles, and is stricter than a browser.
func structure(t *testing.T, html string) (elements []string, text string) {
	t.Helper()
	parts, err := readParts()
	if err != nil {
		t.Fatal(err)
	}
	html = strings.Replace(html, string(parts.Style), "", 1)
	html = strings.Replace(html, string(parts.Look), "", 1)
	for _, s := range parts.Scripts {
		html = strings.Replace(html, string(s), "", 1)
	}
	for _, m := range rawText.FindAllString(html, -1) {
		elements = append(elements, m[:strings.IndexByte(m, '>')])
	}
	html = rawText.ReplaceAllString(html, "")
	html = void.ReplaceAllString(html, "<$1$2/>")
	html = strings.NewReplacer("<!doctype html>", "", " hidden>", ` hidden="">`, "\x1b", "?").Replace(html)
	d := xml.NewDecoder(strings.NewReader(html))
	d.Entity = xml.HTMLEntity
	var b strings.Builder
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return elements, b.String()
		}
		if err != nil {
			line, _ := d.InputPos()
			t.Fatalf("the page is not well-formed: %v: %s", err, strings.Split(html, "\n")[line-1])
		}
		switch x := token.(type) {
		case xml.StartElement:
			e := x.Name.Local
			for _, a := range x.Attr {
				e += " " + a.Name.Local
				if a.Name.Local == "href" && !strings.HasPrefix(a.Value, "#") {
					t.Errorf("a link to %q", a.Value)
				}
			}
			elements = append(elements, e)
		case xml.CharData:
			b.Write(x)
		case xml.Comment, xml.ProcInst, xml.Directive:
			t.Errorf("the page holds %T", x)
		}
	}
}

// The same in the browser, where the data are drawn too.
func TestHostileWordsInTheBrowser(t *testing.T) {
	for shift := 0; shift < len(attacks); shift += 5 {
		p := open(t, "", written(t, func(n int, s string) string { return s + attacks[(n+shift)%len(attacks)] }))
		p.draw()
		p.Check("the scripts run", `document.documentElement.dataset.ready === "true"`)
		p.Check("no element came from a text",
			fmt.Sprintf(
				`document.querySelectorAll("script").length === %d && !document.querySelector("img, body > svg, [onerror], [onload], [onmouseover]")`, len(scripts)+2))
		if n := eval[int](p, `document.querySelectorAll(".drawing svg[role=img]").length`); n < 3 {
			t.Errorf("%d pictures are drawn", n)
		}
		p.Check("a text is shown as it stands",
			`[...document.querySelectorAll("p.warning")].some(w => w.textContent.includes("<script>alert(1)</script>"))`)
		if s := eval[[]string](p, misfits); len(s) > 0 {
			t.Errorf("shift %d: %s", shift, strings.Join(s, "\n"))
		}
	}
}
