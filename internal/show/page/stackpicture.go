package page

import (
	"cmp"
	"fmt"
	"html"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/gotool/stacklog"
)

// Measures of the picture, in CSS pixels.
const (
	leftRoom, topRoom, bottomRoom, rightRoom = 76, 18, 40, 60
	widestStep, narrowestStep, allSteps      = 96, 44, 900
	sizeHeight                               = 36
	thickest, thinnest                       = 22.0, 1.5
	thickestOfOne                            = 4.0 // goroutine
)

// lifeStep is a change of size as the so-manieth of a goroutine's life.
type lifeStep struct {
	at       int
	from, to uint64
}

// stackPicture draws the chains as SVG: from left to right the changes of size of a
// goroutine's life, upwards the size, doubled from line to line. A line is as
// wide as the number of goroutines that went that way, and a circle counts those
// that kept the size. It is empty if no stack changed. The colours are classes.
func stackPicture(l *stacklog.Log) string {
	steps, ends := map[lifeStep]int64{}, map[lifeStep]int64{}
	low, high, length := 64, 0, 0
	for _, c := range l.Chains {
		for i, size := range c.Sizes {
			o := bits.Len64(size) - 1
			low, high, length = min(low, o), max(high, o), max(length, i)
			if i > 0 {
				steps[lifeStep{i, c.Sizes[i-1], size}] += c.N
			}
		}
		if n := len(c.Sizes); n > 0 && !c.More {
			ends[lifeStep{n - 1, 0, c.Sizes[n-1]}] += c.N
		}
	}
	if len(steps) == 0 {
		return ""
	}
	p := chainPicture{high: high, step: min(widestStep, max(narrowestStep, allSteps/length))}
	p.open(leftRoom+length*p.step+rightRoom, topRoom+(high-low)*sizeHeight+bottomRoom)
	p.axes(low, length)
	p.lines(steps)
	p.circles(ends)
	p.b.WriteString("</svg>\n")
	return p.b.String()
}

type chainPicture struct {
	b             strings.Builder
	width, height int
	high          int // log₂ of the largest size
	step          int // width of one
}

func (p *chainPicture) open(width, height int) {
	p.width, p.height = width, height
	fmt.Fprintf(&p.b,
		`<svg class="chains" role="img" aria-label="Stack sizes in the life of goroutines" `+
			`viewBox="0 0 %d %d" width="%d" height="%d">`+"\n", width, height, width, height)
}

func (p *chainPicture) x(at int) int { return leftRoom + at*p.step }

func (p *chainPicture) y(size uint64) int { return topRoom + (p.high-bits.Len64(size)+1)*sizeHeight }

func (p *chainPicture) text(class string, x, y int, anchor, text string) {
	fmt.Fprintf(&p.b, `<text class="%s" x="%d" y="%d" text-anchor="%s">%s</text>`+"\n", class, x, y, anchor,
		html.EscapeString(text))
}

func (p *chainPicture) axes(low, length int) {
	for o := low; o <= p.high; o++ {
		y := p.y(1 << o)
		fmt.Fprintf(&p.b, `<line class="grid" x1="%d" y1="%d" x2="%d" y2="%d"/>`+"\n", leftRoom, y, p.width-10, y)
		p.text("label", leftRoom-14, y+4, "end", units.Bytes(uint64(1)<<o))
	}
	y := p.y(1<<low) + bottomRoom - 12
	p.text("label", p.x(0), y, "middle", "start")
	for i := 1; i <= length; i++ {
		p.text("label", p.x(i), y, "middle", fmt.Sprint(i))
	}
}

// lines draws the steps, the widest first, so that none hides another.
func (p *chainPicture) lines(steps map[lifeStep]int64) {
	most := slices.Max(slices.Collect(maps.Values(steps)))
	thick := min(thickest, thickestOfOne*float64(most))
	for _, s := range sortedSteps(steps) {
		n := steps[s]
		kind := stacklog.Grow
		if s.to < s.from {
			kind = stacklog.Shrink
		} else if s.to == s.from {
			kind = stacklog.Move
		}
		x1, y1, x2, y2 := p.x(s.at-1), p.y(s.from), p.x(s.at), p.y(s.to)
		fmt.Fprintf(&p.b,
			`<line class="%v" x1="%d" y1="%d" x2="%d" y2="%d" stroke-width="%.1f"><title>%s: %s to %s</title></line>`+
				"\n",
			kind, x1, y1, x2, y2, max(thinnest, thick*float64(n)/float64(most)), units.Plural(n, "goroutine"),
			units.Bytes(s.from), units.Bytes(s.to))
		p.text("n", (x1+x2)/2, (y1+y2)/2-4, "middle", fmt.Sprintf("×%d", n))
	}
}

func (p *chainPicture) circles(ends map[lifeStep]int64) {
	for _, s := range sortedSteps(ends) {
		fmt.Fprintf(&p.b, `<circle class="end" cx="%d" cy="%d" r="5"><title>%s kept a stack of %s</title></circle>`+
			"\n",
			p.x(s.at), p.y(s.to), units.Plural(ends[s], "goroutine"), units.Bytes(s.to))
		p.text("n", p.x(s.at)+9, p.y(s.to)+4, "start", fmt.Sprint(ends[s]))
	}
}

// sortedSteps returns most goroutines first.
func sortedSteps(m map[lifeStep]int64) []lifeStep {
	return slices.SortedFunc(maps.Keys(m), func(a, b lifeStep) int {
		return cmp.Or(cmp.Compare(m[b], m[a]), cmp.Compare(a.at, b.at), cmp.Compare(a.from, b.from),
			cmp.Compare(a.to, b.to))
	})
}
