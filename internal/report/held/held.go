// Package held says what a run of memcost held found: how much memory a program had resident over time, at its
// peak and after its work, and what each setting that may give it back saves and costs. It is pure: everything
// follows from the run folder.
package held

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/units"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
	"memcost/internal/method/curve"
	"memcost/internal/method/series"
	"memcost/internal/report/compare"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

// Format is the version of the JSON form of a Report: see docs/format.md.
const Format = 1

// A Report is what a program's memory was over time, under its own settings and others.
type Report struct {
	Format  int     `json:"format"`
	Label   string  `json:"label,omitempty"`
	Dir     string  `json:"run_folder"`
	Says    string  `json:"says"` // the answer
	Program string  `json:"program"`
	Command string  `json:"command"`
	Own     string  `json:"own_allocator"` // the baseline
	Until   string  `json:"until,omitempty"`
	Process int     `json:"process,omitempty"` // of --pid
	Idle    float64 `json:"idle_sec"`          // how long was looked on after the work
	Margin  float64 `json:"margin"`
	Alpha   float64 `json:"alpha"`
	Rounds  int     `json:"rounds"`
	// Settings are the program as it is, and under each setting that was measured.
	Settings []Setting `json:"settings"`
	// Malloc is what the C library's malloc says after the work, in a run of its own; nil where it was not asked.
	Malloc      *plan.Arenas       `json:"malloc,omitempty"`
	Best        *Advice            `json:"best,omitempty"` // nil: none is known to hold less, or nothing was compared
	NotMeasured []plan.NotMeasured `json:"not_measured"`
	NoiseFloor  []result.Noise     `json:"noise_floor"`
	Sampler     Sampler            `json:"sampler"`
	// Looking is the time that the program's work takes while it is looked at over that of a copy that is not; nil where
	// no copy can be left alone.
	Looking  *figures.Figure `json:"looked_at_over_not,omitempty"`
	Notes    []string        `json:"notes"`
	Warnings []string        `json:"warnings"`

	ownSays string // the part of the answer that is of the program as it is
}

// A Setting is the program under one setting.
type Setting struct {
	Name    string `json:"name"`
	Invalid string `json:"invalid,omitempty"` // why it is in no verdict
	Says    string `json:"says"`              // its verdict: "less held, same peak, more CPU"
	// Dominated names a setting that is known to be better in one of what is held, peak and CPU time, and is in
	// none of them worse by more than the margin; "" where there is none.
	Dominated string         `json:"dominated_by,omitempty"`
	Peak      compare.Figure `json:"peak_rss"`
	Held      []Held         `json:"held"` // as far as there was idleness
	Share     compare.Figure `json:"held_pss"`
	Area      compare.Figure `json:"area_byte_sec"`
	Returned  compare.Figure `json:"returned_90_sec"`
	Kept      int            `json:"kept"` // the runs in which 90% were not given back as long as anyone looked
	CPU       compare.Figure `json:"cpu_time"`
	Wall      compare.Figure `json:"wall_time"`
	Runs      int            `json:"runs"` // whose curves are known
	Phases    []Phase        `json:"phases"`
	Curve     []CurveRow     `json:"curve"` // of all runs together
	Worked    float64        `json:"work_sec"`

	env    []string
	curves []*curve.Curve
	band   curve.Band
}

// Held is what is resident some time after the work.
type Held struct {
	After    float64        `json:"after_sec"`
	Resident compare.Figure `json:"resident"`
}

// A Phase is a part of the median run.
type Phase struct {
	Name     string  `json:"name"`
	From     float64 `json:"from_sec"`
	To       float64 `json:"to_sec"`
	Resident int64   `json:"resident"` // at its end
}

// A CurveRow is an instant of all runs together: bytes in the lowest, the median and the highest of them.
type CurveRow struct {
	At   figures.Drawn `json:"at_sec"`
	Low  figures.Drawn `json:"low"`
	Mid  figures.Drawn `json:"median"`
	High figures.Drawn `json:"high"`
}

// Advice is the setting that gives most back, and its price.
type Advice struct {
	Name  string `json:"name"`
	Line  string `json:"line"`  // to paste
	Price string `json:"price"` // in words
}

// A Sampler is what looking cost, in the median run of the program as it is.
type Sampler struct {
	CPU   figures.Number `json:"cpu_sec"`
	Share figures.Number `json:"core_share"` // of one core
	Looks int64          `json:"looks"`
	Gap   figures.Number `json:"longest_gap_sec"`
	// Inexact is by which share the kernel's cheap counters differed at most from a walk over all pages, after the work;
	// null where none was possible.
	Inexact figures.Number `json:"counters_off"`
}

// inverse returns one over a ratio.
func inverse(f figures.Figure) figures.Figure {
	f.Value, f.Medians, f.Lo, f.Hi = 1/f.Value, 1/f.Medians, 1/f.Hi, 1/f.Lo
	return f
}

// slowed is by which share looking may slow a program that it leaves as it is.
const slowed = 0.02

// looking says what looking does to the program, "" where that is not known.
func (r *Report) looking() string {
	f := r.Looking
	if f == nil || !f.Known() {
		return ""
	}
	say := fmt.Sprintf("while it is looked at its work takes %s times as long as while it is not", f.Brief())
	switch lo, hi := float64(f.Lo), float64(f.Hi); {
	case !f.Bounded():
		return say + ", of too few rounds to say whether that is nothing"
	case lo > 1/(1+slowed) && hi < 1+slowed:
		return say + ": equivalent within " + units.Share(slowed)
	case lo > 1+slowed:
		return say + ": looking slows it"
	}
	return say + ": whether that is within " + units.Share(slowed) + " is undecided"
}

// Is reports whether an answer is that of memcost held.
func Is(a *result.Answer) bool { return a.Question.OfHeld() != nil }

var errOther = errors.New("it is no run of memcost held")

// Of returns what a run says; its curves are read from its folder.
func Of(a *result.Answer) (*Report, error) {
	if !Is(a) {
		return nil, errOther
	}
	c, err := compare.OfRun(a)
	if err != nil {
		return nil, err
	}
	found := a.Question.Comparison.Alloc
	r := &Report{Format: Format, Label: c.Label, Dir: c.Dir, Program: found.Program, Own: found.Own, Until: found.Until,
		Process: found.Held.Process, Idle: found.Held.Idle.Seconds(), Margin: c.Margin, Alpha: c.Alpha, Rounds: a.Rounds,
		NotMeasured: append([]plan.NotMeasured{}, found.Left...), NoiseFloor: c.NoiseFloor,
		Notes: append([]string{}, found.Notes...), Warnings: c.Warnings}
	sides := a.Question.Plan.Sides
	if len(sides) > 0 {
		r.Command = sides[0].Command
	}
	r.Malloc = found.Held.Arenas
	curves, warnings := curvesOf(a)
	r.Warnings = append(r.Warnings, warnings...)
	for side := range c.Sides {
		s := settingOf(a, c, side, curves[c.Sides[side].Name])
		if side < len(sides) {
			s.env = sides[side].Env
		}
		r.Settings = append(r.Settings, s)
	}
	r.dominate()
	r.sampler()
	r.Notes = append(r.Notes, r.aboutRuns()...)
	r.Notes = append(r.Notes, r.aboutMalloc()...)
	if n := c.NoiseFloor; found.Held.Plain && len(n) > 0 {
		r.Looking, r.NoiseFloor = &n[0].Ratio, []result.Noise{}
		*r.Looking = inverse(*r.Looking)
	}
	r.advise()
	r.Says = r.sentence()
	return r, nil
}

// curvesOf reads the curves of a run, by the names of its sides.
func curvesOf(a *result.Answer) (out map[string][]*curve.Curve, warnings []string) {
	out = map[string][]*curve.Curve{}
	if a.Question.Joined != "" {
		return out, nil
	}
	missing := 0
	_, err := store.ReadSamples(a.Dir, func(x *benchfmt.Result) error {
		n, ok := x.Value(series.UnitCurve)
		if !ok || x.GetConfig(series.KeyRole) != "" {
			return nil
		}
		c, err := store.ReadCurve(a.Dir, int(n))
		if err != nil {
			if missing++; missing == 1 {
				warnings = append(warnings, err.Error())
			}
			if c == nil {
				return nil
			}
		}
		side := series.SideName(x.GetConfig(series.KeyToolchain), x.GetConfig(series.KeySide))
		out[side] = append(out[side], c)
		return nil
	})
	if err != nil {
		warnings = append(warnings, err.Error())
	}
	if missing > 1 {
		warnings = append(warnings, fmt.Sprintf("%s could not be read", units.Plural(missing, "curve")))
	}
	return out, warnings
}

// steps is how many instants each of the two parts of a band has.
const steps = 120

func settingOf(a *result.Answer, c *compare.Report, side int, curves []*curve.Curve) Setting {
	s := Setting{Name: c.Sides[side].Name, Held: []Held{}, Phases: []Phase{}, Curve: []CurveRow{}, Runs: len(curves), curves: curves}
	s.Invalid = compare.InvalidOf(a, c, side)
	of := func(unit string) compare.Figure { return compare.FigureOf(c, side, unit) }
	s.Peak, s.Area, s.CPU, s.Wall, s.Returned, s.Share = of(series.UnitRSS), of(series.UnitArea), of(series.UnitCPU),
		of(compare.Time), of(series.UnitReturned), of(series.UnitHeldPSS)
	for _, after := range curve.After() {
		if f := of(series.UnitHeld(after)); f.Value.Known() {
			s.Held = append(s.Held, Held{after.Seconds(), f})
		}
	}
	for _, x := range curves {
		if _, back := x.Returned(); !back {
			s.Kept++
		}
	}
	s.band = curve.BandOf(curves, steps)
	s.Worked = s.band.Work.Seconds()
	for _, row := range s.band.Rows {
		s.Curve = append(s.Curve, CurveRow{figures.Drawn(row.At.Seconds()), figures.Drawn(row.Low), figures.Drawn(row.Mid),
			figures.Drawn(row.Top)})
	}
	if m := s.median(); m != nil {
		for _, p := range m.Phases() {
			s.Phases = append(s.Phases, Phase{p.Name, p.From.Seconds(), p.To.Seconds(), p.Resident})
		}
	}
	switch {
	case side == 0 && len(c.Sides) > 1:
		s.Says = "baseline"
	case side == 0:
	case s.Invalid != "":
		s.Says = "INVALID"
	default:
		s.Says = s.verdict()
	}
	return s
}

// median returns the curve of the run with the median area; nil without any.
func (s *Setting) median() *curve.Curve {
	all := slices.DeleteFunc(slices.Clone(s.curves), func(c *curve.Curve) bool { return len(c.Points) < 2 })
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b *curve.Curve) int { return cmp.Compare(a.Area(), b.Area()) })
	return all[(len(all)-1)/2]
}

// last returns what is resident at the end of the idleness; false where there was none.
func (s *Setting) last() (Held, bool) {
	if len(s.Held) == 0 {
		return Held{}, false
	}
	return s.Held[len(s.Held)-1], true
}

// judged is what a setting is judged by: what it holds after the work, or its area where there is no idleness.
func (s *Setting) judged() (compare.Figure, string) {
	if h, ok := s.last(); ok {
		return h.Resident, "holds"
	}
	return s.Area, "area"
}

// verdict says what is known of a setting: "less held, same peak, more CPU".
func (s *Setting) verdict() string {
	var known, undecided []string
	add := func(f compare.Figure, less, same, more, what string) {
		switch {
		case f.Less():
			known = append(known, less)
		case f.More():
			known = append(known, more)
		case f.Decided():
			known = append(known, same)
		case f.Verdict != "":
			undecided = append(undecided, what)
		}
	}
	if f, what := s.judged(); what == "holds" {
		add(f, "less held", "as much held", "more held", "held")
	} else {
		add(f, "smaller area", "same area", "larger area", "area")
	}
	add(s.Peak, "lower peak", "same peak", "higher peak", "peak")
	add(s.CPU, "less CPU", "same CPU", "more CPU", "CPU")
	switch {
	case len(known) == 0 && len(undecided) > 0:
		return "undecided"
	case len(undecided) > 0:
		known = append(known, strings.Join(undecided, " and ")+" undecided")
	}
	return cmp.Or(strings.Join(known, ", "), "not tested: it has no figure")
}

// ends returns the interval of a ratio; of the baseline and of what does not vary its value.
func ends(f compare.Figure) (lo, mid, hi float64) {
	if !f.Ratio.Known() {
		return 1, 1, 1
	}
	mid = float64(f.Ratio.Value)
	lo, hi = float64(f.Ratio.Lo), float64(f.Ratio.Hi)
	if math.IsNaN(lo) {
		lo = mid
	}
	if math.IsNaN(hi) {
		hi = mid
	}
	return lo, mid, hi
}

// dominate finds the settings that nobody needs: another is known to be better in one figure, and is not worse in the
// others by more than the margin.
func (r *Report) dominate() {
	for i := range r.Settings {
		x := &r.Settings[i]
		for j := range r.Settings {
			if y := &r.Settings[j]; i != j && x.counts(i) && y.counts(j) && dominates(y, x, r.Margin) {
				x.Dominated = y.Name
				break
			}
		}
	}
}

// counts reports whether a setting has figures to be judged by.
func (s *Setting) counts(i int) bool {
	f, _ := s.judged()
	return s.Invalid == "" && f.Value.Known() && (i == 0 || f.Ratio.Known())
}

func dominates(y, x *Setting, margin float64) bool {
	better := false
	yHeld, _ := y.judged()
	xHeld, _ := x.judged()
	for _, f := range [][2]compare.Figure{{yHeld, xHeld}, {y.Peak, x.Peak}, {y.CPU, x.CPU}} {
		_, yMid, yHi := ends(f[0])
		xLo, xMid, _ := ends(f[1])
		if yMid > xMid*(1+margin) {
			return false
		}
		better = better || yHi < xLo/(1+margin)
	}
	return better
}

// advise finds the setting that gives most back: of those that hold about as little, the one that costs least CPU time.
func (r *Report) advise() {
	var less []*Setting
	for i := range r.Settings {
		if s := &r.Settings[i]; i > 0 && s.Invalid == "" {
			if f, _ := s.judged(); f.Less() {
				less = append(less, s)
			}
		}
	}
	if len(less) == 0 {
		return
	}
	held := func(s *Setting) float64 {
		f, _ := s.judged()
		return float64(f.Ratio.Value)
	}
	least := slices.MinFunc(less, func(a, b *Setting) int { return cmp.Compare(held(a), held(b)) })
	const about = 0.05 // of what the program holds by itself
	best := least
	for _, s := range less {
		if held(s) <= held(least)+about && s.CPU.Ratio.Known() && s.CPU.Ratio.Value < best.CPU.Ratio.Value {
			best = s
		}
	}
	a := &Advice{Name: best.Name, Price: priceOf(best)}
	for _, v := range best.env { // a shell takes a quoted name for a command
		name, value, _ := strings.Cut(v, "=")
		a.Line += name + "=" + units.ShellWord(value) + " "
	}
	a.Line += r.Command
	r.Best = a
}

// priceOf says what a setting costs: CPU time, and the peak.
func priceOf(s *Setting) string {
	if !s.CPU.Ratio.Known() {
		return "its CPU time is not known"
	}
	say := s.CPU.Ratio.Brief() + " times the CPU time"
	if !s.CPU.Decided() {
		say += " (undecided)"
	}
	if s.Peak.Ratio.Known() {
		say += " and " + s.Peak.Ratio.Brief() + " times the peak"
	}
	return say
}

// sampler says what looking cost.
func (r *Report) sampler() {
	r.Sampler = Sampler{CPU: figures.NoFigure().Value, Share: figures.NoFigure().Value, Gap: figures.NoFigure().Value,
		Inexact: figures.NoFigure().Value}
	if len(r.Settings) == 0 {
		return
	}
	m := r.Settings[0].median()
	if m == nil {
		return
	}
	r.Sampler.CPU, r.Sampler.Looks, r.Sampler.Gap = figures.Number(m.Sampler.Seconds()), m.Looks, figures.Number(m.Gap.Seconds())
	if s := m.Last().Seconds(); s > 0 {
		r.Sampler.Share = figures.Number(m.Sampler.Seconds() / s)
	}
	for _, c := range r.Settings[0].curves {
		if x := c.Inexact(); x >= 0 && !(float64(r.Sampler.Inexact) > x) {
			r.Sampler.Inexact = figures.Number(x)
		}
	}
}

// aboutRuns says what is to be known of the runs of the program as it is.
func (r *Report) aboutRuns() (out []string) {
	if len(r.Settings) == 0 {
		return nil
	}
	s := &r.Settings[0]
	how, processes, private, swap, short, busy := map[curve.Ending]int{}, 0, 0, int64(0), 0, 0
	for _, c := range s.curves {
		how[c.How]++
		processes = max(processes, c.Processes)
		swap = max(swap, c.Swap)
		if c.Private {
			private++
		}
		if len(c.Points) < 2 {
			short++
		}
		if c.Work < 0 {
			busy++
		}
	}
	n := len(s.curves)
	of := func(k int) string {
		if k == n {
			return ""
		}
		return fmt.Sprintf("in %d of %s ", k, units.Plural(n, "run"))
	}
	if k := how[curve.Killed]; k > 0 {
		out = append(out, of(k)+"the kernel killed it because there was no memory left: the curve ends at the last look before that; "+
			"give it more memory, or look at less of its work")
	}
	if k := how[curve.Limited]; k > 0 {
		out = append(out, of(k)+"it was still at work when its time was over, and was ended then: nothing is known of its memory after the "+
			"work; --timeout gives it longer, --until says what its work is, and memcost held mark idle that it is over")
	}
	if short > 0 {
		out = append(out, of(short)+"it ended before it was looked at twice (5 ms): there is no curve; its peak is the kernel's account")
	} else if k := how[curve.Ended]; k > 0 && busy > 0 {
		out = append(out, of(busy)+"it ends by itself with its work: there is no time after it in which it could hold memory")
	} else if k > 0 && len(s.Held) < len(curve.After()) && r.Process == 0 {
		out = append(out, of(k)+fmt.Sprintf("it ended by itself %s after its work: what it would have held longer is not known",
			units.Duration(s.curves[0].Last()-s.curves[0].Work)))
	}
	if processes > 1 {
		out = append(out, fmt.Sprintf("up to %d processes at once: their sum counts what they share once for each, and a peak of "+
			"the sum is one that a look met, so that the true one is at least that", processes))
	}
	if private > 0 {
		out = append(out, "what it shares (PSS) could not be read: a process of it is another user's")
	}
	if swap > 0 {
		out = append(out, fmt.Sprintf("at the end %s were swapped out, which is not resident and not given back", units.Bytes(swap)))
	}
	return out
}

// aboutMalloc says where memory is that the program does not use, and whether malloc can give it back.
func (r *Report) aboutMalloc() []string {
	m := r.Malloc
	if m == nil {
		return nil
	}
	where := units.Plural(m.Arenas, "arena")
	if m.Processes > 1 {
		where += fmt.Sprintf(" of %d processes", m.Processes)
	}
	out := []string{fmt.Sprintf("malloc of the C library after the work, in a run of its own: the program uses %s of it (its threads' caches of free "+
		"blocks among it); %s are free inside %s or at their tops, %s in fastbins; how large the largest free run is, is unknown",
		units.Bytes(m.InUse()), units.Bytes(m.Free), where, units.Bytes(m.Fast))}
	back := max(m.Before-m.After, 0)
	return append(out, fmt.Sprintf("malloc_trim(0) in the program gave back %s of %s in %s", units.Bytes(back), units.Bytes(m.Before),
		units.Duration(m.Took)))
}

// after says "8 s after the work".
func after(sec float64) string {
	return units.Seconds((time.Duration(sec * float64(time.Second))).Seconds()) + " after the work"
}

// sentence is the answer.
func (r *Report) sentence() string {
	if len(r.Settings) == 0 || !r.Settings[0].Peak.Value.Known() && len(r.Settings[0].curves) == 0 {
		return "Nothing can be said: there is no sample of the program as it is."
	}
	own := &r.Settings[0]
	say := "The peak is not known"
	if own.Peak.Value.Known() {
		say = "Peak " + own.Peak.Value.Quantity()
	}
	h, idle := own.last()
	const some = 0.1 // of what is held: less of it is not worth a word
	switch {
	case r.Process != 0 && len(own.curves) > 0 && own.curves[0].Work == 0:
		say += " while it was looked at; it was idle all the time"
	case idle:
		say += fmt.Sprintf("; %s %s are still resident", after(h.After), h.Resident.Value.Quantity())
		if m := r.Malloc; m != nil && float64(m.Free+m.Fast) > some*float64(h.Resident.Value.Value) {
			say += fmt.Sprintf(", of which up to %s are free inside malloc", units.Bytes(m.Free+m.Fast))
		}
	case own.endedAs(curve.Killed):
		say += "; the kernel killed it there, because there was no memory left"
	case own.endedAs(curve.Limited):
		say += "; it was still at work when it was ended, after " + units.Seconds(own.Worked)
	case own.Area.Value.Known():
		say += fmt.Sprintf("; it ends with its work, after %s, and holds nothing then", units.Seconds(own.Worked))
		if r.Process != 0 {
			say = fmt.Sprintf("Peak %s while it was looked at; it was never idle", own.Peak.Value.Quantity())
		}
	}
	r.ownSays = say
	if r.Best == nil {
		if m := r.Malloc; idle && m != nil && float64(m.Before-m.After) > some*float64(h.Resident.Value.Value) {
			say += fmt.Sprintf("; malloc_trim(0) gives back %s in %s", units.Bytes(m.Before-m.After), units.Duration(m.Took))
		}
		return say + r.without() + "."
	}
	best := r.Settings[slices.IndexFunc(r.Settings, func(s Setting) bool { return s.Name == r.Best.Name })]
	if b, ok := best.last(); ok {
		return fmt.Sprintf("%s; %s keeps %s for %s.", say, best.Name, b.Resident.Value.Quantity(), r.Best.Price)
	}
	f, _ := best.judged()
	return fmt.Sprintf("%s; %s has %s times the area under the curve for %s.", say, best.Name, f.Ratio.Brief(), r.Best.Price)
}

// endedAs reports whether all runs ended in a way.
func (s *Setting) endedAs(how curve.Ending) bool {
	return len(s.curves) > 0 && !slices.ContainsFunc(s.curves, func(c *curve.Curve) bool { return c.How != how })
}

// without says why there is no advice, where settings were compared.
func (r *Report) without() string {
	undecided := 0
	for _, s := range r.Settings[1:] {
		if f, _ := s.judged(); s.Invalid == "" && f.Verdict != "" && !f.Decided() {
			undecided++
		}
	}
	switch {
	case len(r.Settings) < 2:
		return ""
	case undecided > 0:
		return fmt.Sprintf("; whether another setting holds less is undecided of %d", undecided)
	}
	return "; none of the others holds less"
}
