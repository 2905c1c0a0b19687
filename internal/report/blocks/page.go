package blocks

import (
	"cmp"
	"fmt"
	"strings"

	"memcost/internal/document"
	"memcost/internal/report/answer"
	"memcost/internal/report/compare"
	"memcost/internal/report/result"
)

// Page returns answers as a page, with their front first; without one, which is so of a comparison,
// what there is of each study stands open.
func Page(answers []*result.Answer, front *answer.Front) *document.Document {
	p := newView(answers, front, true)
	sides, title, heading := p.sides()
	if sides != nil {
		p.front, front = nil, nil
	}
	d := &document.Document{Title: title}
	p.remarks(d, sides != nil)
	p.findStudies()
	cards := &document.Group{Frame: document.Frame{ID: "studies", Class: "cards-of-studies"}}
	if front != nil {
		cards.Level, cards.Head = 2, document.Say("The studies, one answer each")
		if len(p.studies) == 1 {
			cards.Head = document.Say("The study")
		}
		p.first(d)
		p.second(d)
		d.Add(machines(p.front.Machines)...)
	} else {
		d.Add(sides, &document.Group{Frame: document.Frame{ID: "machines"}, Level: 2, Head: p.runsHead("The machine"),
			Blocks: p.runs()})
	}
	d.Title = cmp.Or(d.Title, p.title())
	if front == nil {
		d.Blocks = []document.Block{&document.Group{Level: 1, Head: document.Say(heading), Blocks: d.Blocks}}
	}
	for _, s := range p.studies {
		cards.Add(s.group)
	}
	if len(p.studies) == 0 {
		cards.Add(sentence("note", "There is nothing to show: no study has a sample yet."))
	}
	d.Add(cards)
	if front != nil {
		d.Add(p.end())
	}
	d.Nav = p.nav()
	d.Add(sentence("legend", "± and [ ] are 95% confidence intervals: of a run those of its last planned look; "+
		"of any other file the interval that benchstat shows. A claim holds or fails only where its "+
		"interval says so. Published figures have no interval: a claim is tested on the figure as it was printed."))
	if p.marked {
		d.Add(sentence("legend", "‡ A verdict that does not stand when everything that the run reports is counted "+
			"together."))
	}
	return d
}

func (p *view) title() string {
	var names []string
	for _, s := range p.studies {
		names = append(names, s.name)
	}
	if len(names) > 3 || len(names) == 0 {
		return fmt.Sprintf("memcost: %d studies", len(names))
	}
	return "memcost: " + strings.Join(names, ", ")
}

// nav returns links to the page's parts.
func (p *view) nav() (out document.Text) {
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
	if !p.front.Own || p.front.Tally.All() > 0 {
		add("verdicts", "Verdicts")
	}
	add("studies", "Studies")
	add("run", p.runsHead("The run").String())
	return out
}

// remarks adds what comes before everything else: that a machine was busy, and what several runs
// have to do with each other. Where the front says first that the machine was disturbed, nothing
// else needs to.
func (p *view) remarks(d *document.Document, compared bool) {
	for i, a := range p.answers {
		if a.Busy == "" || p.front != nil && p.front.Trust.Amber != "" && i == 0 {
			continue
		}
		say := a.Busy
		if compared {
			say = compare.BusySays
		}
		d.Add(p.busy(i, say))
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
