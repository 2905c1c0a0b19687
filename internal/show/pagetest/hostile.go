package pagetest

import (
	"encoding/xml"
	"errors"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Attacks are texts that would do something if the page took them for anything but text.
var Attacks = []string{
	`<script>alert(1)</script>`, `</script><script>alert(2)</script>`, `"><img/src=x/onerror=alert(3)>`,
	`'onmouseover='alert(4)`, `{{.}}{{template`, `</title></style><svg/onload=alert(5)>`, `<!--<script>`, `]]>`,
	`javascript:alert(6)`, "\u202egnp.exe\u2066", "nul\x00nul", "\x1b[31m", "line\u2028sep\u2029", `${alert(7)}`,
	`</pre></details></table>`, "\xff\xfe",
}

// Spoil puts text behind every text of a value, but for the fields of those names, which choose
// what is shown.
func Spoil(v reflect.Value, text string, but ...string) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			Spoil(v.Elem(), text, but...)
		}
	case reflect.Slice:
		for i := range v.Len() {
			Spoil(v.Index(i), text, but...)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if !slices.Contains(but, v.Type().Field(i).Name) {
				Spoil(v.Field(i), text, but...)
			}
		}
	case reflect.String:
		if v.String() != "" && v.CanSet() {
			v.SetString(v.String() + text)
		}
	}
}

var (
	raw  = regexp.MustCompile(`(?s)<(script|style)[^>]*>.*?</(?:script|style)>`)
	void = regexp.MustCompile(`<(meta|input)\b([^>]*)>`)
)

// Structure lists the elements of a page with the names of their attributes, and returns its
// text. An XML parser, told HTML's habits, is stricter than a browser.
func Structure(t testing.TB, html string) (elements []string, shown string) {
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
