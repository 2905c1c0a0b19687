package methods

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"memcost/internal/method/stat"
)

// Drawn are the methods of the picture; colours are readable on white and on black.
var drawn = []struct {
	method Method
	colour string
	dashes string
	name   string
}{
	{Changed, "#d9480f", "", "memcost: changed by more than 1%"},
	{Differs, "#f08c00", "6 3", "memcost: interval excludes 1"},
	{Interleaved, "#1c7ed6", "", "benchstat, interleaved"},
	{Sequential, "#868e96", "", "benchstat, one side after the other"},
	{TangoRule, "#2f9e44", "2 3", "tango's rule on memcost's pairs"},
	{Wilcoxon, "#ae3ec9", "8 3 2 3", "Wilcoxon on memcost's pairs, one look"},
	{WilcoxonLooks, "#ae3ec9", "1 4", "Wilcoxon, looked at after every round"},
}

// Sizes of the picture, in pixels.
const (
	panelWidth, panelHeight = 268.0, 190.0
	left, top               = 54.0, 84.0
	gapX, gapY              = 40.0, 66.0
	columns                 = 3
)

// Picture draws what each method found against the seconds that it had, a panel for each
// true change, all kinds together. It is an SVG that follows the reader's preference for
// light or dark. Bars are Clopper–Pearson intervals at 95%.
func Picture(figures []Figure, title string) string {
	rates := Distinct(figures, func(f Figure) int { return f.Rate })
	seconds := Distinct(figures, func(f Figure) float64 { return f.Seconds })
	rows := (len(rates) + 1 + columns - 1) / columns // with the legend
	width := left + columns*panelWidth + (columns-1)*gapX + 16
	height := top + float64(rows)*panelHeight + float64(rows-1)*gapY + 50
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" role="img" aria-label="%s">
<style>
text{font:12px system-ui,sans-serif;fill:#343a40}
.title{font-size:15px;font-weight:600}.quiet{fill:#6c757d}
.grid{stroke:#adb5bd;stroke-opacity:.4}.page{fill:#fff}
@media (prefers-color-scheme:dark){text{fill:#e9ecef}.quiet{fill:#adb5bd}.page{fill:#16181b}}
</style>
<rect class="page" width="100%%" height="100%%"/>
<text class="title" x="16" y="28">%s</text>
<text class="quiet" x="16" y="48">Share of the comparisons called different, by seconds of measuring (three `+
		`benchmarks at once); bars: 95%% intervals</text>
`, width, height, html.EscapeString(title), html.EscapeString(title))
	for i, rate := range rates {
		p := panelAt(i, seconds)
		p.frame(&b, rate)
		for j, d := range drawn {
			p.line(&b, figures, d.method, rate, d.colour, d.dashes, float64(j-len(drawn)/2)*1.6)
		}
	}
	legend(&b, panelAt(len(rates), seconds), figures)
	b.WriteString("</svg>\n")
	return b.String()
}

// A panel is a place for one rate, with its axis of seconds.
type panel struct {
	x, y    float64 // upper left
	seconds []float64
}

func panelAt(i int, seconds []float64) panel {
	return panel{left + float64(i%columns)*(panelWidth+gapX), top + float64(i/columns)*(panelHeight+gapY), seconds}
}

// at returns where a share at so many seconds stands; seconds are logarithmic.
func (p panel) at(seconds, share float64) (x, y float64) {
	lo, hi := math.Log(p.seconds[0]), math.Log(p.seconds[len(p.seconds)-1])
	part := 0.5
	if hi > lo {
		part = (math.Log(seconds) - lo) / (hi - lo)
	}
	return p.x + 12 + part*(panelWidth-24), p.y + (1-share)*panelHeight
}

func (p panel) frame(b *strings.Builder, rate int) {
	title := fmt.Sprintf("a true change of %d%%", rate)
	if rate == 0 {
		title = "identical sides: false alarms (5% line)"
	}
	fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", p.x, p.y-9, html.EscapeString(title))
	levels := []float64{0, 0.25, 0.5, 0.75, 1}
	if rate == 0 {
		levels = append(levels, Alpha)
	}
	for _, share := range levels {
		_, y := p.at(p.seconds[0], share)
		fmt.Fprintf(b, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n", p.x,
			p.x+panelWidth, y, y)
		if share != Alpha {
			fmt.Fprintf(b, "<text class=\"quiet\" text-anchor=\"end\" x=\"%.1f\" y=\"%.1f\">%.0f%%</text>\n",
				p.x-5, y+4, 100*share)
		}
	}
	last := math.Inf(-1)
	for _, t := range p.seconds {
		x, _ := p.at(t, 0)
		if x-last < 26 {
			continue
		}
		last = x
		fmt.Fprintf(b, "<text class=\"quiet\" text-anchor=\"middle\" x=\"%.1f\" y=\"%.1f\">%.0f s</text>\n", x,
			p.y+panelHeight+17, t)
	}
}

// line draws a method; shift moves its bars aside, so that they do not cover each other.
func (p panel) line(b *strings.Builder, figures []Figure, m Method, rate int, colour, dashes string, shift float64) {
	var points, marks []string
	for _, t := range p.seconds {
		f := Sum(figures, func(f Figure) bool { return f.Method == m && f.Rate == rate && f.Seconds == t })
		if f.Of == 0 {
			continue
		}
		x, y := p.at(t, f.Power())
		iv := stat.ClopperPearson(f.Found, f.Of, Alpha)
		_, low := p.at(t, iv.Lo)
		_, high := p.at(t, iv.Hi)
		points = append(points, fmt.Sprintf("%.1f,%.1f", x, y))
		marks = append(marks, fmt.Sprintf("<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "+
			"stroke-opacity=\".35\"/><circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"><title>%s: %d of %d in %.0f "+
			"s</title></circle>\n", x+shift, x+shift, low, high, colour, x, y, colour, html.EscapeString(string(m)),
			f.Found, f.Of, t))
	}
	if len(points) > 1 {
		fmt.Fprintf(b, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\" "+
			"points=\"%s\"/>\n", colour, dashes, strings.Join(points, " "))
	}
	b.WriteString(strings.Join(marks, ""))
}

// legend names the methods that have a figure.
func legend(b *strings.Builder, p panel, figures []Figure) {
	y := p.y + 8
	for _, d := range drawn {
		if !slices.ContainsFunc(figures, func(f Figure) bool { return f.Method == d.method }) {
			continue
		}
		fmt.Fprintf(b, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"2\" "+
			"stroke-dasharray=\"%s\"/><circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/><text x=\"%.1f\" "+
			"y=\"%.1f\">%s</text>\n", p.x, p.x+30, y, y, d.colour, d.dashes, p.x+15, y, d.colour, p.x+38, y+4,
			html.EscapeString(d.name))
		y += 24
	}
}
