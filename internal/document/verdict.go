package document

// A Verdict is what was decided about a claim, a comparison, a case or a site, as a reader meets
// it: it has one glyph, one word and one class, on every output.
type Verdict uint8

const (
	NoVerdict Verdict = iota
	Holds
	Fails
	Undecided
	NotTested
	Invalid
	Failed       // a process that gave no result
	Excluded     // a round or a case that a rule left out
	Changed      // neither better nor worse by itself
	Better       // changed, and costs less
	Worse        // changed, and costs more
	Equivalent   // within the margin
	Consistent   // with a claim: a published figure, which has no interval
	AtBound      // shown to lie at a claim's bound
	Inconsistent // the same, and it does not agree with the claim
)

var verdicts = [...]struct{ mark, word, class string }{
	NoVerdict:  {"", "", ""},
	Holds:      {"✓", "holds", "holds"},
	Fails:      {"✗", "fails", "fails"},
	Undecided:  {"?", "undecided", "undecided"},
	NotTested:  {"·", "not tested", "not-tested"},
	Invalid:    {"!", "INVALID", "INVALID"},
	Failed:     {"!", "failed", "failed"},
	Excluded:   {"·", "excluded", "excluded"},
	Changed:    {"≠", "changed", "changed"},
	Better:     {"↓", "changed", "better"},
	Worse:      {"↑", "changed", "worse"},
	Equivalent: {"=", "equivalent", "equivalent"},
	Consistent: {"~", "consistent", "consistent"},
	AtBound:    {"≈", "at the bound", "at-bound"},

	Inconsistent: {"≁", "inconsistent", "inconsistent"},
}

// Mark returns the verdict's glyph, for readers who do not see its colour.
func (v Verdict) Mark() string { return verdicts[v].mark }

// Word returns the verdict in a word.
func (v Verdict) Word() string { return verdicts[v].word }

// Class returns the verdict's name in the page's style.
func (v Verdict) Class() string { return verdicts[v].class }

// OfPublished returns what a verdict is of a published figure: without an interval it is consistent
// with a claim or not, which is no proof.
func (v Verdict) OfPublished() Verdict {
	switch v {
	case Holds:
		return Consistent
	case Fails:
		return Inconsistent
	}
	return v
}

// Span returns the verdict's word, coloured as it.
func (v Verdict) Span() Span { return Span{Kind: Judged, Verdict: v, Text: v.Word()} }

// Glyph returns the verdict's glyph, coloured as it.
func (v Verdict) Glyph() Span { return Span{Kind: Judged, Verdict: v, Text: v.Mark()} }

// Says returns other words, coloured as the verdict.
func (v Verdict) Says(words string) Span { return Span{Kind: Judged, Verdict: v, Text: words} }
