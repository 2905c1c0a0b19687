package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/units"
	"memcost/internal/document"
	"memcost/internal/measure/sample"
	"memcost/internal/method/claim"
	"memcost/internal/report/answer"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

// Progress tells on standard error how far a run has come: one line that is
// rewritten on a terminal, a plain line now and then elsewhere. It writes
// between samples only, never while one runs.
type Progress struct {
	mu    sync.Mutex // builds may run side by side
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
	tty, _ := isTerminal(w)
	return &Progress{w: w, tty: tty, round: -1}
}

// Note prints a line that stays.
func (p *Progress) Note(s string) {
	p.End()
	fmt.Fprintln(p.w, s)
}

// Step says what is being prepared.
func (p *Progress) Step(s string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tty {
		_, width := isTerminal(p.w)
		if words := []rune(s); width > 0 && len(words) > width-len(" ….") {
			s = string(words[:max(width-len(" …."), 0)])
		}
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
		p.Note(document.Clean(line))
	}
	if !p.tty {
		if x.Round != p.round && time.Since(p.last) >= plainEvery || time.Since(p.last) >= 3*plainEvery {
			p.last, p.round = time.Now(), x.Round
			fmt.Fprintln(p.w, document.Clean(Line(x, 0)))
		}
		return
	}
	_, width := isTerminal(p.w)
	if width < wide {
		fmt.Fprintf(p.w, "\r\x1b[K%s", document.Clean(Line(x, cmp.Or(width, narrow)-1)))
		return
	}
	if p.bar == nil {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.bar = progressbar.NewOptions(resolution, progressbar.OptionSetWriter(p.w), progressbar.OptionSetWidth(16),
			progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false),
			progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100*time.Millisecond))
	}
	p.bar.Describe(document.Clean(Line(x, width-besideLine)))
	if all := x.Elapsed + x.Left; all > 0 {
		p.bar.Set(min(int(resolution*x.Elapsed/all), resolution-1))
	}
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

// Line returns how far a run is in at most so many columns; 0 is any number. What matters least is
// left out first: where in the round it is, what is open, what is measured.
func Line(x sample.Progress, columns int) string {
	round := fmt.Sprintf("round %d, sample %d of %d", x.Round+1, x.Done+1, x.Total)
	what, open, decided, left := Case(x.Study, x.Case), questions(x), claims(x), "almost done"
	if x.Left >= time.Second {
		left = fmt.Sprintf("about %v left", x.Left.Round(time.Second))
	}
	line := ""
	for _, parts := range [][]string{{what, round, open, left}, {what, open, left}, {what, decided, left},
		{x.Study, decided, left}, {decided, left}, {left}} {
		if line = joined(parts); columns <= 0 || utf8.RuneCountInString(line) <= columns {
			break
		}
	}
	return line
}

func joined(parts []string) string {
	line := ""
	for _, p := range parts {
		if line != "" && p != "" {
			line += "; "
		}
		line += p
	}
	return line
}

// questions says what is decided and what is open.
func questions(x sample.Progress) string {
	var out []string
	if x.Claims > 0 {
		out = append(out, claims(x))
	}
	if x.Open > x.Claims-x.Decided {
		out = append(out, units.Plural(x.Open, "question")+" open")
	}
	if x.Precision > 0 {
		out = append(out, fmt.Sprintf("±%.1f%%", 100*x.Precision))
	}
	return strings.Join(out, ", ")
}

// claims says how many are decided, "" where there is none.
func claims(x sample.Progress) string {
	if x.Claims == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s decided", x.Decided, units.Plural(x.Claims, "claim"))
}

// Case returns a study and one of its cases in words: "stackheap: smaug, place heap, 64 KiB" for
// Smaug/place=heap/size=65536.
func Case(study, name string) string {
	base, rest := benchfmt.Name(name).Parts()
	words := []string{spaced(string(base))}
	procs := ""
	for _, r := range rest {
		part := string(r)
		if n, ok := strings.CutPrefix(part, "-"); ok {
			procs = n
			continue
		}
		part = strings.TrimPrefix(part, "/")
		if in := figures.Place(part); in != "" {
			part = in
		}
		words = append(words, part)
	}
	out := study + ": " + strings.Join(words, ", ")
	if n, err := strconv.Atoi(procs); err == nil {
		out += " on " + units.Plural(n, "CPU")
	}
	return out
}

// spaced returns the words of a Go name, in lower case where they are no abbreviations: "stack
// growth" for StackGrowth, "JSON decode" for JSONDecode.
func spaced(name string) string {
	var out []string
	rs := []rune(name)
	for begin, i := 0, 1; i <= len(rs); i++ {
		if i < len(rs) && !(unicode.IsUpper(rs[i]) && (!unicode.IsUpper(rs[i-1]) ||
			i+1 < len(rs) && unicode.IsLower(rs[i+1]))) {
			continue
		}
		word := string(rs[begin:i])
		if len(word) == 1 || strings.ToUpper(word) != word {
			word = strings.ToLower(word)
		}
		out, begin = append(out, word), i
	}
	return strings.Join(out, " ")
}

// Answers tells the answers of a run as they are decided: of each study the claims that answer its
// question, in their order, until one is decided; of a package that names none, its first few.
type liveAnswers struct {
	told map[string][]string // the claims of each study
}

// few is how many claims of a package are told that does not say which of them answer.
const few = 3

// Decided returns what has been decided since it was asked last, a line each. It answers at the
// beginning of a round only.
func (a *liveAnswers) Decided(x sample.Progress) (lines []string) {
	if x.Done > 0 {
		return nil
	}
	for i, j := range x.Judged {
		name, st := x.Studies[i].Name, x.Studies[i].Written
		for _, c := range a.next(name, st, j) {
			if !decided(j.Verdicts[c]) {
				continue
			}
			a.tell(name, st.Claims[c].ID)
			lines = append(lines, says(x, i, j, c))
		}
	}
	return lines
}

func (a *liveAnswers) tell(study, id string) {
	if a.told == nil {
		a.told = map[string][]string{}
	}
	a.told[study] = append(a.told[study], id)
}

// bounded reports whether all figures of a verdict have intervals: one can be decided a round or
// next returns which claims of a study are to be told now.
func (a *liveAnswers) next(name string, st *language.Study, j *claim.Judged) (claims []int) {
	told := a.told[name]
	for _, id := range st.Answer {
		c := slices.IndexFunc(st.Claims, func(c language.Claim) bool { return c.ID == id })
		switch {
		case c < 0 || !decided(j.Verdicts[c]):
			continue
		case slices.Contains(told, id):
			return nil
		}
		return []int{c}
	}
	for c, v := range j.Verdicts {
		if len(st.Answer) == 0 && decided(v) && !slices.Contains(told, st.Claims[c].ID) && len(told)+len(claims) < few {
			claims = append(claims, c)
		}
	}
	return claims
}

func decided(v claim.Verdict) bool { return v.Status.Decided() }

// says returns what is decided of a claim, in a line.
func says(x sample.Progress, study int, j *claim.Judged, c int) string {
	st := x.Studies[study].Written
	v := result.VerdictOf(st, c, j)
	at := x.Studies[study].Name + " " + st.Claims[c].ID
	if len(x.Arms(study)) > 1 {
		at += ", " + v.Data
	}
	said := strings.TrimSuffix(answer.Said(st, st.Claims[c].ID, &v).String(), ".")
	return fmt.Sprintf("decided: %s (%s)", within(said), at)
}

// within returns a sentence as it stands after a colon.
func within(s string) string {
	first, rest, _ := strings.Cut(s, " ")
	if slices.Contains(strings.Fields("A An At From In It On The Twice Up With Not"), first) {
		return strings.ToLower(first) + " " + rest
	}
	return s
}
