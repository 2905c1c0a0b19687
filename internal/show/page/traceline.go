package page

import (
	"fmt"
	"html/template"
	"strings"
	"time"

	"memcost/internal/base/units"
	"memcost/internal/gotool/exectrace"
)

// Size of the timeline in pixels.
const (
	lineWidth  = 1000
	lineLeft   = 62 // names of the heap's ticks
	lineRight  = 24 // half the name of the last tick
	lineTop    = 8
	heapHeight = 160
	laneName   = 20 // above the lane's bars
	laneHeight = laneName + 14
	laneTop    = lineTop + heapHeight
	axisTop    = laneTop + 3*laneHeight + 4
	axisHeight = 20
)

// lanes are what is drawn under the heap, and the names of them.
var lanes = []struct {
	kind exectrace.Kind
	name string
}{{exectrace.Mark, "mark phase"}, {exectrace.GCStop, "stop-the-world for GC"},
	{exectrace.Stop, "stop-the-world for other reasons"}}

// line is the timeline while it is written.
type line struct {
	strings.Builder
	t    *exectrace.Trace
	most uint64 // the heap's axis ends there
}

func (l *line) printf(format string, args ...any) { fmt.Fprintf(l, format, args...) }

func (l *line) x(at time.Duration) float64 {
	return lineLeft + (lineWidth-lineLeft-lineRight)*float64(at)/float64(l.t.Span)
}

func (l *line) y(size uint64) float64 {
	return lineTop + heapHeight*(1-float64(size)/float64(l.most))
}

// traceLine draws the heap and its goal over time, and under them marking, the
// collector's pauses and the others.
func traceLine(t *exectrace.Trace) string {
	if t.Span <= 0 {
		return ""
	}
	l := &line{t: t}
	for _, ps := range [][]exectrace.Point{t.Heap, t.Goal} {
		for _, p := range ps {
			l.most = max(l.most, p.Bytes)
		}
	}
	l.printf(`<svg class="gc-over" viewBox="0 0 %d %d" role="img" aria-label="heap and garbage collector over %s">`,
		lineWidth, axisTop+axisHeight, units.Duration(t.Span))
	l.axes()
	if l.most > 0 {
		l.sizes("goal", t.Goal)
		l.sizes("heap", t.Heap)
	}
	l.bars()
	l.WriteString("</svg>")
	return l.String()
}

// axes draws the lines of both axes and their names. The heap has none where the
// trace does not tell its size.
func (l *line) axes() {
	if l.most > 0 {
		for _, size := range sizeTicks(l.most) {
			y := l.y(size)
			l.printf(`<line class="gc-grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/>`+
				`<text x="%d" y="%.1f" text-anchor="end">%s</text>`,
				lineLeft, lineWidth-lineRight, y, y, lineLeft-6, y+4, sizeTick(size))
		}
	}
	ticks := timeTicks(l.t.Span)
	for _, at := range ticks {
		x := l.x(at)
		l.printf(`<line class="gc-grid" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/>`+
			`<text x="%.1f" y="%d" text-anchor="middle">%s</text>`,
			x, x, lineTop, axisTop, x, axisTop+14, tickText(at, ticks[len(ticks)-1]))
	}
}

func (l *line) sizes(class string, points []exectrace.Point) {
	if len(points) == 0 {
		return
	}
	l.printf(`<polyline class="gc-%s" points="`, class)
	for i, p := range points {
		if class == "goal" && i > 0 { // it holds until the next is set
			l.printf("%.2f,%.1f ", l.x(p.At), l.y(points[i-1].Bytes))
		}
		l.printf("%.2f,%.1f ", l.x(p.At), l.y(p.Bytes))
	}
	l.WriteString(`"/>`)
}

func (l *line) bars() {
	for lane, of := range lanes {
		for _, i := range l.t.Timeline {
			if i.Kind != of.kind {
				continue
			}
			name := i.Name
			if name == "" {
				name = of.name
			}
			l.printf(`<rect class="gc-%s" x="%.2f" y="%d" width="%.2f" height="%d"><title>%s, %s at %s</title></rect>`,
				i.Kind, l.x(i.Start), laneTop+laneName+lane*laneHeight,
				max(l.x(i.End)-l.x(i.Start), 1), laneHeight-laneName, template.HTMLEscapeString(name),
				units.Duration(i.End-i.Start), units.Duration(i.Start))
		}
		l.printf(`<text x="%d" y="%d">%s</text>`, lineLeft+4, laneTop+lane*laneHeight+laneName-5, of.name)
	}
}

// sizeTicks returns 0 and one to three sizes, powers of two apart, up to most.
func sizeTicks(most uint64) []uint64 {
	step := uint64(1)
	for most/step > 3 {
		step *= 2
	}
	ticks := []uint64{0}
	for n := uint64(1); n <= most/step; n++ {
		ticks = append(ticks, n*step)
	}
	return ticks
}

// timeTicks returns the multiples of 1, 2 or 5 times a power of ten within the span,
// at most nine of them.
func timeTicks(span time.Duration) (ticks []time.Duration) {
	step := time.Duration(1)
	for i := 0; span/step > 8; i++ {
		step = step * []time.Duration{20, 25, 20}[i%3] / 10
	}
	for at := time.Duration(0); at <= span; at += step {
		ticks = append(ticks, at)
	}
	return ticks
}

// tickText returns a moment in the unit of the last one of its axis.
func tickText(at, last time.Duration) string {
	if at == 0 {
		return "0"
	}
	switch {
	case last >= time.Second:
		return fmt.Sprintf("%.4g s", at.Seconds())
	case last >= time.Millisecond:
		return fmt.Sprintf("%.4g ms", float64(at)/float64(time.Millisecond))
	case last >= time.Microsecond:
		return fmt.Sprintf("%.4g µs", float64(at)/float64(time.Microsecond))
	}
	return fmt.Sprintf("%d ns", at)
}

func sizeTick(n uint64) string {
	if n == 0 {
		return "0"
	}
	return units.Bytes(n)
}
