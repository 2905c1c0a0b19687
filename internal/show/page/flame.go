package page

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"memcost/internal/base/units"
	"memcost/internal/gotool/profile"
)

// flameOptions say how a flame graph is drawn.
type flameOptions struct {
	Width    int     // in pixels; 0 is 1000
	MinShare float64 // functions with less of the total are left out; 0 is what half a pixel stands for
	Label    string  // what it shows, for those who cannot see it; "" is "flame graph"
	Style    bool    // put CSS into it, for a file that stands by itself
}

// flameCSS is the look of a flame graph on a light and on a dark page, as its color-scheme
// is. Each frame is a
// <g> with the class flame-frame and that of its category: flame-user, flame-gc.
const flameCSS = `.flame{font:11px ui-monospace,Menlo,Consolas,monospace}
.flame rect{stroke:light-dark(#fff,#1b1b1b);stroke-width:.5}
.flame text{fill:light-dark(#1b1b1b,#f2f2f2);pointer-events:none}
.flame .flame-note{fill:light-dark(#555,#aaa)}
.flame-root rect{fill:light-dark(#d9d9d9,#4a4a4a)}
.flame-user rect{fill:light-dark(#8fc1e3,#2b6389)}
.flame-gc rect{fill:light-dark(#f2a38c,#97452c)}
.flame-alloc rect{fill:light-dark(#f5cf7c,#80621a)}
.flame-sched rect{fill:light-dark(#c9b3e6,#5d4585)}
.flame-stack rect{fill:light-dark(#9fd8c8,#256b59)}
.flame-memory rect{fill:light-dark(#e3d9a0,#6b6224)}
.flame-syscall rect{fill:light-dark(#b5c7b0,#46593f)}
.flame-other rect{fill:light-dark(#cfcfcf,#565656)}
.flame-recording rect{fill:light-dark(#e6e6e6,#3a3a3a)}
.flame-frame:hover rect{stroke:light-dark(#000,#fff);stroke-width:1}
`

const (
	rowHeight = 16
	charWidth = 6.7 // of the 11-pixel font, a little more than the widest common one has
	padding   = 3
)

// drawFlame draws a profile as a flame graph: the width of a function is what it and
// those it called have of the total, the root is at the bottom. It is one <svg>
// element that needs no script; resting on a function shows its full name and figures.
func drawFlame(w io.Writer, p *profile.Profile, o flameOptions) error {
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
	root := p.Tree()
	d := &flame{
		Writer: bufio.NewWriter(w), p: p, scale: float64(o.Width) / float64(p.Total),
		least: max(1, int64(math.Ceil(share*float64(p.Total)))),
	}
	d.rows = root.Depth(d.least)
	d.open(o)
	d.node(root, "root", 0, 0)
	if d.hidden > 0 {
		d.printf("<text class=\"flame-note\" x=\"%d\" y=\"%d\">%d functions with less than %s of the total each are "+
			"not drawn</text>\n",
			padding, (d.rows+1)*rowHeight-4, d.hidden, units.Percent(share))
	}
	d.printf("</svg>\n")
	if err := d.Flush(); err != nil {
		return fmt.Errorf("drawing a flame graph: %w", err)
	}
	return nil
}

// flame is a flame graph while it is written; the bufio.Writer keeps the first error.
type flame struct {
	*bufio.Writer
	p      *profile.Profile
	scale  float64 // pixels for one of the profile's units
	least  int64   // what a function must have to be drawn
	rows   int
	hidden int // functions not drawn, with none of what is above them
}

func (d *flame) printf(format string, args ...any) { fmt.Fprintf(d, format, args...) }

func (d *flame) open(o flameOptions) {
	label := o.Label
	if label == "" {
		label = "flame graph"
	}
	height := (d.rows + 1) * rowHeight
	d.printf("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flame\" role=\"img\" aria-label=\"%s\" viewBox=\"0 "+
		"0 %d %d\" width=\"%d\" height=\"%d\">\n",
		escaped(label), o.Width, height, o.Width, height)
	if o.Style {
		d.printf("<style>\n:root{color-scheme:light dark}\n%s</style>\n", flameCSS)
	}
}

// node draws n and what it called, from before on, in the row of that number from below.
func (d *flame) node(n *profile.Node, class string, before int64, row int) {
	x, width := float64(before)*d.scale, float64(n.Cum)*d.scale
	y := (d.rows - 1 - row) * rowHeight
	d.printf("<g class=\"flame-frame flame-%s\"><title>%s</title><rect x=\"%.6g\" y=\"%d\" width=\"%.6g\" "+
		"height=\"%d\"/>", class, d.title(n), x, y, width, rowHeight)
	if name := frameLabel(n.Name, int((width-2*padding)/charWidth)); name != "" {
		d.printf("<text x=\"%.1f\" y=\"%d\">%s</text>", x+padding, y+rowHeight-4, escaped(name))
	}
	d.printf("</g>\n")
	for _, c := range n.Children {
		if c.Cum < d.least {
			d.hidden++
		} else {
			d.node(c, string(c.Category), before, row+1)
		}
		before += c.Cum
	}
}

// title returns what resting on a function shows. The page's script reads it, too: the
// name, the figures and the file are a line each.
func (d *flame) title(n *profile.Node) string {
	cum, ofCum := d.p.Amount(n.Cum)
	flat, ofFlat := d.p.Amount(n.Flat)
	s := fmt.Sprintf("%s\ncumulative %s, %s of the total; self %s, %s", n.Name, cum, ofCum, flat, ofFlat)
	if n.File != "" {
		s += "\n" + n.File
	}
	return escaped(s)
}

// frameLabel returns a function's name on n characters: without the path of its package, else
// without the package, else cut, and none where too few would be left. The page's
// script does the same when it enlarges a function.
func frameLabel(name string, n int) string {
	short := name
	if pkg, fn := profile.SplitName(name); pkg != "" {
		if short = pkg[strings.LastIndexByte(pkg, '/')+1:] + "." + fn; utf8.RuneCountInString(short) > n {
			short = fn
		}
	}
	if utf8.RuneCountInString(short) <= n {
		return short
	}
	if n < 3 {
		return ""
	}
	return string([]rune(short)[:n-1]) + "…"
}

// escaped returns s for the text or an attribute of an XML document: characters that
// XML has no way to say become U+FFFD.
func escaped(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a strings.Builder takes everything
	return b.String()
}
