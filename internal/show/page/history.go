package page

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/measure/history"
	"memcost/internal/show/text"
)

// WriteHistory writes what a search through commits or releases found as one HTML page that
// needs no script and no network: the changes, a picture for each benchmark, and all figures as
// text.
func WriteHistory(w io.Writer, title string, r *history.Report) error {
	v := historyView{Title: text.Clean(title), Missed: r.Missed(), Nothing: r.Nothing()}
	for _, c := range r.Changes() {
		v.Changes = append(v.Changes, text.Clean(r.Sentence(c.Series, c.Change)))
	}
	series := slices.Clone(r.Series)
	slices.SortStableFunc(series, func(a, b history.Series) int { return cmp.Compare(len(b.Changes), len(a.Changes)) })
	for i := range series {
		x := &series[i]
		if len(x.Levels) < 2 || len(v.Pictures) == mostHistories {
			continue
		}
		v.Pictures = append(v.Pictures, historyPicture{text.Clean(x.Name + ", " + x.Unit),
			template.HTML(drawHistory(r, x))})
	}
	if n := len(series) - len(v.Pictures); n > 0 {
		v.More = units.Plural(n, "figure") + " of benchmarks are not drawn: they stand in the text"
	}
	var figures bytes.Buffer
	if err := text.History(&figures, r, text.Style{Long: true}); err != nil {
		return err
	}
	v.Text = figures.String()
	return historyPage.Execute(w, v)
}

type historyView struct {
	Title, Nothing string
	Changes        []string
	Pictures       []historyPicture
	More           string
	Missed         string
	Text           string
}

type historyPicture struct {
	Title   string
	Picture template.HTML
}

// mostHistories is how many pictures a page has.
const mostHistories = 60

var historyPage = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{{.Title}}</title>
<style>
:root{color-scheme:light dark;--ink:#1b1f24;--line:#0072b2;--mark:#d55e00;--grid:rgba(128,128,128,.35)}
body{background:#fff;color:var(--ink);font:15px/1.5 system-ui,'DejaVu Sans',sans-serif;
 max-width:1100px;margin:2rem auto;padding:0 1rem}
@media (prefers-color-scheme:dark){:root{--ink:#e7eaee;--line:#56b4e9;--mark:#e69f00}body{background:#14171b}}
h1{font-size:1.3rem;overflow-wrap:anywhere}h2{font-size:1rem}
svg{max-width:100%;height:auto}
svg text{font-size:12px;fill:var(--ink)}
.cost{fill:none;stroke:var(--line);stroke-width:1.8}.band{fill:var(--line);opacity:.18}
.grid{stroke:var(--grid)}.change{stroke:var(--mark);stroke-dasharray:4 3}.among{fill:var(--mark);opacity:.12}
.point{fill:var(--line)}
pre{overflow-x:auto;background:rgba(128,128,128,.1);padding:1rem}.note{border-left:4px solid #e69f00;padding-left:.7rem}
</style>
<h1>{{.Title}}</h1>
{{if .Changes}}<ul>{{range .Changes}}<li>{{.}}</li>
{{end}}</ul>{{else}}<p>{{.Nothing}}</p>{{end}}
<p class="note">{{.Missed}}</p>
{{range .Pictures}}<h2>{{.Title}}</h2>
<p>cost as a multiple of that at the first point, with its 95% confidence interval</p>
{{.Picture}}
{{end}}{{with .More}}<p>{{.}}</p>{{end}}
<h2>All figures</h2>
<pre tabindex="0">{{.Text}}</pre>
</html>
`))

// Measures of a picture, in CSS pixels.
const (
	historyWidth  = 1000
	historyHeight = 190
	historyLeft   = 60
	historyRight  = 20
	historyTop    = 12
	historyBottom = 30
)

// historyLine is the picture of a series while it is drawn.
type historyLine struct {
	strings.Builder
	r      *history.Report
	lo, hi float64
}

// drawHistory draws the cost of a metric through history as steps, with the intervals and the
// changes.
func drawHistory(r *history.Report, x *history.Series) string {
	l := &historyLine{r: r, lo: math.Inf(1), hi: math.Inf(-1)}
	for _, v := range x.Levels {
		l.lo, l.hi = min(l.lo, endOr(v.Cost.Lo, v.Cost.Value)), max(l.hi, endOr(v.Cost.Hi, v.Cost.Value))
	}
	room := max((l.hi-l.lo)*0.08, 0.01)
	l.lo, l.hi = l.lo-room, l.hi+room
	fmt.Fprintf(l, `<svg viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">`+"\n", historyWidth,
		historyHeight, historyWidth, historyHeight, template.HTMLEscapeString(text.Clean(x.Name+" by "+r.Kind)))
	l.axes()
	for _, c := range x.Changes {
		l.change(x, c)
	}
	for i, v := range x.Levels {
		l.level(x, i, v)
	}
	l.WriteString("</svg>\n")
	return l.String()
}

// endOr returns an end of an interval, and the figure itself where it has none.
func endOr[N ~float64](end, value N) float64 {
	if v := float64(end); !math.IsNaN(v) && !math.IsInf(v, 0) {
		return v
	}
	return float64(value)
}

func (l *historyLine) x(at float64) float64 {
	return historyLeft + (historyWidth-historyLeft-historyRight)*at/float64(max(1, len(l.r.Points)-1))
}

func (l *historyLine) y(v float64) float64 {
	return historyTop + (historyHeight-historyTop-historyBottom)*(l.hi-v)/(l.hi-l.lo)
}

func (l *historyLine) axes() {
	const ticks = 4
	for i := range ticks + 1 {
		v := l.lo + (l.hi-l.lo)*float64(i)/ticks
		fmt.Fprintf(l, `<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/>`+
			`<text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n", historyLeft, historyWidth-historyRight, l.y(v),
			l.y(v), historyLeft-6, l.y(v)+4, units.Ratio(v))
	}
	last := len(l.r.Points) - 1
	for i, at := range []int{0, last / 2, last} {
		anchor := []string{"start", "middle", "end"}[i]
		fmt.Fprintf(l, `<text x="%.1f" y="%d" text-anchor="%s">%s</text>`+"\n", l.x(float64(at)), historyHeight-8,
			anchor, template.HTMLEscapeString(text.Clean(l.r.Points[at].Name)))
	}
}

// change marks where a change is.
func (l *historyLine) change(x *history.Series, c history.Change) {
	title := template.HTMLEscapeString(text.Clean(l.r.Sentence(x, c)))
	if c.To-c.From > 1 {
		fmt.Fprintf(l, `<rect class="among" x="%.1f" width="%.1f" y="%d" height="%d"><title>%s</title></rect>`+"\n",
			l.x(float64(c.From)), l.x(float64(c.To))-l.x(float64(c.From)), historyTop,
			historyHeight-historyTop-historyBottom, title)
		return
	}
	at := l.x(float64(c.To))
	fmt.Fprintf(l, `<line class="change" x1="%.1f" x2="%.1f" y1="%d" y2="%d"><title>%s</title></line>`+"\n", at, at,
		historyTop, historyHeight-historyBottom, title)
}

// level draws a point that was measured, and the step that leads to it.
func (l *historyLine) level(x *history.Series, i int, v history.Level) {
	at, cost := l.x(float64(v.At)), l.y(float64(v.Cost.Value))
	if i > 0 && !v.Apart {
		from := x.Levels[i-1]
		fmt.Fprintf(l, `<path class="cost" d="M%.1f %.1fH%.1fV%.1f"/>`+"\n", l.x(float64(from.At)),
			l.y(float64(from.Cost.Value)), at, cost)
	}
	lo, hi := l.y(endOr(v.Cost.Lo, v.Cost.Value)), l.y(endOr(v.Cost.Hi, v.Cost.Value))
	fmt.Fprintf(l, `<rect class="band" x="%.1f" width="6" y="%.1f" height="%.1f"/>`+"\n", at-3, hi, max(lo-hi, 0.5))
	fmt.Fprintf(l, `<circle class="point" cx="%.1f" cy="%.1f" r="3"><title>%s: %s</title></circle>`+"\n", at, cost,
		template.HTMLEscapeString(text.Clean(l.r.Full(v.At))), v.Cost.String())
}
