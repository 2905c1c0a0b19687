package front

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"memcost/internal/certify"
	"memcost/internal/sample"
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

// resolution of the bar: its length is the time that the run is expected to take.
const resolution = 1000

// Sample says how far the measuring has come.
func (p *Progress) Sample(x sample.Progress) {
	text := progressLine(x)
	if !p.tty {
		if x.Round != p.round && time.Since(p.last) >= plainEvery || time.Since(p.last) >= 3*plainEvery {
			p.last, p.round = time.Now(), x.Round
			fmt.Fprintln(p.w, text)
		}
		return
	}
	if p.bar == nil {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.bar = progressbar.NewOptions(resolution, progressbar.OptionSetWriter(p.w), progressbar.OptionSetWidth(16),
			progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false),
			progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100*time.Millisecond))
	}
	p.bar.Describe(text)
	if all := x.Elapsed + x.Left; all > 0 {
		p.bar.Set(min(int(resolution*x.Elapsed/all), resolution-1))
	}
}

// Certify says how far a certification has come.
func (p *Progress) Certify(x certify.Progress) {
	text := fmt.Sprintf("%d/%d comparisons (%s), false alarms: %d", x.Comparisons, x.Wanted, x.Condition, x.Alarms)
	if x.Known > 0 {
		text += fmt.Sprintf(", known slowdowns covered: %d of %d", x.Covered, x.Known)
	}
	text += fmt.Sprintf(", about %v left", x.Left.Round(time.Second))
	if !p.tty {
		if time.Since(p.last) >= plainEvery {
			p.last = time.Now()
			fmt.Fprintln(p.w, text)
		}
		return
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s", text)
}

func progressLine(x sample.Progress) string {
	s := fmt.Sprintf("round %d, sample %d/%d", x.Round+1, x.Done+1, x.Total)
	if x.Claims > 0 {
		s += fmt.Sprintf(", %d/%d claims decided", x.Decided, x.Claims)
	}
	if x.Open > x.Claims-x.Decided {
		s += fmt.Sprintf(", %d questions open", x.Open)
	}
	if x.Precision > 0 {
		s += fmt.Sprintf(", ±%.1f%%", 100*x.Precision)
	}
	if x.Left < time.Second {
		return s + ", almost done"
	}
	return s + fmt.Sprintf(", about %v left", x.Left.Round(time.Second))
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
