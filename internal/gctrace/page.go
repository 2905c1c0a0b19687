package gctrace

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"
)

// WritePage writes the trace as one HTML page that needs no script and no network:
// a timeline of the heap and the collector, bars of where the processors' and the
// goroutines' time went, and all figures as text.
func (t *Trace) WritePage(w io.Writer, title string) error {
	var text bytes.Buffer
	if err := t.Write(&text); err != nil {
		return err
	}
	return page.Execute(w, struct {
		Title, Text string
		Warnings    []string
		Timeline    template.HTML
		Bars        []bar
	}{title, text.String(), t.Warnings, template.HTML(t.timeline()), t.bars()})
}

// A bar is one whole, in parts.
type bar struct {
	Title string
	Parts []barPart
}

type barPart struct {
	Name, Class, Text string
	X, W              float64 // per cent
}

func newBar(title string, whole time.Duration) bar {
	return bar{Title: fmt.Sprintf("%s: %v", title, whole.Round(time.Microsecond))}
}

func (b *bar) add(name, class string, part, whole time.Duration) {
	if part <= 0 || whole <= 0 {
		return
	}
	x := 0.0
	if n := len(b.Parts); n > 0 {
		x = b.Parts[n-1].X + b.Parts[n-1].W
	}
	share := 100 * float64(part) / float64(whole)
	b.Parts = append(b.Parts, barPart{name, class, fmt.Sprintf("%s: %v, %.1f%%", name, part.Round(time.Microsecond), share), x, share})
}

func (t *Trace) bars() []bar {
	p := t.ProcTime
	procs := newBar("processors", p.Total)
	for _, x := range []struct {
		name, class string
		d           time.Duration
	}{
		{"program", "user", p.User}, {"system calls", "syscall", p.Syscall}, {"assists", "assist", p.Assist}, {"sweeping", "sweep", p.Sweep + p.BackSweep},
		{"dedicated and fractional workers", "gc", p.Dedicated + p.Fractional + p.OtherMark}, {"idle workers", "idlegc", p.IdleMark},
		{"stopped by the collector", "stop", p.Stopped}, {"stopped by the tool", "tool", p.StoppedBy}, {"runtime", "system", p.System},
		{"scheduler", "sched", p.Scheduler}, {"idle", "idle", p.Idle},
	} {
		procs.add(x.name, x.class, x.d, p.Total)
	}
	g := t.User
	whole := g.Exec + g.SchedWait + g.Blocked() + g.Syscall + g.SyscallOff
	gs := newBar(fmt.Sprintf("%d goroutines of the program", g.Goroutines), whole)
	gs.add("executing", "user", g.Exec, whole)
	gs.add("in system calls", "syscall", g.Syscall+g.SyscallOff, whole)
	gs.add("waiting for a processor", "sched", g.SchedWait, whole)
	for _, b := range g.Block {
		name := b.Name
		if name == "" {
			name = "an unknown reason"
		}
		gs.add("blocked: "+name, "idle", b.Time, whole)
	}
	return []bar{procs, gs}
}

// Size of the timeline in pixels.
const (
	lineWidth  = 1000
	heapHeight = 160
	laneHeight = 18
)

// timeline draws the heap and its goal over time, and under them marking, the
// collector's pauses and the tool's.
func (t *Trace) timeline() string {
	if t.Span <= 0 {
		return ""
	}
	var b strings.Builder
	x := func(at time.Duration) float64 { return lineWidth * float64(at) / float64(t.Span) }
	most := uint64(1)
	for _, ps := range [][]Point{t.Heap, t.Goal} {
		for _, p := range ps {
			most = max(most, p.Bytes)
		}
	}
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" role="img" aria-label="the heap and the collector over %v">`, lineWidth, heapHeight+3*laneHeight+20, t.Span.Round(time.Microsecond))
	for _, l := range []struct {
		class  string
		points []Point
	}{{"goal", t.Goal}, {"heap", t.Heap}} {
		if len(l.points) == 0 {
			continue
		}
		fmt.Fprintf(&b, `<polyline class="%s" points="`, l.class)
		for _, p := range l.points {
			fmt.Fprintf(&b, "%.2f,%.1f ", x(p.At), heapHeight*(1-float64(p.Bytes)/float64(most)))
		}
		b.WriteString(`"/>`)
	}
	lanes := map[Kind]int{Mark: 0, GCStop: 1, Stop: 2}
	for _, i := range t.Timeline {
		lane, ok := lanes[i.Kind]
		if !ok {
			continue
		}
		name := i.Name
		if name == "" {
			name = string(i.Kind)
		}
		fmt.Fprintf(&b, `<rect class="%s" x="%.2f" y="%d" width="%.2f" height="%d"><title>%s, %v at %v</title></rect>`, i.Kind, x(i.Start), heapHeight+4+lane*laneHeight,
			max(x(i.End)-x(i.Start), 0.6), laneHeight-4, template.HTMLEscapeString(name), (i.End - i.Start).Round(time.Microsecond), i.Start.Round(time.Microsecond))
	}
	for lane, name := range []string{"marking", "stopped by the collector", "stopped by the tool"} {
		fmt.Fprintf(&b, `<text x="4" y="%d">%s</text>`, heapHeight+laneHeight*(lane+1)-4, name)
	}
	fmt.Fprintf(&b, `<text x="4" y="12">%s</text><text x="%d" y="%d" text-anchor="end">%v</text></svg>`, sizeText(most), lineWidth-4, heapHeight+3*laneHeight+16, t.Span.Round(time.Microsecond))
	return b.String()
}

func sizeText(n uint64) string {
	v, unit := float64(n), "B"
	for _, u := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if v < 1024 {
			break
		}
		v, unit = v/1024, u
	}
	return fmt.Sprintf("%.3g %s", v, unit)
}

var page = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{{.Title}}</title>
<style>
:root{color-scheme:light dark;--bg:#fff;--text:#1b1f24;--soft:#545d68;--line:#d5dae1}
@media (prefers-color-scheme:dark){:root{--bg:#14171b;--text:#e7eaee;--soft:#a7b0bb;--line:#3a414b}}
body{background:var(--bg);color:var(--text);font:15px/1.5 system-ui,'DejaVu Sans',sans-serif;max-width:1100px;margin:2rem auto;padding:0 1rem}
h1{font-size:1.3rem;overflow-wrap:anywhere}h2{font-size:1rem;margin:1.4rem 0 .3rem}
svg{width:100%;height:auto;border:1px solid var(--line)}svg text{font-size:11px;fill:var(--text);paint-order:stroke;stroke:var(--bg);stroke-width:4px}
polyline{fill:none;stroke-width:1.5}.heap{stroke:#0072b2}.goal{stroke:#888;stroke-dasharray:4 3}
.bar{display:flex;height:26px;border:1px solid var(--line)}.bar div{min-width:0}
ul.key{list-style:none;margin:.3rem 0;padding:0;display:flex;flex-wrap:wrap;gap:.1rem 1.1rem;font-size:.9em}
ul.key i{display:inline-block;width:.8em;height:.8em;margin-right:.4em;border:1px solid var(--line)}
.user{background:#56b4e9;fill:#56b4e9}.syscall{background:#009e73}.assist{background:#e69f00}.sweep{background:#f0e442}
.gc,.mark{background:#d55e00;fill:#d55e00}.idlegc{background:#f2b08c}.stop,.stw-gc{background:#a31621;fill:#a31621}.tool,.stw-tool{background:#777;fill:#777}
.system{background:#cc79a7}.sched{background:#b9a5ff}.idle{background:transparent}
pre{overflow-x:auto;background:rgba(128,128,128,.1);padding:1rem}.note{border-left:4px solid #e69f00;padding-left:.7rem}
</style>
<h1>{{.Title}}</h1>
{{range .Warnings}}<p class="note">{{.}}</p>{{end}}
{{with .Timeline}}<h2>The heap and the collector over time</h2>{{.}}<p>blue: objects in the heap; dashed: the size at which the collection ends. Rest on a bar for its reason and length.</p>{{end}}
{{range .Bars}}<h2>{{.Title}}</h2><div class="bar">{{range .Parts}}<div class="{{.Class}}" style="width:{{printf "%.3f" .W}}%" title="{{.Text}}"></div>{{end}}</div>
<ul class="key">{{range .Parts}}<li><i class="{{.Class}}"></i>{{.Text}}</li>{{end}}</ul>{{end}}
<h2>All figures</h2>
<pre tabindex="0">{{.Text}}</pre>
</html>
`))
