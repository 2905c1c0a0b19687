package cli

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"memcost/internal/measure/certify"
	"memcost/internal/measure/sample"
	"memcost/internal/show/text"
)

// Progress tells on standard error how far a run has come: one line that is
// rewritten on a terminal, a plain line now and then elsewhere. It writes
// between samples only, never while one runs.
type Progress struct {
	w     io.Writer
	tty   bool
	bar   *progressbar.ProgressBar
	last  time.Time // of the last plain line
	round int

	answers liveAnswers
}

// plainEvery is how often a plain line is written while samples are taken.
const plainEvery = 10 * time.Second

func NewProgress(w io.Writer) *Progress {
	tty, _ := IsTerminal(w)
	return &Progress{w: w, tty: tty, round: -1}
}

// Note prints a line that stays.
func (p *Progress) Note(s string) {
	p.End()
	fmt.Fprintln(p.w, s)
}

// Step says what is being prepared.
func (p *Progress) Step(s string) {
	if p.tty {
		fmt.Fprintf(p.w, "\r\x1b[K%s …", s)
		return
	}
	if time.Since(p.last) >= plainEvery/5 {
		p.last = time.Now()
		fmt.Fprintln(p.w, s)
	}
}

const (
	narrow     = 80  // columns of a terminal that does not say how many it has
	wide       = 110 // columns from which there is room for a bar
	besideLine = 28  // of the bar, with its spaces and the percentage
)

// resolution of the bar: its length is the time that the run is expected to take.
const resolution = 1000

// Sample says how far the measuring has come.
func (p *Progress) Sample(x sample.Progress) {
	for _, line := range p.answers.Decided(x) {
		p.Note(text.Clean(line))
	}
	if !p.tty {
		if x.Round != p.round && time.Since(p.last) >= plainEvery || time.Since(p.last) >= 3*plainEvery {
			p.last, p.round = time.Now(), x.Round
			fmt.Fprintln(p.w, text.Clean(Line(x, 0)))
		}
		return
	}
	_, width := IsTerminal(p.w)
	if width < wide {
		fmt.Fprintf(p.w, "\r\x1b[K%s", text.Clean(Line(x, cmp.Or(width, narrow)-1)))
		return
	}
	if p.bar == nil {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.bar = progressbar.NewOptions(resolution, progressbar.OptionSetWriter(p.w), progressbar.OptionSetWidth(16),
			progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false),
			progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100*time.Millisecond))
	}
	p.bar.Describe(text.Clean(Line(x, width-besideLine)))
	if all := x.Elapsed + x.Left; all > 0 {
		p.bar.Set(min(int(resolution*x.Elapsed/all), resolution-1))
	}
}

// Certify says how far a certification has come.
func (p *Progress) Certify(x certify.Progress) {
	says := fmt.Sprintf("%d/%d comparisons (%s), false alarms: %d", x.Comparisons, x.Wanted, x.Condition, x.Alarms)
	if x.Known > 0 {
		says += fmt.Sprintf(", known slowdowns covered: %d of %d", x.Covered, x.Known)
	}
	says += fmt.Sprintf(", about %v left", x.Left.Round(time.Second))
	if !p.tty {
		if time.Since(p.last) >= plainEvery {
			p.last = time.Now()
			fmt.Fprintln(p.w, says)
		}
		return
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s", says)
}

// End clears the line that is being rewritten.
func (p *Progress) End() {
	if p.bar != nil {
		p.bar.Clear()
		p.bar = nil
	}
	if p.tty {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
