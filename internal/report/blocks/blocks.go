// Package blocks says what answers have to show, as blocks of a document: the front, which a reader meets
// first, and what stands behind it: each study with its tables, claims, reasons and validity, and how it
// was measured. A terminal, Markdown and the page get the same blocks; rank, and what a block is on, say
// which of them each shows, and the page has pictures beside them. Several answers stand beside each
// other: what is the same in them is one claim, one table, one study.
package blocks

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"memcost/internal/document"
	"memcost/internal/report/answer"
	"memcost/internal/report/compare"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

// A view is answers on their way to blocks.
type view struct {
	answers     []*result.Answer
	names       []string      // of the answers, beside each other
	front       *answer.Front // nil: there is none
	page        bool          // for a page: with pictures, and folds that one click opens
	comparisons []compare.Comparison
	same        map[compare.Part]string // what a study is called that several answers have under different names
	sets        []set
	studies     []*section
	marked      bool // there are verdicts that do not stand when everything is counted together
}

func newView(answers []*result.Answer, front *answer.Front, page bool) *view {
	v := &view{answers: answers, names: result.Labels(answers), front: front, page: page,
		comparisons: compare.Answers(answers), same: map[compare.Part]string{}}
	if page && slices.ContainsFunc(answers, func(a *result.Answer) bool {
		return a.Machine.CPUModel != answers[0].Machine.CPUModel
	}) {
		for i := range answers {
			v.names[i] = v.machineName(i)
		}
	}
	for _, x := range v.comparisons {
		for _, part := range x.Parts {
			v.same[part] = x.Study
		}
	}
	v.findSets()
	return v
}

// findStudies gathers the studies of all answers, in the order of the answers.
func (v *view) findStudies() {
	var names []string
	for i, a := range v.answers {
		for _, s := range a.Studies {
			if name := v.studyName(i, s.Name); !slices.Contains(names, name) {
				names = append(names, name)
				v.studies = append(v.studies, v.study(name, len(names)-1))
			}
		}
	}
}

// Details returns what answers say in full, for a terminal and for Markdown: that a machine was busy, the
// verdicts on settings, each study, how it was measured, and warnings; of several what they say of the
// same cases. A comparison of sides is that alone, unless it tests claims.
func Details(answers []*result.Answer) []document.Block {
	v := newView(answers, nil, false)
	var out []document.Block
	alone := len(answers) > 0 // there is nothing but comparisons of sides
	for _, a := range answers {
		var sides *compare.Report
		if a.Question != nil && a.Question.Comparison != nil {
			sides, _ = compare.OfRun(a) // of a run with one side there is none yet
		}
		if sides != nil {
			out = append(out, sides.Blocks()...)
		}
		if sides == nil || slices.ContainsFunc(a.Studies, func(s result.Study) bool { return len(s.Claims) > 0 }) {
			alone = false
		}
	}
	rest := &document.Group{}
	if alone {
		rest.On, rest.Long = document.Terminal, true
	}
	for i, a := range answers {
		rest.Add(v.busy(i, a.Busy), realTime(a.RealTime)) // the verdicts are what was asked
	}
	v.findStudies()
	for _, s := range v.studies {
		rest.Add(s.group)
	}
	for i := range answers {
		rest.Add(v.measured(i)...)
	}
	out = append(out, rest)
	for i := range v.comparisons {
		c := &v.comparisons[i]
		out = append(out, &document.Group{Frame: document.Frame{Gap: 1}, Level: 1, Head: given(c.Study).Said(": compared"),
			Blocks: []document.Block{compared(c, document.Frame{Gap: 1, Rank: 2, Good: mostCompared}), notSideBySide()}})
	}
	return out
}

// busy says that the machine of an answer was; nil of one that was not.
func (v *view) busy(run int, says string) document.Block {
	if says == "" {
		return nil
	}
	what, how, _ := strings.Cut(says, ": ")
	text := document.As(document.Warning, what+":").Said(" ").And(given(how))
	if len(v.answers) > 1 {
		text = given(v.names[run]).Said(": ").And(text)
	}
	return &document.Sentence{Frame: document.Frame{Gap: 1, Class: "note busy"}, Hang: 2, Text: text}
}

// A set is one data set: a configuration of a run, or what others published.
type set struct {
	Label     string  `json:"label"`
	Machine   string  `json:"machine"`
	Go        string  `json:"go"`
	Side      string  `json:"arm"`
	Published bool    `json:"published"`
	Caches    []cache `json:"caches,omitempty"`

	run  int // −1 is nobody's run, but published
	name string
}

type cache struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// studyName returns what a study of an answer is called beside the others.
func (v *view) studyName(run int, name string) string {
	return cmp.Or(v.same[compare.Part{Answer: run, Study: name}], name)
}

// findSets numbers the data sets: the configurations of the runs first, then what others published,
// each once.
func (v *view) findSets() {
	for i, a := range v.answers {
		for _, side := range a.Sides {
			s := set{Label: side.Name, Machine: v.machineName(i), Go: side.Toolchain, Caches: caches(a), run: i,
				Side: strings.TrimSpace(strings.TrimPrefix(side.Name, side.Toolchain)), name: side.Name}
			if a.Kind == result.File && side.Toolchain == "" && len(a.Sides) == 1 {
				s.Side = "" // it is called after the file
			}
			if len(v.answers) > 1 {
				s.Label = v.names[i]
				if (a.Kind == result.Run || len(a.Sides) > 1) && s.Label != side.Name {
					s.Label += " · " + side.Name
				}
			}
			v.sets = append(v.sets, s)
		}
	}
	for _, a := range v.answers {
		for _, s := range a.Studies {
			for _, c := range s.Claims {
				for _, x := range c.Verdicts {
					v.published(x.Data, x.Published)
				}
			}
			for _, x := range s.Pictures {
				for _, y := range x.Sets {
					v.published(y.Data, y.Published)
				}
			}
		}
	}
}

func (v *view) published(name string, is bool) {
	if is && v.at(-1, name, true) < 0 {
		v.sets = append(v.sets, set{Label: figures.ShortName(name) + ", published", Machine: name, Published: true,
			run: -1, name: name})
	}
}

// at finds the set of a run's data; −1 is none.
func (v *view) at(run int, name string, published bool) int {
	if published {
		run = -1
	}
	return slices.IndexFunc(v.sets, func(s set) bool { return s.run == run && s.name == name })
}

// label returns what a configuration of a run is called.
func (v *view) label(run int, side string) string {
	if i := v.at(run, side, false); i >= 0 {
		return v.sets[i].Label
	}
	return side
}

// machineName names the machine of a run among the others: by its CPU where that tells them apart,
// else also by the run folder.
func (v *view) machineName(run int) string {
	name := func(a *result.Answer) string { return cmp.Or(a.Machine.CPUModel, filepath.Base(a.Dir)) }
	for i, a := range v.answers {
		if i != run && name(a) == name(v.answers[run]) {
			return name(a) + " · " + filepath.Base(v.answers[run].Dir)
		}
	}
	return name(v.answers[run])
}

func caches(a *result.Answer) (out []cache) {
	for _, c := range a.Machine.Caches {
		if c.Type != "Instruction" && c.Bytes > 0 {
			out = append(out, cache{fmt.Sprint("L", c.Level), c.Bytes})
		}
	}
	return out
}

// given returns words of others; nil for none.
func given(words string) document.Text { return document.As(document.Given, words) }

// sentence returns a sentence of a class.
func sentence(class string, words ...string) *document.Sentence {
	return &document.Sentence{Frame: document.Frame{Class: class}, Text: document.Say(words...)}
}

// item returns an item of a list.
func item(text document.Text) *document.Sentence { return &document.Sentence{Item: true, Text: text} }

// code returns lines to be copied.
func code(lang string, lines ...string) *document.Source {
	s := &document.Source{Language: lang}
	for _, l := range lines {
		s.Lines = append(s.Lines, document.SourceLine{Text: l})
	}
	return s
}

// said returns a sentence of the front, with its figures told apart.
func said(s answer.Sentence) (out document.Text) {
	kinds := map[string]document.SpanKind{language.Number: document.Number, language.Interval: document.Interval}
	for _, part := range s {
		out = append(out, document.Span{Kind: kinds[part.Kind], Text: part.Text})
	}
	return out
}

// table returns a table of figures, whose first column tells its rows apart.
func table(title document.Text, heads ...string) *document.Table {
	t := &document.Table{Frame: document.Frame{Gap: 1}, Title: title, Columns: document.Heads(document.Figure, heads...)}
	t.Columns[0].Kind = document.Name
	return t
}

// addGiven adds a row of words of others.
func addGiven(t *document.Table, cells ...string) *document.Row {
	var row []document.Text
	for _, c := range cells {
		row = append(row, given(c))
	}
	return t.Add(row...)
}

// figure returns a figure as words say it: one that does not count is coloured so.
func figure(f figures.Figure, words string) document.Text {
	if f.Note == result.Invalid {
		return document.Text{document.Invalid.Says(words)}
	}
	return f.AsText(words)
}

// figuresTable returns a table of figures.
func figuresTable(t figures.Table, words func(figures.Figure) string) *document.Table {
	out := table(given(t.Title), append([]string{t.By}, t.Columns...)...)
	for _, r := range t.Rows {
		row := []document.Text{given(figures.Label(t.By, r.Label))}
		for _, f := range r.Cells {
			row = append(row, figure(f, words(f)))
		}
		out.Add(row...)
	}
	out.Notes = notes(t.Notes)
	return out
}

func notes(all []string) (out []document.Text) {
	for _, n := range all {
		out = append(out, document.As(document.Warning, "note: ").And(given(n)))
	}
	return out
}
