package gctrace

import (
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"
)

// CSS is the look of a picture, on a light and on a dark page.
const CSS = `.gctrace{--gc-paper:#fff;--gc-text:#1b1f24;--gc-line:#d5dae1}
@media (prefers-color-scheme:dark){.gctrace{--gc-paper:#14171b;--gc-text:#e7eaee;--gc-line:#3a414b}}
.gctrace p{margin:.6rem 0 .2rem}
.gctrace svg{display:block;width:100%;border:1px solid var(--gc-line)}
.gctrace .gc-over{height:auto}
.gctrace .gc-bar{height:26px}
.gctrace svg text{font-size:11px;fill:var(--gc-text);paint-order:stroke;stroke:var(--gc-paper);stroke-width:4px}
.gctrace polyline{fill:none;stroke-width:1.5}
.gctrace .gc-heap{stroke:#0072b2}
.gctrace .gc-goal{stroke:#888;stroke-dasharray:4 3}
.gctrace ul{max-width:75rem;list-style:none;margin:.3rem 0;padding:0;display:flex;flex-wrap:wrap;gap:.1rem 1.1rem;font-size:.9em}
.gctrace i{display:inline-block;width:.8em;height:.8em;margin-right:.4em;border:1px solid var(--gc-line)}
.gc-user{background:#56b4e9;fill:#56b4e9}
.gc-syscall{background:#009e73;fill:#009e73}
.gc-assist{background:#e69f00;fill:#e69f00}
.gc-after{background:#f6d592;fill:#f6d592}
.gc-sweep{background:#f0e442;fill:#f0e442}
.gc-work,.gc-mark{background:#d55e00;fill:#d55e00}
.gc-idlework{background:#f2b08c;fill:#f2b08c}
.gc-stop,.gc-stw-gc{background:#a31621;fill:#a31621}
.gc-tool,.gc-stw-tool{background:#777;fill:#777}
.gc-system{background:#cc79a7;fill:#cc79a7}
.gc-sched{background:#b9a5ff;fill:#b9a5ff}
.gc-idle{background:transparent;fill:transparent}
`

var picture = template.Must(template.New("picture").Parse(`<div class="gctrace">
{{with .Timeline}}<p><b>The heap and the collector over time</b></p>
{{.}}
<p>blue: objects in the heap; dashed: the size at which the collection ends. Rest on a bar for its reason and length.</p>
{{end}}{{range .Bars}}<p><b>{{.Title}}</b></p>
<svg class="gc-bar" role="img" aria-label="{{.Title}}">{{range .Parts}}<rect class="gc-{{.Class}}" x="{{printf "%.3f" .X}}%" width="{{printf "%.3f" .W}}%" height="100%"><title>{{.Text}}</title></rect>{{end}}</svg>
<ul>{{range .Parts}}<li><i class="gc-{{.Class}}"></i>{{.Text}}</li>{{end}}</ul>
{{end}}</div>
`))

// Picture writes a fragment of HTML, with the looks of CSS: a timeline of the heap
// and the collector, and bars of where the processors' and the goroutines' time went.
func (t *Trace) Picture(w io.Writer) error {
	return picture.Execute(w, struct {
		Timeline template.HTML
		Bars     []bar
	}{template.HTML(t.timeline()), t.bars()})
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
		{"dedicated and fractional workers", "work", p.Dedicated + p.Fractional + p.OtherMark}, {"idle workers", "idlework", p.IdleMark},
		{"ending the collection", "after", p.AfterMark},
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
	laneName   = 20 // above the lane's bars
	laneHeight = laneName + 14
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
	y := func(size uint64) float64 { return heapHeight * (1 - float64(size)/float64(most)) }
	fmt.Fprintf(&b, `<svg class="gc-over" viewBox="0 0 %d %d" role="img" aria-label="the heap and the collector over %v">`, lineWidth, heapHeight+3*laneHeight+20, t.Span.Round(time.Microsecond))
	for _, l := range []struct {
		class  string
		points []Point
	}{{"goal", t.Goal}, {"heap", t.Heap}} {
		if len(l.points) == 0 {
			continue
		}
		fmt.Fprintf(&b, `<polyline class="gc-%s" points="`, l.class)
		for i, p := range l.points {
			if l.class == "goal" && i > 0 { // it holds until the next is set
				fmt.Fprintf(&b, "%.2f,%.1f ", x(p.At), y(l.points[i-1].Bytes))
			}
			fmt.Fprintf(&b, "%.2f,%.1f ", x(p.At), y(p.Bytes))
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
		fmt.Fprintf(&b, `<rect class="gc-%s" x="%.2f" y="%d" width="%.2f" height="%d"><title>%s, %v at %v</title></rect>`, i.Kind, x(i.Start), heapHeight+laneName+lane*laneHeight,
			max(x(i.End)-x(i.Start), 0.6), laneHeight-laneName, template.HTMLEscapeString(name), (i.End - i.Start).Round(time.Microsecond), i.Start.Round(time.Microsecond))
	}
	for lane, name := range []string{"marking", "stopped by the collector", "stopped by the tool"} {
		fmt.Fprintf(&b, `<text x="4" y="%d">%s</text>`, heapHeight+lane*laneHeight+laneName-5, name)
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
