package fronttext

import (
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/report/across"
	"memcost/internal/show/text"
)

// machines is every claim by machine, and a cost by the machines' strength, folded in.
func (m *markdown) machines(of *across.Report) {
	if of == nil {
		return
	}
	m.line("<details><summary>" + text.MarkdownText("Claims by machine: "+of.Says) + "</summary>\n")
	kinds := kindsOf(of)
	var legend, header, rule []string
	for i, k := range kinds {
		var names []string
		for _, at := range k {
			names = append(names, of.Machines[at].Name)
		}
		legend = append(legend, units.Letter(i)+" "+of.Machines[k[0]].Kind+": "+strings.Join(names, ", "))
		header, rule = append(header, units.Letter(i)), append(rule, ":--")
	}
	m.line(text.MarkdownText(strings.Join(legend, " · ")) + "\n")
	m.row(append(append([]string{"claim"}, header...), "together")...)
	m.row(append(append([]string{":--"}, rule...), ":--")...)
	rows := machineRows(of)
	for _, r := range rows[:min(len(rows), mostRows)] {
		cells := []string{text.MarkdownText(r.name)}
		for _, l := range marks(r.claim, kinds) {
			cells = append(cells, text.MarkdownText(l.text(false)))
		}
		m.row(append(cells, text.MarkdownText(r.claim.Says))...)
	}
	m.line("")
	for i := range of.Studies {
		if c := of.Studies[i].Cost; c != nil {
			m.costs(&of.Studies[i], c)
		}
	}
	m.WriteString("\n</details>\n\n")
}

// costs is the time of a case on each machine.
func (m *markdown) costs(s *across.Study, c *across.Line) {
	m.row("machine", "kind", "plain copy", "time of "+text.MarkdownText(c.Figure))
	m.row(":--", ":--", "--:", "--:")
	for _, p := range c.Points[:min(len(c.Points), mostRows)] {
		m.row(text.MarkdownText(p.Name), text.MarkdownText(p.Kind), units.Bytes(float64(p.Strength))+"/s",
			text.MarkdownText(p.Figure.String()))
	}
	m.line("\n" + text.MarkdownText(spreadOf(s, c.Figure)+". By the speed of a plain copy: "+c.Says+".") + "\n")
}
