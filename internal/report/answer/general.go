package answer

import (
	"strings"
	"unicode/utf8"

	"memcost/internal/method/claim"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
)

type picture = figures.Picture

// MaxShort is how many columns an answer in a table has.
const MaxShort = 70

// general returns what is said of a verdict for which the study has no sentence.
func general(s subject, c *language.Claim, v *result.Verdict) Sentence {
	r := ratioOf(s, c, v)
	if r == nil {
		return quoted(c, v)
	}
	if !isDecided(v) {
		return join("Not decided here: ", r.Num, r.verb(), r.value, " times ", r.Den, where(r.at), whyOpen(v), ".")
	}
	if r.causes > 1 {
		return join("In all ", count(r.causes), " causes ", r.Num, r.verb(), r.lo, " to ", r.hi, " times ", r.Den, ".")
	}
	return r.sentence()
}

// sentence says how many times the one side costs the other, at the lowest and at the highest.
func (r *ratio) sentence() Sentence {
	out := join(figures.Upper(r.Num), r.verb(), r.lo, " times ", r.Den, where(r.loAt))
	if !r.one() {
		out = join(out, " and ", r.hi, " times", where(r.hiAt))
	}
	return join(out, ".")
}

// whyOpen says what keeps a figure from deciding, where that is not its interval.
func whyOpen(v *result.Verdict) string {
	switch {
	case v.Busy:
		return " " + figures.Beside
	case !v.Deciding.Figure.Bounded():
		return ", in too few rounds for an interval"
	}
	return ""
}

// inShort returns what is said of a verdict in at most MaxShort columns.
func inShort(s subject, c *language.Claim, v *result.Verdict) Sentence {
	r := ratioOf(s, c, v)
	if r == nil {
		return cut(quoted(c, v))
	}
	if !isDecided(v) {
		return fitting(join("undecided: ", r.Num, r.verb(), r.value, "× ", r.Den, where(r.at)),
			join("undecided: ", r.Num, r.verb(), r.value, "× ", r.Den))
	}
	if r.one() {
		return fitting(join(r.Num, r.verb(), r.lo, "× ", r.Den, where(r.loAt)),
			join(r.Num, r.verb(), r.lo, "× ", r.Den))
	}
	lo, hi := r.lo[:1], r.hi[:1]
	return fitting(join(r.Num, r.verb(), lo, "×", bracketed(r.loAt), " to ", hi, "×", bracketed(r.hiAt), " ", r.Den),
		join(r.Num, r.verb(), lo, "× to ", hi, "× ", r.Den))
}

// A ratio is a claim's two sides with how many times one costs the other; the dearer side is
// the first, where that is one of them.
type ratio struct {
	figures.Sides
	lo, hi     Sentence
	loAt, hiAt string
	value      Sentence // that decides
	at         string
	causes     int // how many there are, where the places are causes and one side is dearer in all
}

// ratioOf returns the ratio of a claim; nil without figures, and of what no side costs.
func ratioOf(s subject, c *language.Claim, v *result.Verdict) *ratio {
	if c == nil || c.Kind != language.Ratio || !(figures.Sides{Unit: c.Unit}).Costs() {
		return nil
	}
	f := filling{v: v, shown: counted(v)}
	if len(f.shown) == 0 || v.Deciding == nil {
		return nil
	}
	lo := f.extreme(func(a, b float64) bool { return a < b })
	hi := f.extreme(func(a, b float64) bool { return a > b })
	num, den := sides(s, c)
	same := func(f figures.Figure) figures.Figure { return f }
	if hi.Figure.Value < 1 || v.Deciding.Figure.Value < 1 && lo.Figure.Value*hi.Figure.Value < 1 {
		num, den, lo, hi = den, num, hi, lo
		same = func(f figures.Figure) figures.Figure {
			return transformed(f, func(v float64) float64 { return 1 / v })
		}
	}
	r := &ratio{Sides: figures.Sides{Num: num, Den: den, Unit: c.Unit}, lo: figure(same(lo.AsChosen())), hi: figure(same(hi.AsChosen())),
		loAt: figures.Place(lo.Label), hiAt: figures.Place(hi.Label), value: figure(same(v.Deciding.Figure)),
		at: figures.Place(v.Deciding.Label)}
	if strings.HasPrefix(lo.Label, "cause=") && min(same(lo.Figure).Value, same(hi.Figure).Value) > 1 {
		r.causes = len(f.shown)
	}
	if lo.Label == hi.Label {
		r.hiAt = r.loAt
	}
	return r
}

func (r *ratio) one() bool { return r.loAt == r.hiAt }

// verb returns what stands between the sides.
func (r *ratio) verb() string { return " " + r.Does() + " " }

func where(at string) string {
	if at == "" {
		return ""
	}
	return " at " + at
}

// quoted returns a verdict with the claim in its author's words.
func quoted(c *language.Claim, v *result.Verdict) Sentence {
	prose, own := "", false
	if c != nil {
		prose, own = c.Prose, c.Prose != ""
		if !own {
			prose = c.Source
		}
	}
	prose = strings.TrimSuffix(prose, ".")
	switch {
	case v.Status == claim.Holds && own:
		return language.Plain(figures.Upper(prose) + ".")
	case v.Status == claim.Holds:
		return language.Plain("It holds here that “" + prose + "”.")
	case v.Status == claim.Fails:
		return language.Plain("It does not hold here that “" + prose + "”.")
	case v.Status == claim.AtBound:
		return language.Plain("As good as at its bound here: “" + prose + "”.")
	}
	return language.Plain("Not decided here: “" + prose + "”.")
}

// ofTables returns the first ratio of the tables, of a package without claims.
func ofTables(s subject) (answer, short Sentence) {
	for _, h := range s.Study.Answer {
		if h.Side != s.side || h.Places == 0 || !h.Sides.Costs() || !h.Lowest.Figure.Known() {
			continue
		}
		r := &ratio{Sides: h.Sides, lo: figure(h.Lowest.Figure), hi: figure(h.Highest.Figure),
			loAt: figures.Place(h.Lowest.Label), hiAt: figures.Place(h.Highest.Label)}
		return r.sentence(), fitting(join(r.Num, r.verb(), r.lo[:1], "× to ", r.hi[:1], "× ", r.Den))
	}
	return nil, nil
}

// join makes a sentence of texts and sentences.
func join(parts ...any) Sentence {
	var out Sentence
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			if p != "" {
				out = append(out, Part{Text: p})
			}
		case Sentence:
			out = append(out, p...)
		}
	}
	return out
}

func bracketed(at string) string {
	if at == "" {
		return ""
	}
	return " (" + at + ")"
}

// fitting returns the first sentence that fits into a table, with its intervals or without, or
// what of the last does.
func fitting(all ...Sentence) Sentence {
	for _, s := range all {
		whole := s
		if strings.Contains(s.String(), unbounded) { // of no use in a table
			whole = bare(s)
		}
		for _, s := range []Sentence{whole, bare(s)} {
			if utf8.RuneCountInString(s.String()) <= MaxShort {
				return s
			}
		}
	}
	return cut(bare(all[len(all)-1]))
}

// bare returns a sentence without its intervals.
func bare(s Sentence) Sentence {
	var out Sentence
	for i, p := range s {
		spaced := p.Text == " " && i+1 < len(s) && s[i+1].Kind == Interval
		if p.Kind != Interval && !spaced {
			out = append(out, p)
		}
	}
	return out
}

// cut shortens a sentence to MaxShort columns, at a word.
func cut(s Sentence) Sentence {
	r := []rune(strings.TrimSuffix(s.String(), "."))
	if len(r) <= MaxShort {
		return language.Plain(string(r))
	}
	text := string(r[:MaxShort-2])
	if i := strings.LastIndexByte(text, ' '); i > MaxShort/2 {
		text = text[:i]
	}
	return language.Plain(text + " …")
}

// sides returns the names of the two sides of a claim.
func sides(s subject, c *language.Claim) (num, den string) { return s.study.Sides(c.Num, c.Den) }
