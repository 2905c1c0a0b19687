package machine

import (
	"memcost/internal/document"
)

// levelSpans are how the levels of findings are marked.
var levelSpans = map[Level]document.Span{
	OK: document.Holds.Says("ok"), Note: {Kind: document.Strong, Text: "note"}, Warn: document.Undecided.Says("warn"),
	Bad: document.Invalid.Says("BAD"), Unknown: {Kind: document.Strong, Text: "?"},
}

// Document returns what was found about a machine, and whether it is fit to measure on.
func (fp Fingerprint) Document(findings []Finding) *document.Document {
	t := &document.Table{Frame: document.Frame{Gap: 1}, Headless: true,
		Columns: []document.Column{{Kind: document.Key}, {Kind: document.Key}, {Kind: document.Words}, {Kind: document.Prose}}}
	count := map[Level]int{}
	for _, f := range findings {
		count[f.Level]++
		detail := document.As(document.Given, f.Detail)
		if f.Hint != "" {
			if detail != nil {
				detail = append(detail, document.Span{Kind: document.Break})
			}
			detail = detail.Said("→ ").And(document.As(document.Given, f.Hint))
		}
		t.Add(document.Text{levelSpans[f.Level]}, document.Say(f.Name), document.As(document.Given, f.Value), detail)
	}
	fit := fitness(count[Bad], count[Warn])
	fit.Gap = 1
	d := &document.Document{}
	d.Add(document.Sentencef("%s: %s, %d CPUs, %s/%s, kernel %s (id %s)", fp.Hostname, fp.CPUModel, fp.CPUs, fp.OS, fp.Arch,
		fp.Kernel, fp.ID()), t, fit)
	return d
}

func fitness(bad, warn int) *document.Sentence {
	switch {
	case bad > 0:
		return document.Sentencef("not fit to measure on (BAD: %d, warn: %d): intervals will be wide, and where other "+
			"programs use the CPU in a fifth of the rounds no ratio of different code and no cost gets a verdict", bad, warn)
	case warn > 0:
		return document.Sentencef("usable (warn: %d): some claims may stay undecided that a quieter machine decides", warn)
	}
	return document.Sentencef("fit to measure on")
}
