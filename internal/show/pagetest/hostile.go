package pagetest

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
)

var (
	raw  = regexp.MustCompile(`(?s)<(script|style)[^>]*>.*?</(?:script|style)>`)
	void = regexp.MustCompile(`<(meta|input|br)\b([^>]*)>`)
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
