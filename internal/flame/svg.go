package flame

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"golang.org/x/perf/benchunit"
)

// Options say how a flame graph is drawn.
type Options struct {
	Width    int     // in pixels; 0 is 1000
	MinShare float64 // functions with less of the total are left out; 0 is what half a pixel stands for
	Label    string  // what it shows, for those who cannot see it; "" is "flame graph"
	Style    bool    // put CSS into it, for a file that stands by itself
}

// CSS is the look of a flame graph on a light and on a dark page. Each frame is a
// <g> with the class flame-frame and that of its category: flame-user, flame-gc.
const CSS = `.flame{font:11px ui-monospace,Menlo,Consolas,monospace}
.flame rect{stroke:#fff;stroke-width:.5}
.flame text{fill:#1b1b1b;pointer-events:none}
.flame .flame-note{fill:#555}
.flame-root rect{fill:#d9d9d9}
.flame-user rect{fill:#8fc1e3}
.flame-gc rect{fill:#f2a38c}
.flame-alloc rect{fill:#f5cf7c}
.flame-sched rect{fill:#c9b3e6}
.flame-stack rect{fill:#9fd8c8}
.flame-memory rect{fill:#e3d9a0}
.flame-syscall rect{fill:#b5c7b0}
.flame-other rect{fill:#cfcfcf}
.flame-recording rect{fill:#e6e6e6}
.flame-frame:hover rect{stroke:#000;stroke-width:1}
@media (prefers-color-scheme:dark){
.flame rect{stroke:#1b1b1b}
.flame text{fill:#f2f2f2}
.flame .flame-note{fill:#aaa}
.flame-root rect{fill:#4a4a4a}
.flame-user rect{fill:#2b6389}
.flame-gc rect{fill:#97452c}
.flame-alloc rect{fill:#80621a}
.flame-sched rect{fill:#5d4585}
.flame-stack rect{fill:#256b59}
.flame-memory rect{fill:#6b6224}
.flame-syscall rect{fill:#46593f}
.flame-other rect{fill:#565656}
.flame-recording rect{fill:#3a3a3a}
.flame-frame:hover rect{stroke:#fff}
}
`

const (
	rowHeight = 16
	charWidth = 6.7 // of the 11-pixel font, a little more than the widest common one has
	padding   = 3
)

// SVG draws the profile as a flame graph: the width of a function is what it and
// those it called have of the total, the root is at the bottom. It is one <svg>
// element that needs no script; resting on a function shows its full name and figures.
func (p *Profile) SVG(w io.Writer, o Options) error {
	if o.Width == 0 {
		o.Width = 1000
	}
	if o.Width < 100 || o.Width > 100_000 {
		return fmt.Errorf("drawing a flame graph: its width is %d pixels, want 100 to 100000", o.Width)
	}
	if math.IsNaN(o.MinShare) || o.MinShare < 0 || o.MinShare >= 1 {
		return fmt.Errorf("drawing a flame graph: the least share is %g, want at least 0 and less than 1", o.MinShare)
	}
	share := max(o.MinShare, 0.5/float64(o.Width))
	root := p.tree()
	d := &drawing{
		Writer: bufio.NewWriter(w), p: p, scale: float64(o.Width) / float64(p.Total),
		least: max(1, int64(math.Ceil(share*float64(p.Total)))),
	}
	d.rows = root.depth(d.least)
	d.open(o)
	d.node(root, "root", 0, 0)
	if d.hidden > 0 {
		d.printf("<text class=\"flame-note\" x=\"%d\" y=\"%d\">%d functions with less than %s of the total each are not drawn</text>\n",
			padding, (d.rows+1)*rowHeight-4, d.hidden, percent(share))
	}
	d.printf("</svg>\n")
	if err := d.Flush(); err != nil {
		return fmt.Errorf("drawing a flame graph: %w", err)
	}
	return nil
}

// drawing is a flame graph while it is written; the bufio.Writer keeps the first error.
type drawing struct {
	*bufio.Writer
	p      *Profile
	scale  float64 // pixels for one of the profile's units
	least  int64   // what a function must have to be drawn
	rows   int
	hidden int // functions not drawn, with none of what is above them
}

func (d *drawing) printf(format string, args ...any) { fmt.Fprintf(d, format, args...) }

func (d *drawing) open(o Options) {
	label := o.Label
	if label == "" {
		label = "flame graph"
	}
	height := (d.rows + 1) * rowHeight
	d.printf("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flame\" role=\"img\" aria-label=\"%s\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n",
		escaped(label), o.Width, height, o.Width, height)
	if o.Style {
		d.printf("<style>\n%s</style>\n", CSS)
	}
}

// node draws n and what it called, from before on, in the row of that number from below.
func (d *drawing) node(n *node, class string, before int64, row int) {
	x, width := float64(before)*d.scale, float64(n.cum)*d.scale
	y := (d.rows - 1 - row) * rowHeight
	d.printf("<g class=\"flame-frame flame-%s\"><title>%s</title><rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>", class, d.title(n), x, y, width, rowHeight)
	if label := cut(short(n.frame.name), int((width-2*padding)/charWidth)); label != "" {
		d.printf("<text x=\"%.1f\" y=\"%d\">%s</text>", x+padding, y+rowHeight-4, escaped(label))
	}
	d.printf("</g>\n")
	for _, c := range n.children {
		if c.cum < d.least {
			d.hidden++
		} else {
			d.node(c, string(c.category), before, row+1)
		}
		before += c.cum
	}
}

// title is what resting on a function shows.
func (d *drawing) title(n *node) string {
	s := fmt.Sprintf("%s\n%s, %s of the total", n.frame.name, d.p.amount(n.cum), percent(float64(n.cum)/float64(d.p.Total)))
	if n.flat > 0 {
		s += fmt.Sprintf("\n%s, %s in itself", d.p.amount(n.flat), percent(float64(n.flat)/float64(d.p.Total)))
	}
	if n.frame.file != "" {
		s += "\n" + n.frame.file
	}
	return escaped(s)
}

func percent(share float64) string { return fmt.Sprintf("%.3g%%", share*100) }

// amount is a value of the profile for people.
func (p *Profile) amount(v int64) string {
	switch p.Unit {
	case "nanoseconds":
		return benchunit.Scale(float64(v)/1e9, benchunit.Decimal) + "s"
	case "bytes":
		return benchunit.Scale(float64(v), benchunit.Binary) + "B"
	}
	return fmt.Sprintf("%d", v)
}

// short leaves out the path of a function's package.
func short(name string) string {
	pkg, fn := split(name)
	if pkg == "" {
		return name
	}
	return pkg[strings.LastIndexByte(pkg, '/')+1:] + "." + fn
}

// cut shortens a label to n characters, and to none where too few would be left.
func cut(label string, n int) string {
	if utf8.RuneCountInString(label) <= n {
		return label
	}
	if n < 3 {
		return ""
	}
	return string([]rune(label)[:n-1]) + "…"
}

// escaped is s for the text or an attribute of an XML document: characters that
// XML has no way to say become U+FFFD.
func escaped(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a strings.Builder takes everything
	return b.String()
}
