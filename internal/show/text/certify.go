package text

import (
	"fmt"
	"io"
	"time"

	"memcost/internal/measure/certificate"
)

// Certificate writes what memcost certify found: the false alarms by condition, the known
// slowdowns by condition and size, and what it amounts to.
func Certificate(w io.Writer, c *certificate.Certificate, s Style) error {
	p := &printer{w: w, Style: s}
	p.say("Comparisons of %d rounds, looked at after every round from the first possible one on; samples of %v; each "+
		"side in %d layouts of its own, of %d; intervals at %g%%.", c.Rounds, c.Sample, c.Layouts, c.Links,
		100*(1-c.Alpha))
	p.table(alarms(c))
	p.table(slowdowns(c))
	if s.Long {
		p.table(byCase(c))
	}
	p.f("\n")
	p.say("%s", certificateMeans(c))
	for _, why := range c.Because {
		p.line(gap, 0, "", "- "+why)
	}
	return p.err
}

// alarms is the table of false alarms.
func alarms(c *certificate.Certificate) Table {
	t := Table{Title: "identical copies: how often was a difference shown that is none?",
		Header: []string{"condition", "comparisons", "false alarms", "rate [95%]", "busy rounds"}}
	row := func(name string, n certificate.Count, disturbed string) {
		if n.Comparisons == 0 {
			t.add(name, "0", "–", "–", disturbed)
			return
		}
		t.add(name, fmt.Sprint(n.Comparisons), fmt.Sprint(n.Alarms), rate(n.Alarms, n.Comparisons, n.Bounds().Lo,
			n.Bounds().Hi), disturbed)
	}
	for _, u := range c.Under {
		row(u.Name, u.Count, fmt.Sprintf("%.0f%%", 100*u.Disturbed))
	}
	row("all", c.All(), "")
	return t
}

// slowdowns is the table of what became of known slowdowns.
func slowdowns(c *certificate.Certificate) Table {
	t := Table{Title: "known slowdowns: were they found, and was the truth inside the interval at every look?",
		Keys: 2, Header: []string{"condition", "slower by", "comparisons", "found", "covered", "rounds", "seconds"}}
	row := func(name, by string, k certificate.Slowdown) {
		if k.Comparisons == 0 {
			return
		}
		rounds, seconds := "–", "–"
		if k.Rounds > 0 {
			rounds, seconds = fmt.Sprintf("%.0f", k.Rounds), fmt.Sprintf("%.2g", k.Seconds)
		}
		t.add(name, by, fmt.Sprint(k.Comparisons), fmt.Sprintf("%.0f%%", 100*float64(k.Found)/float64(k.Comparisons)),
			fmt.Sprintf("%.1f%%", 100*float64(k.Covered)/float64(k.Comparisons)), rounds, seconds)
	}
	for _, u := range c.Under {
		for _, k := range u.Known {
			row(u.Name, fmt.Sprintf("%g%%", 100*k.By), k)
		}
	}
	if k := c.Known(); k.Comparisons > 0 {
		low := k.CoveredBounds()
		t.add("all", "", fmt.Sprint(k.Comparisons), "", rate(k.Covered, k.Comparisons, low.Lo, low.Hi), "", "")
	}
	return t
}

// byCase is the table of the benchmarks.
func byCase(c *certificate.Certificate) Table {
	t := Table{Title: "by benchmark, all conditions together",
		Header: []string{"benchmark", "comparisons", "false alarms", "known slowdowns", "covered"}}
	for _, x := range c.Cases {
		covered := "–"
		if x.Known > 0 {
			covered = fmt.Sprintf("%.1f%%", 100*float64(x.Covered)/float64(x.Known))
		}
		t.add(x.Name, fmt.Sprint(x.Comparisons), fmt.Sprint(x.Alarms), fmt.Sprint(x.Known), covered)
	}
	return t
}

func rate(k, n int, lo, hi float64) string {
	return fmt.Sprintf("%.1f%% [%.1f, %.1f]", 100*float64(k)/float64(n), 100*lo, 100*hi)
}

// certificateMeans says what the figures amount to.
func certificateMeans(c *certificate.Certificate) string {
	spent := fmt.Sprintf("after %v of measuring", c.Spent.Round(time.Second))
	all, known := c.All(), c.Known()
	if all.Comparisons == 0 {
		return "Nothing is known yet, " + spent + ": no comparison was completed."
	}
	means := fmt.Sprintf("Identical copies are called different in at most %.1f%% of comparisons (%d of %d were), and "+
		"the truth is inside at least %.1f%% of the intervals of known slowdowns (each at 95%% confidence)",
		100*all.Bounds().Hi, all.Alarms, all.Comparisons, 100*known.CoveredBounds().Lo)
	if c.Passed() {
		return "This machine is certified, " + spent + ". " + means + "."
	}
	return "This machine is not certified, " + spent + ". What was reached: " + means +
		". What it lacks:"
}
