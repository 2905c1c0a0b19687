package certificate

import (
	"fmt"
	"time"

	"memcost/internal/document"
)

// Document returns what memcost certify found: the false alarms by condition, the known slowdowns
// by condition and size, and what it amounts to.
func (c *Certificate) Document() *document.Document {
	d := &document.Document{}
	means := document.Sentencef("%s", c.means())
	means.Gap = 1
	d.Add(document.Sentencef("Comparisons of %d rounds, looked at where a run of as many rounds is; samples "+
		"of %v; each side in %d layouts of its own, of %d; intervals at %g%%.", c.Rounds, c.Sample, c.Layouts, c.Links,
		100*(1-c.Alpha)), c.alarms(), c.slowdowns(), c.byCase(), means)
	for _, why := range c.Because {
		d.Add(&document.Sentence{Frame: document.Frame{Inset: 2}, Text: document.Say("- ", why), Hang: 2})
	}
	return d
}

func table(title string, heads ...string) *document.Table {
	return &document.Table{Frame: document.Frame{Gap: 1}, Title: document.Say(title),
		Columns: document.Heads(document.Figure, heads...)}
}

func (c *Certificate) alarms() *document.Table {
	t := table("identical copies: how often was a difference shown that is none?", "condition", "comparisons",
		"false alarms", "rate [95%]", "busy rounds")
	row := func(name string, n Count, disturbed string) {
		if n.Comparisons == 0 {
			t.Say(name, "0", "–", "–", disturbed)
			return
		}
		t.Say(name, fmt.Sprint(n.Comparisons), fmt.Sprint(n.Alarms), rate(n.Alarms, n.Comparisons, n.Bounds().Lo,
			n.Bounds().Hi), disturbed)
	}
	for _, u := range c.Under {
		row(u.Name, u.Count, fmt.Sprintf("%.0f%%", 100*u.Disturbed))
	}
	row("all", c.All(), "")
	return t
}

func (c *Certificate) slowdowns() *document.Table {
	t := table("known slowdowns: were they found, and was the truth inside the interval at every look?", "condition",
		"slower by", "comparisons", "found", "covered", "rounds", "seconds")
	t.Columns[0].Kind, t.Columns[1].Kind = document.Key, document.Key
	for _, u := range c.Under {
		for _, k := range u.Known {
			if k.Comparisons == 0 {
				continue
			}
			rounds, seconds := "–", "–"
			if k.Rounds > 0 {
				rounds, seconds = fmt.Sprintf("%.0f", k.Rounds), fmt.Sprintf("%.2g", k.Seconds)
			}
			t.Say(u.Name, fmt.Sprintf("%g%%", 100*k.By), fmt.Sprint(k.Comparisons),
				fmt.Sprintf("%.0f%%", 100*float64(k.Found)/float64(k.Comparisons)),
				fmt.Sprintf("%.1f%%", 100*float64(k.Covered)/float64(k.Comparisons)), rounds, seconds)
		}
	}
	if k := c.Known(); k.Comparisons > 0 {
		low := k.CoveredBounds()
		t.Say("all", "", fmt.Sprint(k.Comparisons), "", rate(k.Covered, k.Comparisons, low.Lo, low.Hi))
	}
	return t
}

func (c *Certificate) byCase() *document.Table {
	t := table("by benchmark, all conditions together", "benchmark", "comparisons", "false alarms", "known slowdowns",
		"covered")
	t.Long = true
	for _, x := range c.Cases {
		covered := "–"
		if x.Known > 0 {
			covered = fmt.Sprintf("%.1f%%", 100*float64(x.Covered)/float64(x.Known))
		}
		t.Say(x.Name, fmt.Sprint(x.Comparisons), fmt.Sprint(x.Alarms), fmt.Sprint(x.Known), covered)
	}
	return t
}

func rate(k, n int, lo, hi float64) string {
	return fmt.Sprintf("%.1f%% [%.1f, %.1f]", 100*float64(k)/float64(n), 100*lo, 100*hi)
}

// means says what the figures amount to.
func (c *Certificate) means() string {
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
