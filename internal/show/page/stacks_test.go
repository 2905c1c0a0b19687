package page

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"memcost/internal/gotool/stacklog"
	"memcost/internal/show/text"
)

// growth is what the runtime writes when a stack grows.
const growth = "runtime: newstack sp=0xc000034388 stack=[0xc000034000, 0xc000034800]\n" +
	"\tmorebuf={pc:0x11 sp:0xc000034398 lr:0x0}\n\tsched={pc:0x22 sp:0xc000034390 lr:0x0 ctxt:0x0}\n" +
	"stackalloc 4096\n  allocated 0xc000060000\n" +
	"copystack gp=0xc000000180 [0xc000034000 0xc000034390 0xc000034800] -> [0xc000060000 0xc000060b90 " +
	"0xc000061000]/4096\n" +
	"stackfree 0xc000034000 2048\nstack grow done\n"

// readGrowth returns what a log says.
func readGrowth(t *testing.T, log string) *stacklog.Log {
	t.Helper()
	l, err := stacklog.Read(strings.NewReader(log), stacklog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

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
	l := &stacklog.Log{Chains: []stacklog.Chain{
		{Sizes: []uint64{2048, 4096}, N: 300},
		{Sizes: []uint64{2048, 4096, 8192, 4096}, N: 100},
		{Sizes: []uint64{2048, 32768}, N: 1},
	}}
	svg := stackPicture(l)
	got := elements(t, svg)
	for name, want := range map[string]int{"line.grow": 3, "line.shrink": 1, "circle.end": 3, "line.grid": 5} {
		if got[name] != want {
			t.Errorf("%d of %s, want %d:\n%s", got[name], name, want, svg)
		}
	}
	for _, want := range []string{
		`stroke-width="22.0"><title>400 goroutines: 2 KiB to 4 KiB`,
		`stroke-width="5.5"><title>100 goroutines: 4 KiB to 8 KiB`,
		`stroke-width="1.5"><title>1 goroutine: 2 KiB to 32 KiB`, `<title>300 goroutines kept a stack of 4 KiB`,
		`<title>100 goroutines kept a stack of 4 KiB`,
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in\n%s", want, svg)
		}
	}
	if s := stackPicture(&stacklog.Log{}); s != "" {
		t.Errorf("a picture of nothing: %s", s)
	}
	// A life without end has no end, and a picture of bounded width.
	long := &stacklog.Log{Chains: []stacklog.Chain{{Sizes: []uint64{2048, 4096, 2048}, More: true,
		N: math.MaxInt64 / 2}}}
	if got := elements(t, stackPicture(long)); got["circle.end"] != 0 || got["line.grow"] != 1 {
		t.Errorf("%v", got)
	}
}

// hostileStack is in every text that is not ours.
const hostileStack = `</title><script>alert(1)</script>"'&<i>`

func TestPageEscapes(t *testing.T) {
	l := readGrowth(t, growth)
	l.Symbolise(func(uint64) (string, string, int) { return hostileStack, "/" + hostileStack, 3 })
	l.Warnings = append(l.Warnings, errors.New(hostileStack))
	run := text.StackRun{Name: hostileStack, Facts: [][2]string{{hostileStack, hostileStack}},
		Notes: []string{hostileStack}, Log: l}
	var b bytes.Buffer
	if err := WriteStacks(&b, hostileStack, []text.StackRun{run, {Name: "nothing"}}); err != nil {
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
	got := elements(t, strings.NewReplacer("<!DOCTYPE html>", "", `<meta charset="utf-8">`, "",
		`<meta name="viewport" content="width=device-width, initial-scale=1">`, "",
		`<meta name="color-scheme" content="light dark">`, "", "<br>", "").Replace(page))
	if got["section"] != 2 || got["table"] != 6 || got["svg.chains"] != 1 || got["details"] != 6 {
		t.Errorf("%v", got)
	}
}

// Every class that is drawn has its colours.
func TestStackStyleHasTheClasses(t *testing.T) {
	style, err := assets.ReadFile("assets/stacks.css")
	if err != nil {
		t.Fatal(err)
	}
	l := &stacklog.Log{Chains: []stacklog.Chain{{Sizes: []uint64{4096, 8192, 8192, 2048}, N: 2}}}
	for name := range elements(t, stackPicture(l)) {
		_, class, ok := strings.Cut(name, ".")
		if ok && class != "chains" && class != "label" && !strings.Contains(string(style), ".chains ."+class+" ") {
			t.Errorf("stacks.css has no %s", class)
		}
	}
}

func TestRowsOfAPageAreBounded(t *testing.T) {
	l := readGrowth(t, strings.Repeat(growth, 1500))
	var b bytes.Buffer
	if err := WriteStacks(&b, "x", []text.StackRun{{Log: l}}); err != nil ||
		!strings.Contains(b.String(), "<p>… and 1300 more</p>") ||
		strings.Count(b.String(), "<td>0xc000000180</td>") != pageRows {
		t.Errorf("%v\n%.2000s", err, b.String())
	}
}
