package held

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"memcost/internal/base/units"
	"memcost/internal/document"
	"memcost/internal/measure/plan"
	"memcost/internal/method/claim"
	"memcost/internal/report/compare"
	"memcost/internal/report/figures"
)

const (
	mostSettings = 12 // rows of a table where not all is asked for
	longestName  = 44
)

// Document returns the answer as blocks: the sentence, the curve, the table, the line to paste, and what is to be known
// beside them.
func (r *Report) Document() *document.Document {
	d := &document.Document{Title: "Memory held: " + units.Shortened(r.Command, longestName)}
	d.Add(&document.Sentence{Text: document.As(document.Strong, r.Says), Hang: 2}, r.subject(), r.chart(), r.picture(), r.table(),
		r.paste(), r.frontier(), r.phases(), r.more(), r.asides())
	d.Add(&document.Sentence{Frame: document.Frame{On: document.Terminal | document.Page},
		Text: document.Say("run folder: ").And(document.As(document.Given, r.Dir))})
	return d
}

// subject says what the figures are of.
func (r *Report) subject() *document.Sentence {
	say := document.As(document.Given, units.Shortened(r.Command, longestName))
	switch {
	case r.Process != 0:
		say = say.Said(fmt.Sprintf(": process %d and what it starts, as long as it was looked at.", r.Process))
	case len(r.Settings) > 1:
		say = say.Said(": figures of ").And(document.As(document.Given, r.Own)).Said(", as it is, and ratios to them, with 95% confidence "+
			"intervals; the margin is ", units.Share(r.Margin), ", and each of ", units.Plural(r.Rounds, "round"), " has a fresh process for each.")
	default:
		say = say.Said(": what was resident of all of its processes, in ", units.Plural(r.Rounds, "run"),
			", with 95% confidence intervals where there are enough of them.")
	}
	if r.Until != "" {
		say = say.Said(" Its work: ").And(document.As(document.Given, units.Shortened(r.Until, longestName)))
	}
	return &document.Sentence{Text: say, Hang: 2}
}

const (
	chartWidth  = 58
	chartHeight = 4
)

// chart draws the curve of the program as it is in characters; nil where there is none.
func (r *Report) chart() document.Block {
	if len(r.Settings) == 0 || len(r.Settings[0].band.Rows) < 2 {
		return nil
	}
	s := &r.Settings[0]
	last := s.band.Rows[len(s.band.Rows)-1].At
	top, heights := 0.0, make([]float64, chartWidth)
	for i := range heights {
		heights[i] = s.at(last * time.Duration(i) / (chartWidth - 1))
		top = max(top, heights[i])
	}
	if top == 0 {
		return nil
	}
	blocks := []rune(" ▁▂▃▄▅▆▇█")
	label := units.Bytes(int64(top))
	b := &document.Source{Frame: document.Frame{On: document.Terminal | document.Markdown, Gap: 1, Rank: 3}, Language: "text"}
	line := func(left, right string) {
		b.Lines = append(b.Lines, document.SourceLine{Text: fmt.Sprintf("%*s %s", utf8.RuneCountInString(label), left,
			strings.TrimRight(right, " "))})
	}
	for row := chartHeight - 1; row >= 0; row-- {
		var text strings.Builder
		for _, h := range heights {
			full := h / top * chartHeight * 8
			text.WriteRune(blocks[int(math.Round(min(max(full-float64(row*8), 0), 8)))])
		}
		left := ""
		if row == chartHeight-1 {
			left = label
		}
		line(left, "│"+text.String())
	}
	end := units.Duration(last)
	axis := "0 s"
	if work := s.band.Work; work > 0 && work < last {
		at := int(float64(work) / float64(last) * (chartWidth - 1))
		line("0", "└"+strings.Repeat("─", at)+"┴"+strings.Repeat("─", chartWidth-1-at))
		words := "the work ends, " + units.Duration(work)
		from := min(max(at+1-len(words)/2, len(axis)+1), chartWidth-len(words)-len(end))
		if from > len(axis) {
			axis += strings.Repeat(" ", from-len(axis)) + words
		}
	} else {
		line("0", "└"+strings.Repeat("─", chartWidth))
	}
	line("", axis+strings.Repeat(" ", max(chartWidth-utf8.RuneCountInString(axis)-utf8.RuneCountInString(end), 1))+end)
	return b
}

// at returns what was resident in the median run at an instant of the band.
func (s *Setting) at(t time.Duration) float64 {
	rows := s.band.Rows
	for i := 1; i < len(rows); i++ {
		if a, b := rows[i-1], rows[i]; t <= b.At {
			if b.At == a.At {
				return b.Mid
			}
			return a.Mid + (b.Mid-a.Mid)*float64(t-a.At)/float64(b.At-a.At)
		}
	}
	return rows[len(rows)-1].Mid
}

// A drawn curve is what the page draws.
type drawn struct {
	Lines []line  `json:"lines"`
	Marks []mark  `json:"marks"`
	Work  float64 `json:"work"`
}

type line struct {
	Name string     `json:"name"`
	Grey bool       `json:"grey"` // a dominated setting
	Rows []CurveRow `json:"rows"`
}

type mark struct {
	At   figures.Drawn `json:"at"`
	Name string        `json:"name"`
}

// picture is the curve of each setting, for the page.
func (r *Report) picture() document.Block {
	d := &drawn{Lines: []line{}, Marks: []mark{}}
	for i, s := range r.Settings {
		if len(s.Curve) > 1 && s.Invalid == "" {
			d.Lines = append(d.Lines, line{s.Name, s.Dominated != "" && i > 0, s.Curve})
		}
	}
	if len(d.Lines) == 0 {
		return nil
	}
	if own := &r.Settings[0]; own.band.Work > 0 && len(own.Held) > 0 {
		d.Work = own.band.Work.Seconds()
	}
	if m := r.Settings[0].median(); m != nil {
		for _, x := range m.Marks {
			d.Marks = append(d.Marks, mark{figures.Drawn(x.At.Seconds()), x.Name})
		}
	}
	return &document.Picture{Frame: document.Frame{ID: "curve", On: document.Page}, Kind: "held", Data: d,
		Title: document.Say("Resident memory over time: the line is the median run, the band the lowest and the highest"),
		Says:  document.Say(r.ownSays)}
}

// table is the figures of each setting.
func (r *Report) table() document.Block {
	t := &document.Table{Frame: document.Frame{Gap: 2, Most: mostSettings}, Columns: []document.Column{{Head: "setting", Kind: document.Name,
		Most: 40}, {Head: "peak", Kind: document.Figure,
		On: document.Page | document.Markdown}, {Head: "peak", Kind: document.Figure, On: document.Terminal}}}
	if len(r.Settings) == 1 {
		return r.single()
	}
	own := &r.Settings[0]
	for i, h := range own.Held {
		c := document.Column{Head: "+" + units.Seconds(h.After), Kind: document.Figure}
		if i < len(own.Held)-1 {
			c.Drop = 9 - i // the last is what is judged by, and stays
		}
		t.Columns = append(t.Columns, c)
	}
	t.Columns = append(t.Columns, document.Column{Head: "area (MB·s)", Kind: document.Figure, Drop: 10},
		document.Column{Head: "CPU time", Kind: document.Figure}, document.Column{Head: "verdict", Kind: document.Prose, Least: 24})
	names := r.names()
	for _, i := range r.order() {
		s := r.Settings[i]
		cells := []document.Text{document.As(document.Given, names[i]), text(s.Peak, i == 0), short(s.Peak, i == 0)}
		for j := range own.Held {
			var f compare.Figure
			f.Value, f.Ratio = figures.NoFigure(), figures.NoFigure()
			for _, h := range s.Held {
				if h.After == own.Held[j].After {
					f = h.Resident
				}
			}
			cells = append(cells, text(f, i == 0))
		}
		says := s.Says
		if s.Dominated != "" && i > 0 {
			says = "dominated"
		}
		v := document.NoVerdict
		if f, _ := s.judged(); s.Invalid != "" {
			v = document.Invalid
		} else if i > 0 && f.Verdict != "" {
			v = f.Verdict.Verdict(f.More())
		}
		row := t.Add(append(cells, area(s.Area, i == 0), text(s.CPU, i == 0), document.Text{{Verdict: v, Text: says}})...)
		if s.Dominated != "" && i > 0 {
			row.Rank = 1
		}
	}
	return t
}

// order is that of the rows: the program as it is, the settings that hold least, and behind them those that nobody needs.
func (r *Report) order() []int {
	out := make([]int, len(r.Settings))
	for i := range out {
		out[i] = i
	}
	slices.SortStableFunc(out[1:], func(a, b int) int {
		x, y := &r.Settings[a], &r.Settings[b]
		if (x.Dominated != "") != (y.Dominated != "") {
			if x.Dominated != "" {
				return 1
			}
			return -1
		}
		f, _ := x.judged()
		g, _ := y.judged()
		_, v, _ := ends(f)
		_, w, _ := ends(g)
		return cmp.Compare(v, w)
	})
	return out
}

// names are those of the settings as a table has room for.
func (r *Report) names() []string {
	var full []string
	variables := strings.NewReplacer("MALLOC_CONF=", "", "GLIBC_TUNABLES=glibc.malloc.", "", "MIMALLOC_", "", "TCMALLOC_", "")
	for _, s := range r.Settings { // the allocator stands before it
		full = append(full, variables.Replace(s.Name))
	}
	return compare.ShortNames(full)
}

// single is the table of a program that is compared with nothing: a figure each row.
func (r *Report) single() *document.Table {
	s := &r.Settings[0]
	t := &document.Table{Frame: document.Frame{Gap: 2}, Columns: []document.Column{{Head: "figure", Kind: document.Key},
		{Head: "value", Kind: document.Figure}, {Head: "of the peak", Kind: document.Figure}}}
	peak := float64(s.Peak.Value.Value)
	add := func(what string, f figures.Figure, share bool) {
		of := document.Text(nil)
		if share && f.Known() && peak > 0 {
			of = document.As(document.Number, units.Percent(float64(f.Value)/peak))
		}
		if f.Known() {
			t.Add(document.Say(what), value(f), of)
		}
	}
	add("peak", s.Peak.Value, false)
	for _, h := range s.Held {
		add("resident "+after(h.After), h.Resident.Value, true)
	}
	if s.Share.Value.Known() && s.processes() > 1 {
		add("the same, shared memory counted once (PSS)", s.Share.Value, true)
	}
	if s.Area.Value.Known() {
		t.Add(document.Say("area under the curve"), area(s.Area, true).Said(" MB·s"), nil)
	}
	if len(s.Held) > 0 {
		t.Add(document.Say("time until 90% are given back"), s.returned(r.Idle), nil)
	}
	add("CPU time", s.CPU.Value, false)
	add("time of the work", s.Wall.Value, false)
	return t
}

// returned says how long after the work 90% of the peak were given back.
func (s *Setting) returned(idle float64) document.Text {
	switch {
	case s.Kept > 0 && s.Kept == s.Runs:
		return document.Say("more than " + units.Seconds(idle))
	case s.Kept > 0:
		return document.Say(fmt.Sprintf("more than %s in %d of %d", units.Seconds(idle), s.Kept, s.Runs))
	case s.Returned.Value.Known() && s.Returned.Value.Value > 0:
		return document.As(document.Number, units.Seconds(float64(s.Returned.Value.Value)))
	case s.Runs > 0: // a time of 0 in all runs has no figure
		return document.Say("at the end of the work")
	}
	return document.Say(units.None)
}

func (s *Setting) processes() (n int) {
	for _, c := range s.curves {
		n = max(n, c.Processes)
	}
	return n
}

// value returns a figure with its interval, where it has one.
func value(f figures.Figure) document.Text {
	if !f.Bounded() {
		return document.As(document.Number, f.Quantity())
	}
	return f.Text()
}

// text returns a figure of the baseline, and a ratio with its interval of any other.
func text(f compare.Figure, baseline bool) document.Text {
	switch {
	case baseline && f.Value.Known():
		return value(f.Value)
	case !baseline && f.Ratio.Known():
		return f.Ratio.TimesText()
	}
	return document.Say(units.None)
}

// short is text without the interval, where a terminal has no room for all of them.
func short(f compare.Figure, baseline bool) document.Text {
	switch {
	case baseline && f.Value.Known():
		return document.As(document.Number, f.Value.Quantity())
	case !baseline && f.Ratio.Known():
		return document.As(document.Number, units.Digits(float64(f.Ratio.Value)))
	}
	return document.Say(units.None)
}

// area is text of an area, in MB·s.
func area(f compare.Figure, baseline bool) document.Text {
	if !baseline || !f.Value.Known() {
		return text(f, baseline)
	}
	v := f.Value
	say := units.Digits(float64(v.Value) / 1e6)
	if v.Bounded() {
		say += " " + units.PlusMinus(float64(v.Value), float64(v.Lo), float64(v.Hi))
	}
	return document.As(document.Number, say)
}

// paste is the line that has the program run under the best setting.
func (r *Report) paste() document.Block {
	if r.Best == nil {
		return nil
	}
	return &document.Sentence{Frame: document.Frame{Gap: 1}, Hang: 2, Text: document.Say("To paste, for ", r.Best.Price, ": ").And(
		document.As(document.Code, r.Best.Line))}
}

// A point is a setting in the picture of what is held over what it costs.
type point struct {
	Name string           `json:"name"`
	Grey bool             `json:"grey"`
	Own  bool             `json:"own"`
	Held [3]figures.Drawn `json:"held"` // ratio, and its interval
	CPU  [3]figures.Drawn `json:"cpu"`
	Peak figures.Drawn    `json:"peak"`
	Says string           `json:"says"`
}

// frontier is the picture of what each setting holds over the CPU time that it takes.
func (r *Report) frontier() document.Block {
	if len(r.Settings) < 2 {
		return nil
	}
	_, what := r.Settings[0].judged()
	name := "area under the curve"
	if what == "holds" {
		h, _ := r.Settings[0].last()
		name = "resident " + after(h.After)
	}
	data := struct {
		Of     string  `json:"of"`
		Points []point `json:"points"`
	}{Of: name, Points: []point{}}
	t := &document.Table{Columns: []document.Column{{Head: "setting", Kind: document.Name}, {Head: name, Kind: document.Figure},
		{Head: "CPU time", Kind: document.Figure}, {Head: "dominated by", Kind: document.Words}}}
	for i, s := range r.Settings {
		if !s.counts(i) {
			continue
		}
		f, _ := s.judged()
		hLo, h, hHi := ends(f)
		cLo, c, cHi := ends(s.CPU)
		_, p, _ := ends(s.Peak)
		says := fmt.Sprintf("%s: %s times what it holds as it is, %s times the CPU time, %s times the peak", s.Name, units.Brief(h, ""),
			units.Brief(c, ""), units.Brief(p, ""))
		if s.Dominated != "" {
			says += "; " + s.Dominated + " is better than it"
		}
		data.Points = append(data.Points, point{s.Name, s.Dominated != "", i == 0, drawnOf(h, hLo, hHi), drawnOf(c, cLo, cHi),
			figures.Drawn(p), says})
		t.Add(document.As(document.Given, s.Name), text(f, i == 0), text(s.CPU, i == 0), document.As(document.Given, s.Dominated))
	}
	if len(data.Points) < 2 {
		return nil
	}
	return &document.Picture{Frame: document.Frame{ID: "frontier", On: document.Page}, Kind: "frontier", Data: data, Table: t,
		Title: document.Say("What each setting holds, and what it costs"),
		Says:  document.Say("Ratios to the program as it is: further down holds less, further left takes less CPU time; grey are settings that another is better than in one of them and worse in none")}
}

// drawnOf is a figure as it is drawn, with both ends of its interval or none.
func drawnOf(v, lo, hi float64) [3]figures.Drawn {
	if !units.Bounded(lo, hi) {
		lo, hi = math.NaN(), math.NaN()
	}
	return [3]figures.Drawn{figures.Drawn(v), figures.Drawn(lo), figures.Drawn(hi)}
}

// phases are the parts of the curve of the program as it is.
func (r *Report) phases() document.Block {
	if len(r.Settings) == 0 || len(r.Settings[0].Phases) == 0 {
		return nil
	}
	var parts []string
	for _, p := range r.Settings[0].Phases {
		parts = append(parts, fmt.Sprintf("%s %s to %s (%s at its end)", p.Name, seconds(p.From), units.Seconds(p.To), units.Bytes(p.Resident)))
	}
	return &document.Sentence{Frame: document.Frame{Rank: 6, Gap: 1}, Hang: 2, Text: document.Say("phases of the median run: ").And(
		document.As(document.Given, strings.Join(parts, "; ")))}
}

// seconds formats an instant.
func seconds(s float64) string {
	if s == 0 {
		return "0 s"
	}
	return units.Seconds(s)
}

// more are the figures that no verdict needs.
func (r *Report) more() document.Block {
	if len(r.Settings) < 2 {
		return nil
	}
	t := &document.Table{Frame: document.Frame{Rank: 9, Good: -1}, Columns: document.Heads(document.Figure, "wall time", "90% given back",
		"PSS at the end")}
	t.Columns = append([]document.Column{{Head: "setting", Kind: document.Name}}, t.Columns...)
	for i, s := range r.Settings {
		back := document.Say(units.None)
		if len(s.Held) > 0 {
			back = s.returned(r.Idle)
		}
		t.Add(document.As(document.Given, s.Name), text(s.Wall, i == 0), back, text(s.Share, i == 0))
	}
	return &document.Fold{Frame: document.Frame{Gap: 2, On: document.Page | document.Markdown}, Head: document.Say("Further figures"),
		Blocks: []document.Block{t}}
}

// asides are what is to be known beside the figures.
func (r *Report) asides() document.Block {
	g := &document.Group{Frame: document.Frame{Gap: 1, Rank: 8, Good: 3, Least: 1}}
	item := func(label document.Text, given string) {
		g.Add(&document.Sentence{Item: true, Text: label.And(document.As(document.Given, given))})
	}
	for _, s := range r.Settings {
		if s.Invalid != "" {
			item(document.Text{document.Invalid.Says("INVALID: ")}, s.Name+": "+s.Invalid)
		}
	}
	for _, s := range r.Notes {
		item(document.Say("note: "), s)
	}
	for _, s := range plan.NotMeasuredSays(r.NotMeasured) {
		item(document.Say("not measured: "), s)
	}
	if x := r.Sampler; x.Looks > 0 {
		say := fmt.Sprintf("looking took %s of one core (%s looks, the longest time between two %s)", units.Percent(float64(x.Share)),
			units.Thousands(x.Looks), units.Seconds(float64(x.Gap)))
		if !math.IsNaN(float64(x.Inexact)) {
			say += fmt.Sprintf("; the kernel's counters were within %s of a walk over all pages", upTo(float64(x.Inexact)))
		}
		item(document.Say(say), "")
	}
	if say := r.looking(); say != "" {
		item(document.Say(say), "")
	}
	for _, n := range r.NoiseFloor {
		item(document.Say("noise floor: two copies of the same configuration: ").And(n.Ratio.TimesText()), "")
	}
	for _, s := range r.Warnings {
		item(document.As(document.Warning, "warning: "), s)
	}
	if r.undecided() {
		g.Add(&document.Sentence{Item: true, Text: document.Say("what is undecided more rounds may decide: ").And(document.As(document.Code,
			"memcost held --resume "+r.Dir+" --budget 10m"))})
	}
	return g
}

// upTo says a small share: "0.1%".
func upTo(share float64) string {
	if share < 0.001 {
		return "0.1%"
	}
	return units.Percent(share)
}

func (r *Report) undecided() bool {
	for i, s := range r.Settings {
		if i > 0 && strings.Contains(s.Says, string(claim.Open)) {
			return true
		}
	}
	return false
}
