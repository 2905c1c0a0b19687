package diffpage

import (
	"encoding/xml"
	"errors"
	"io"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"memcost/internal/sitediff"
)

// attacks are texts that would do something if the page took them for anything but text.
var attacks = []string{
	`<script>alert(1)</script>`, `</script><script>alert(2)</script>`, `"><img/src=x/onerror=alert(3)>`,
	`'onmouseover='alert(4)`, `{{.}}{{template`, `</title></style><svg/onload=alert(5)>`, `<!--<script>`, `]]>`,
	`javascript:alert(6)`, "\u202egnp.exe\u2066", "nul\x00nul", "\x1b[31m", "line\u2028sep\u2029", `${alert(7)}`,
	`</pre></details></table>`, "\xff\xfe",
}

// spoil puts text behind every text of a value, but for those that choose what is shown.
func spoil(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			spoil(v.Elem(), text)
		}
	case reflect.Slice:
		for i := range v.Len() {
			spoil(v.Index(i), text)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			switch v.Type().Field(i).Name {
			case "Mode", "Kind", "Only":
			default:
				spoil(v.Field(i), text)
			}
		}
	case reflect.String:
		if v.String() != "" {
			v.SetString(v.String() + text)
		}
	}
}

func spoiled(t *testing.T, attack string) string {
	all := append(diffs(t), many(t, 20)...)
	spoil(reflect.ValueOf(all), attack)
	return render(t, all, Options{Invocation: "memcost" + attack})
}

// Whatever stands in a comparison, the page has the same elements and attributes as with harmless
// words, and the words as text.
func TestHostileWordsStayText(t *testing.T) {
	calm, _ := structure(t, spoiled(t, "harmless"))
	if len(calm) < 300 {
		t.Fatalf("only %d elements", len(calm))
	}
	for _, a := range attacks {
		page := spoiled(t, a)
		got, shown := structure(t, page)
		if strings.Join(got, "\n") != strings.Join(calm, "\n") {
			t.Errorf("%q: other elements", a)
		}
		if strings.ContainsAny(page, "\x00\x1b\u202e\u2066") {
			t.Errorf("%q: the page holds characters that change what stands around them", a)
		}
		plain := strings.IndexFunc(a, func(r rune) bool { return r < ' ' || r > '~' }) < 0
		if plain && strings.Count(shown, a) < 50 {
			t.Errorf("%q stands on the page %d times", a, strings.Count(shown, a))
		}
		if n := strings.Count(page, "</script>"); n != 2 {
			t.Errorf("%q: %d scripts end, there are 2", a, n)
		}
	}
}

// A name of a site that is markup is a text in the script's data, too.
func TestHostileData(t *testing.T) {
	old, now := reports(t)
	now.Sites[3].Function = "</script><script>alert(1)</script>"
	if html := render(t, sitediff.CompareAll(old, now), Options{}); strings.Contains(html, "<script>alert") {
		t.Error("a function's name is a script")
	}
}

var (
	raw  = regexp.MustCompile(`(?s)<(script|style)[^>]*>.*?</(?:script|style)>`)
	void = regexp.MustCompile(`<(meta|input)\b([^>]*)>`)
)

// structure lists the elements of a page with the names of their attributes, and returns its
// text. An XML parser, told HTML's habits, is stricter than a browser.
func structure(t *testing.T, html string) (elements []string, shown string) {
	t.Helper()
	for _, m := range raw.FindAllString(html, -1) {
		elements = append(elements, m[:strings.IndexByte(m, '>')])
	}
	html = void.ReplaceAllString(raw.ReplaceAllString(html, ""), "<$1$2/>")
	html = strings.NewReplacer("<!doctype html>", "", " hidden>", ` hidden="">`).Replace(html)
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
			}
			elements = append(elements, e)
		case xml.CharData:
			b.Write(x)
		case xml.Comment, xml.ProcInst, xml.Directive:
			t.Errorf("the page holds %T", x)
		}
	}
}
