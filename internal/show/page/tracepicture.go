package page

import (
	"fmt"
	"html/template"
	"io"
	"time"

	"memcost/internal/base/units"
	"memcost/internal/gotool/exectrace"
)

// traceCSS is the look of a trace's picture, on a light and on a dark page.
const traceCSS = `.gctrace{--gc-paper:light-dark(#fff,#14171b);
 --gc-text:light-dark(#1b1f24,#e7eaee);--gc-line:light-dark(#d5dae1,#3a414b)}
.gctrace p{margin:.6rem 0 .2rem}
.gctrace svg{display:block;width:100%;border:1px solid var(--gc-line)}
.gctrace .gc-scroll{overflow-x:auto}
.gctrace .gc-over{height:auto;min-width:1002px}
@media print{.gctrace .gc-scroll{overflow:visible}.gctrace .gc-over{min-width:0}}
.gctrace .gc-bar{height:26px}
.gctrace svg text{font-size:11px;fill:var(--gc-text);paint-order:stroke;stroke:var(--gc-paper);stroke-width:4px}
.gctrace polyline{fill:none;stroke-width:1.5}
.gctrace .gc-grid{stroke:var(--gc-line)}
.gctrace .gc-heap{stroke:#0072b2}
.gctrace .gc-goal{stroke:#888;stroke-dasharray:4 3}
.gctrace ul{max-width:75rem;list-style:none;margin:.3rem 0;padding:0;
 display:flex;flex-wrap:wrap;gap:.1rem 1.1rem;font-size:.9em}
.gctrace i{display:inline-block;width:.8em;height:.8em;margin-right:.4em;
 border:1px solid var(--gc-line);print-color-adjust:exact}
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

var tracePicture = template.Must(template.New("picture").Parse(`<div class="gctrace">
{{with .Timeline}}<p><b>Heap and garbage collector over {{$.Span}}</b></p>
<div class="gc-scroll" role="region" tabindex="0" aria-label="Heap and garbage collector over {{$.Span}}">{{.}}</div>
<p>blue: size of the heap; dashed: heap goal</p>
{{end}}{{range .Bars}}<p><b>{{.Title}}</b></p>
<svg class="gc-bar" role="img" aria-label="{{.Title}}">{{range .Parts}}
  <rect class="gc-{{.Class}}" x="{{printf "%.3f" .X}}%" width="{{printf "%.3f" .W}}%" height="100%">
  <title>{{.Text}}</title></rect>{{end}}</svg>
<ul>{{range .Parts}}<li><i class="gc-{{.Class}}"></i>{{.Text}}</li>{{end}}</ul>
{{end}}</div>
`))

// drawTrace writes a fragment of HTML, with the looks of traceCSS: a timeline of the heap
// and the collector, and bars of where the processors' and the goroutines' time went.
func drawTrace(w io.Writer, t *exectrace.Trace) error {
	return tracePicture.Execute(w, struct {
		Span     string
		Timeline template.HTML
		Bars     []traceBar
	}{units.Duration(t.Span), template.HTML(traceLine(t)), traceBars(t)})
}

// A traceBar holds the parts of one total.
type traceBar struct {
	Title string
	Parts []barPart
}

type barPart struct {
	Name, Class, Text string
	X, W              float64 // per cent
}

func newBar(title string, total time.Duration) traceBar {
	return traceBar{Title: title + ": " + units.Duration(total)}
}

func (b *traceBar) add(name, class string, part, total time.Duration) {
	if part <= 0 || total <= 0 {
		return
	}
	x := 0.0
	if n := len(b.Parts); n > 0 {
		x = b.Parts[n-1].X + b.Parts[n-1].W
	}
	of := exectrace.Share(part, total)
	b.Parts = append(b.Parts, barPart{name, class, fmt.Sprintf("%s: %s, %s", name, units.Duration(part),
		units.Percent(of)), x, 100 * of})
}

func traceBars(t *exectrace.Trace) []traceBar {
	p := t.ProcTime
	procs := newBar("CPU time", p.Total)
	for _, x := range []struct {
		name, class string
		d           time.Duration
	}{
		{"program", "user", p.User}, {"system calls", "syscall", p.Syscall}, {"mark assists", "assist", p.Assist},
		{"sweep", "sweep", p.Sweep + p.BackSweep},
		{"dedicated and fractional mark workers", "work", p.Dedicated + p.Fractional + p.OtherMark},
		{"idle mark workers", "idlework", p.IdleMark},
		{"mark termination", "after", p.AfterMark},
		{"stop-the-world for GC", "stop", p.Stopped}, {"stop-the-world for other reasons", "tool", p.StoppedBy},
		{"runtime", "system", p.System},
		{"spinning", "sched", p.Scheduler}, {"idle", "idle", p.Idle},
	} {
		procs.add(x.name, x.class, x.d, p.Total)
	}
	g := t.User
	total := g.Exec + g.SchedWait + g.Blocked() + g.Syscall + g.SyscallOff
	gs := newBar(units.Plural(g.Goroutines, "goroutine")+" of the program", total)
	gs.add("running", "user", g.Exec, total)
	gs.add("in syscalls", "syscall", g.Syscall+g.SyscallOff, total)
	gs.add("runnable", "sched", g.SchedWait, total)
	for _, b := range g.Block {
		gs.add("blocked: "+exectrace.Named(b.Name), "idle", b.Time, total)
	}
	return []traceBar{procs, gs}
}
