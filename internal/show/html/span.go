package html

import (
	"bytes"
	"encoding/json"
	"html"
	"regexp"
	"strings"

	"memcost/internal/document"
)

// escaped makes a text fit for an element or an attribute.
func escaped(s string) string { return html.EscapeString(document.Clean(s)) }

// lines is escaped for a text whose line ends and tabs mean something.
func lines(s string) string {
	var b strings.Builder
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		for j, piece := range strings.Split(line, "\t") {
			if j > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(escaped(piece))
		}
	}
	return b.String()
}

// address matches what a link of the page may lead to outside of it: never a script.
var address = regexp.MustCompile(`^(https?://|[^:]*$)`)

// text writes spans with their kinds as elements.
func (p *page) text(t document.Text) string {
	var b strings.Builder
	for _, s := range t {
		b.WriteString(p.span(s))
	}
	return b.String()
}

// figures is text for a cell of a table, in which numbers do not stand out.
func (p *page) figures(t document.Text) string {
	var b strings.Builder
	for _, s := range t {
		if s.Kind == document.Number {
			s.Kind = document.Plain
		}
		b.WriteString(p.span(s))
	}
	return b.String()
}

func (p *page) span(s document.Span) string {
	words := escaped(s.Text)
	switch {
	case s.Kind == document.Break:
		return "<br>"
	case s.Text == "":
		return ""
	}
	if class := s.Verdict.Class(); class != "" && s.Kind != document.Link {
		return `<span class="status ` + class + `">` + words + `</span>`
	}
	switch s.Kind {
	case document.Strong:
		return "<b>" + words + "</b>"
	case document.Number:
		return `<b class="number">` + words + `</b>`
	case document.Interval:
		return "<small>" + words + "</small>"
	case document.Faint:
		return `<span class="soft">` + words + `</span>`
	case document.Warning:
		return `<b class="amber">` + words + `</b>`
	case document.Code:
		return "<code>" + words + "</code>"
	case document.Bar:
		return ""
	case document.Link:
		if id, inside := strings.CutPrefix(s.To, "#"); inside && !p.ids[id] || !address.MatchString(s.To) {
			return words // a link goes to something that is shown
		}
		class := ""
		if c := s.Verdict.Class(); c != "" {
			class = ` class="chip ` + c + `"`
		}
		return `<a` + class + ` href="` + escaped(s.To) + `" rel="noreferrer">` + words + `</a>`
	}
	return words
}

// data writes what the script of a picture reads, with every text in it made harmless.
func data(v any) (string, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var plain any
	if err := d.Decode(&plain); err != nil {
		return "", err
	}
	text, err = json.Marshal(cleanData(plain))
	return string(text), err
}

func cleanData(v any) any {
	switch v := v.(type) {
	case string:
		return document.Clean(v)
	case []any:
		for i := range v {
			v[i] = cleanData(v[i])
		}
	case map[string]any:
		for k, x := range v {
			v[k] = cleanData(x)
		}
	}
	return v
}
