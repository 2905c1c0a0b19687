// Package page says what answers have for a page, as a document: the front, and behind each study its
// pictures, claims, validity and how to reproduce it. Several answers stand beside each other: what is
// the same in them is one picture, one claim, one study.
package page

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/document"
	"memcost/internal/machine"
	"memcost/internal/malloc/latency"
	"memcost/internal/report/answer"
	"memcost/internal/report/compare"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

// Of returns answers as a document, with their front first; without one, which is so of a comparison,
// what there is of each study stands open.
func Of(answers []*result.Answer, front *answer.Front) *document.Document {
	p := &page{answers: answers, comparisons: compare.Answers(answers), same: map[compare.Part]string{}}
	for _, x := range p.comparisons {
		for _, part := range x.Parts {
			p.same[part] = x.Study
		}
	}
	p.findSets()
	names := p.studyNames()
	sides, title, heading := p.sides()
	if sides != nil {
		front = nil
	}
	p.front = front
	d := &document.Document{Title: title}
	p.remarks(d, sides != nil)
	for i, name := range names {
		p.studies = append(p.studies, p.study(name, i))
	}
	cards := &document.Group{Frame: document.Frame{ID: "studies", Class: "cards-of-studies"}}
	if front != nil {
		cards.Level, cards.Head = 2, document.Say("The studies, one answer each")
		if len(names) == 1 {
			cards.Head = document.Say("The study")
		}
		p.first(d)
		p.second(d)
		d.Add(p.machines())
	} else {
		d.Add(sides, &document.Group{Frame: document.Frame{ID: "machines"}, Level: 2, Head: p.runsHead("The machine"),
			Blocks: p.runs()})
	}
	d.Title = cmp.Or(d.Title, pageTitle(names))
	if front == nil {
		d.Blocks = []document.Block{&document.Group{Level: 1, Head: document.Say(heading), Blocks: d.Blocks}}
	}
	for _, s := range p.studies {
		cards.Add(s.section)
	}
	if len(names) == 0 {
		cards.Add(sentence("note", "There is nothing to show: no study has a sample yet."))
	}
	d.Add(cards)
	if front != nil {
		d.Add(p.end())
	}
	d.Nav = p.nav()
	d.Add(sentence("legend", "± and [ ] are 95% confidence intervals: of a run anytime-valid, so they may be looked at "+
		"after every round; of any other file the interval that benchstat shows. A claim holds or fails only where its "+
		"interval says so. Published figures have no interval: a claim is tested on the figure as it was printed."))
	if p.marked {
		d.Add(sentence("legend", "‡ A verdict that does not stand when everything that the run reports is counted "+
			"together (e-BH)."))
	}
	return d
}

// A page is a document while it is made.
type page struct {
	answers     []*result.Answer
	front       *answer.Front
	comparisons []compare.Comparison
	same        map[compare.Part]string // what a study is called that several answers have under different names
	sets        []set
	studies     []*studySection
	marked      bool // there are verdicts that do not stand when everything is counted together
}

// A set is one data set: a configuration of a run, or what others published.
type set struct {
	Label     string  `json:"label"`
	Machine   string  `json:"machine"`
	Go        string  `json:"go"`
	Arm       string  `json:"arm"`
	Published bool    `json:"published"`
	Caches    []cache `json:"caches,omitempty"`

	run  int // −1 is nobody's run, but published
	name string
}

type cache struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// studyName returns what a study is called on the page.
func (p *page) studyName(run int, name string) string {
	return cmp.Or(p.same[compare.Part{Answer: run, Study: name}], name)
}

// findSets numbers the data sets: the configurations of the runs first, then what others published,
// each once.
func (p *page) findSets() {
	for i, a := range p.answers {
		for _, arm := range a.Arms {
			s := set{Label: arm.Name, Machine: p.machineName(i), Go: arm.Toolchain, Caches: caches(a.Machine), run: i,
				Arm: strings.TrimSpace(strings.TrimPrefix(arm.Name, arm.Toolchain)), name: arm.Name}
			if a.Kind == result.File && arm.Toolchain == "" && len(a.Arms) == 1 {
				s.Arm = "" // it is called after the file
			}
			if len(p.answers) > 1 {
				s.Label = p.runLabel(i)
				if a.Kind == result.Run || len(a.Arms) > 1 {
					s.Label += " · " + arm.Name
				}
			}
			p.sets = append(p.sets, s)
		}
	}
	for _, a := range p.answers {
		for _, s := range a.Studies {
			for _, c := range s.Claims {
				for _, x := range c.Verdicts {
					p.published(x.Data, x.Published)
				}
			}
			for _, x := range s.Pictures {
				for _, y := range x.Sets {
					p.published(y.Data, y.Published)
				}
			}
		}
	}
}

func (p *page) published(name string, is bool) {
	if is && p.at(-1, name, true) < 0 {
		short, _, _ := strings.Cut(name, " (")
		p.sets = append(p.sets, set{Label: short + ", published", Machine: name, Published: true, run: -1, name: name})
	}
}

// at finds the set of a run's data; −1 is none.
func (p *page) at(run int, name string, published bool) int {
	if published {
		run = -1
	}
	return slices.IndexFunc(p.sets, func(s set) bool { return s.run == run && s.name == name })
}

// label returns what a configuration of a run is called.
func (p *page) label(run int, arm string) string {
	if i := p.at(run, arm, false); i >= 0 {
		return p.sets[i].Label
	}
	return arm
}

// machineName names the machine of a run among the others: by its CPU where that tells them apart,
// else also by the run folder.
func (p *page) machineName(run int) string {
	name := func(a *result.Answer) string { return cmp.Or(a.Machine.CPUModel, filepath.Base(a.Dir)) }
	for i, a := range p.answers {
		if i != run && name(a) == name(p.answers[run]) {
			return name(a) + " · " + filepath.Base(p.answers[run].Dir)
		}
	}
	return name(p.answers[run])
}

// runLabel returns the name of a run's machine; where all runs are of one machine, the run's own.
func (p *page) runLabel(run int) string {
	for _, a := range p.answers {
		if a.Machine.CPUModel != p.answers[run].Machine.CPUModel {
			return p.machineName(run)
		}
	}
	return filepath.Base(p.answers[run].Dir)
}

func caches(m machine.Fingerprint) (out []cache) {
	for _, c := range m.Caches {
		if c.Type != "Instruction" && c.Bytes > 0 {
			out = append(out, cache{"L" + strconv.Itoa(c.Level), c.Bytes})
		}
	}
	return out
}

// studyNames returns the studies of all runs, in the order of the runs.
func (p *page) studyNames() (names []string) {
	for i, a := range p.answers {
		for _, s := range a.Studies {
			if name := p.studyName(i, s.Name); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func pageTitle(names []string) string {
	if len(names) > 3 || len(names) == 0 {
		return fmt.Sprintf("memcost: %d studies", len(names))
	}
	return "memcost: " + strings.Join(names, ", ")
}

// nav returns links to the page's parts.
func (p *page) nav() (out document.Text) {
	add := func(to, words string) {
		if out != nil {
			out = append(out, document.Span{Text: " "})
		}
		out = append(out, document.Span{Kind: document.Link, Text: words, To: "#" + to})
	}
	if p.front == nil {
		for _, s := range p.studies {
			add(s.anchor, s.name)
		}
		return out
	}
	if len(p.front.Advice) > 0 {
		add("advice", "Advice")
	}
	add("verdicts", "Verdicts")
	add("studies", "Studies")
	add("run", p.runsHead("The run").String())
	return out
}

// remarks adds what comes before everything else: that a machine was busy, and what several runs
// have to do with each other. Where the front says first that the machine was disturbed, nothing
// else needs to.
func (p *page) remarks(d *document.Document, compared bool) {
	for i, a := range p.answers {
		if a.Busy == "" || p.front != nil && p.front.Trust.Amber != "" && i == 0 {
			continue
		}
		say := a.Busy
		if compared {
			say = compare.BusySays
		}
		if len(p.answers) > 1 {
			say = p.machineName(i) + ": " + say
		}
		d.Add(&document.Sentence{Frame: document.Frame{Class: "note busy"}, Text: document.As(document.Strong, say)})
	}
	switch {
	case len(p.answers) < 2:
	case len(p.comparisons) > 0:
		d.Add(sentence("note", "The runs were not measured side by side, so a difference between them may come from the "+
			"machine. To compare reliably, measure both in one run (--go, --vary)."))
	default:
		d.Add(sentence("note", "These runs have no case in common: they stand on one page, but nothing in them can be "+
			"compared."))
	}
}

// runsHead returns the heading for one, or that of several runs.
func (p *page) runsHead(one string) document.Text {
	if len(p.answers) == 1 {
		return document.Say(one)
	}
	return document.Say("The runs")
}

// runs returns what is known of the machines and the rounds.
func (p *page) runs() (out []document.Block) {
	cards := &document.Group{Frame: document.Frame{Class: "cards"}}
	out = append(out, cards)
	for i, a := range p.answers {
		card := &document.Group{Frame: document.Frame{Class: "card"}, Level: 3, Head: given(p.machineName(i))}
		card.Add(runFacts(a))
		if warn := unfit(a); len(warn) > 0 {
			card.Add(&document.Fold{Head: document.Say("Fitness: ", units.Plural(len(warn), "warning")), Blocks: warn})
		}
		cards.Add(card)
		if a.RealTime != nil {
			out = append(out, realTime(a.RealTime))
		}
	}
	return out
}

func unfit(a *result.Answer) (out []document.Block) {
	if a.Kind != result.Run {
		return nil
	}
	for _, f := range machine.Assess(a.Machine, machine.Probe{}) {
		if f.Level >= machine.Warn {
			text := document.As(document.Strong, f.Name).Said(" ", f.Value, ": ", f.Detail)
			if f.Hint != "" {
				text = text.Said(" ").And(document.As(document.Faint, f.Hint))
			}
			out = append(out, &document.Sentence{Text: text, Item: true})
		}
	}
	return out
}

func runFacts(a *result.Answer) *document.Facts {
	f, m := &document.Facts{}, a.Machine
	add := func(name, format string, args ...any) { f.Add(name, given(fmt.Sprintf(format, args...))...) }
	switch {
	case m.OS == "":
	case m.CPUs == 0:
		add("machine", "%s/%s", m.OS, m.Arch)
	default:
		add("machine", "%d CPUs, %s, %s/%s", m.CPUs, units.Bytes(float64(m.MemoryBytes)), m.OS, m.Arch)
	}
	if m.Virtualization != "" {
		add("virtualization", "%s", m.Virtualization)
	}
	var say []string
	for _, c := range caches(m) {
		say = append(say, c.Name+" "+units.Bytes(float64(c.Bytes)))
	}
	if say != nil {
		add("caches", "%s", strings.Join(say, ", "))
	}
	if a.CertificateSays != "" {
		add("certificate", "%s", a.CertificateSays)
	}
	if a.Kind == result.File {
		add("file", "%s, %d samples", a.Dir, a.Samples)
	} else {
		var arms []string
		for _, x := range a.Arms {
			arms = append(arms, x.Name)
		}
		add("configurations", "%s", strings.Join(arms, ", "))
	}
	if !a.Created.IsZero() {
		add("measured", "%s", a.Created.Format("2006-01-02 15:04 MST"))
	}
	if a.Rounds > 0 {
		add("samples", "%d in %s, each in a fresh process", a.Samples, a.RoundsSay())
		add("rounds", "%s", a.Excluded())
		if s := a.Together.String(); s != "" {
			add("verdicts", "%s", s)
		}
		if s := a.Resting(); s != "" {
			add("evidence", "%s", s)
		}
		add("loops", "share of run time in benchmark loops %s", a.LoopTime())
	}
	if len(a.NoiseFloor) > 0 {
		add("noise floor", "%s", result.NoiseSays)
	}
	for _, n := range a.NoiseFloor {
		add("noise floor", "%s", n.Sentence())
	}
	return f
}

// realTime returns which settings are fit for real time.
func realTime(r *latency.RealTime) document.Block {
	g := &document.Group{Level: 3, Head: document.Say("Real-time verdict: ", r.Rule())}
	t := &document.Table{Frame: document.Frame{Class: "real-time"}, Columns: []document.Column{
		{Head: "allocator", Kind: document.Key}, {Head: "setting", Kind: document.Words},
		{Head: "verdict", Kind: document.Words}}}
	for _, s := range r.Situations {
		t.Columns = append(t.Columns, document.Column{Head: s.Name})
	}
	for _, head := range []string{"longest call", "first violation", "delayed by the machine", "late, cause not found"} {
		t.Columns = append(t.Columns, document.Column{Head: head})
	}
	for _, f := range r.Settings {
		v := document.Undecided
		switch {
		case f.Fit:
			v = document.Holds
		case f.Violations > 0:
			v = document.Fails
		}
		row := []document.Text{given(f.Allocator), given(f.Setting), {v.Says(f.Verdict())}}
		for _, s := range r.Situations {
			row = append(row, document.Say(f.At(s.Key)))
		}
		t.Add(append(row, document.Say(f.LongestCall()), document.Say(fmt.Sprint(f.First)),
			document.Say(fmt.Sprint(f.Machine)), document.Say(fmt.Sprint(f.Unexplained)))...)
	}
	g.Add(t, sentence("", strings.Join(r.Notes(), " ")))
	for _, f := range r.Settings {
		if says := f.Says(); says != "" {
			g.Add(sentence("", says))
		}
		if len(f.Paste) > 0 {
			g.Add(code("sh", f.Paste...))
		}
	}
	return g
}

// given returns words of others; nil for none.
func given(words string) document.Text { return document.As(document.Given, words) }

// sentence returns a sentence of a class.
func sentence(class string, words ...string) *document.Sentence {
	return &document.Sentence{Frame: document.Frame{Class: class}, Text: document.Say(words...)}
}

// code returns lines to be copied.
func code(lang string, lines ...string) *document.Source {
	s := &document.Source{Language: lang}
	for _, l := range lines {
		s.Lines = append(s.Lines, document.SourceLine{Text: l})
	}
	return s
}

// said returns a sentence of the front.
func said(s answer.Sentence) (out document.Text) {
	kinds := map[string]document.SpanKind{language.Number: document.Number, language.Interval: document.Interval}
	for _, part := range s {
		out = append(out, document.Span{Kind: kinds[part.Kind], Text: part.Text})
	}
	return out
}
