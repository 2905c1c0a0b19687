package stacklog

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"strings"
	"testing"
)

// elements parses XML and counts its elements by name and class.
func elements(t *testing.T, text string) map[string]int {
	t.Helper()
	found := map[string]int{}
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatalf("%v in:\n%s", err, text)
		}
		if e, ok := tok.(xml.StartElement); ok {
			name := e.Name.Local
			for _, a := range e.Attr {
				if a.Name.Local == "class" {
					name += "." + a.Value
				}
			}
			found[name]++
		}
	}
}

func TestPicture(t *testing.T) {
	l := &Log{Chains: []Chain{
		{Sizes: []uint64{2048, 4096}, N: 300},
		{Sizes: []uint64{2048, 4096, 8192, 4096}, N: 100},
		{Sizes: []uint64{2048, 32768}, N: 1},
	}}
	svg := l.Picture()
	got := elements(t, svg)
	for name, want := range map[string]int{"line.grow": 3, "line.shrink": 1, "circle.end": 3, "line.grid": 5} {
		if got[name] != want {
			t.Errorf("%d of %s, want %d:\n%s", got[name], name, want, svg)
		}
	}
	for _, want := range []string{
		`stroke-width="22.0"><title>400 goroutines: 2 KiB to 4 KiB`, `stroke-width="5.5"><title>100 goroutines: 4 KiB to 8 KiB`,
		`stroke-width="1.5"><title>1 goroutine: 2 KiB to 32 KiB`, `<title>300 goroutines stayed with 4 KiB`, `<title>100 goroutines stayed with 4 KiB`,
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in\n%s", want, svg)
		}
	}
	if s := (&Log{}).Picture(); s != "" {
		t.Errorf("a picture of nothing: %s", s)
	}
	// A life without end has no end, and a picture of bounded width.
	long := &Log{Chains: []Chain{{Sizes: []uint64{2048, 4096, 2048}, More: true, N: math.MaxInt64 / 2}}}
	if got := elements(t, long.Picture()); got["circle.end"] != 0 || got["line.grow"] != 1 {
		t.Errorf("%v", got)
	}
}

// hostile is in every text that is not ours.
const hostile = `</title><script>alert(1)</script>"'&<i>`

func TestPageEscapes(t *testing.T) {
	l := readText(t, growth, Options{})
	l.Symbolise(func(uint64) (string, string, int) { return hostile, "/" + hostile, 3 })
	l.Warnings = append(l.Warnings, errors.New(hostile))
	run := Run{Name: hostile, Facts: [][2]string{{hostile, hostile}}, Notes: []string{hostile}, Log: l}
	var b bytes.Buffer
	if err := WritePage(&b, hostile, []Run{run, {Name: "nothing"}}); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if strings.Contains(page, "<script") || strings.Contains(page, "<i>") || strings.Count(page, "&lt;script&gt;") < 8 {
		t.Errorf("not escaped:\n%s", page)
	}
	if strings.Contains(page, "http") || strings.Contains(page, "src=") || strings.Contains(page, "url(") {
		t.Errorf("it needs something else:\n%s", page)
	}
	// But for its void elements it is XML: all is nested as it should be.
	got := elements(t, strings.NewReplacer("<!DOCTYPE html>", "", `<meta charset="utf-8">`, "", `<meta name="viewport" content="width=device-width, initial-scale=1">`, "",
		`<meta name="color-scheme" content="light dark">`, "", "<br>", "").Replace(page))
	if got["section"] != 2 || got["table"] != 6 || got["svg.chains"] != 1 || got["details"] != 6 {
		t.Errorf("%v", got)
	}
}

// Every class that is drawn has its colours.
func TestStyleHasTheClasses(t *testing.T) {
	l := &Log{Chains: []Chain{{Sizes: []uint64{4096, 8192, 8192, 2048}, N: 2}}}
	for name := range elements(t, l.Picture()) {
		_, class, ok := strings.Cut(name, ".")
		if ok && class != "chains" && class != "label" && !strings.Contains(pageStyle, ".chains ."+class+" ") {
			t.Errorf("page.css has no %s", class)
		}
	}
}

func TestRowsAreBounded(t *testing.T) {
	l := readText(t, strings.Repeat(growth, 1500), Options{})
	var b bytes.Buffer
	if err := l.Write(&b, 3); err != nil || !strings.Contains(b.String(), "\n… and 1497 more\n") || strings.Count(b.String(), "\n0xc000000180") != 3 {
		t.Errorf("%v\n%s", err, b.String())
	}
	b.Reset()
	if err := l.Write(&b, 0); err != nil || !strings.Contains(b.String(), "\n… and 500 more\n") || strings.Count(b.String(), "\n0xc000000180") != 1000 {
		t.Errorf("%v\n%.2000s", err, b.String())
	}
	b.Reset()
	if err := WritePage(&b, "x", []Run{{Log: l}}); err != nil || !strings.Contains(b.String(), "<p>… and 1300 more</p>") || strings.Count(b.String(), "<td>0xc000000180</td>") != pageRows {
		t.Errorf("%v\n%.2000s", err, b.String())
	}
}

func TestOverview(t *testing.T) {
	var b bytes.Buffer
	l := readText(t, captured(t, "go1.13.15-array.log"), Options{})
	if err := WriteOverview(&b, []Run{{Name: "array", Log: l}, {Name: "other"}}); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.HasPrefix(got, "program  growths  ") || !strings.Contains(got, "array    13       0        16 MiB         2600          24") || !strings.HasSuffix(strings.TrimSpace(got), "not run") {
		t.Errorf("got\n%s", got)
	}
}

// A Log in JSON: its names are part of docs/stack.md.
func TestJSON(t *testing.T) {
	text, err := json.Marshal(readText(t, growth, Options{}))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), `"event":"grow","from":2048,"to":4096,"times":1,"bytes_copied":1136`) {
		t.Errorf("got %s", text)
	}
	page, err := os.ReadFile("../../docs/stack.md")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	documented(t, string(page), all)
}

func documented(t *testing.T, page string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if !strings.Contains(page, "`"+k+"`") {
				t.Errorf("docs/stack.md does not name %s", k)
			}
			documented(t, page, x)
		}
	case []any:
		for _, x := range v {
			documented(t, page, x)
		}
	}
}
