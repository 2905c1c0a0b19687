package answer

import (
	"math"
	"strings"
	"unicode"
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
	if c == nil || c.Kind != language.Ratio {
		return quoted(c, v)
	}
	r := ratioOf(s, c, v)
	if r == nil || r.does() == "" {
		return quoted(c, v)
	}
	if !isDecided(v) {
		return join("Not decided here: ", r.num, r.does(), r.value, " times ", r.den, r.where(r.at), whyOpen(v), ".")
	}
	if r.causes > 1 {
		return join("In all ", count(r.causes), " causes ", r.num, r.does(), r.lo, " to ", r.hi, " times ", r.den, ".")
	}
	if r.one() {
		return join(upper(r.num), r.does(), r.lo, " times ", r.den, r.where(r.loAt), ".")
	}
	return join(upper(r.num), r.does(), r.lo, " times ", r.den, r.where(r.loAt), " and ", r.hi, " times",
		r.where(r.hiAt), ".")
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
	if c == nil || c.Kind != language.Ratio {
		return cut(quoted(c, v))
	}
	r := ratioOf(s, c, v)
	if r == nil || r.does() == "" {
		return cut(quoted(c, v))
	}
	if !isDecided(v) {
		return fitting(join("undecided: ", r.num, r.does(), r.value, "× ", r.den, r.where(r.at)),
			join("undecided: ", r.num, r.does(), r.value, "× ", r.den))
	}
	if r.one() {
		return fitting(join(r.num, r.does(), r.lo, "× ", r.den, r.where(r.loAt)),
			join(r.num, r.does(), r.lo, "× ", r.den))
	}
	lo, hi := r.lo[:1], r.hi[:1]
	return fitting(join(r.num, r.does(), lo, "×", bracketed(r.loAt), " to ", hi, "×", bracketed(r.hiAt), " ", r.den),
		join(r.num, r.does(), lo, "× to ", hi, "× ", r.den))
}

// A ratio is a claim's two sides with how many times one costs the other; the dearer side is
// the first, where that is one of them.
type ratio struct {
	num, den   string
	unit       string
	lo, hi     Sentence
	loAt, hiAt string
	value      Sentence // that decides
	at         string
	causes     int // how many there are, where the places are causes and one side is dearer in all
}

// ratioOf returns the ratio of a claim; nil without figures.
func ratioOf(s subject, c *language.Claim, v *result.Verdict) *ratio {
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
	r := &ratio{num: num, den: den, unit: c.Unit, lo: figure(same(lo.Figure)), hi: figure(same(hi.Figure)),
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

// does returns the verb between the sides; "" of a unit that has none.
func (r *ratio) does() string {
	switch r.unit {
	case "", "sec/op":
		return " costs "
	case "B/op":
		return " allocates "
	case "allocs/op":
		return " makes "
	}
	return ""
}

func (r *ratio) where(at string) string {
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
		return language.Plain(upper(prose) + ".")
	case v.Status == claim.Holds:
		return language.Plain("It holds here that “" + prose + "”.")
	case v.Status == claim.Fails:
		return language.Plain("It does not hold here that “" + prose + "”.")
	}
	return language.Plain("Not decided here: “" + prose + "”.")
}

// ofTables returns the first ratio of the tables, of a package without claims.
func ofTables(s subject) (answer, short Sentence) {
	for _, h := range s.Study.Answer {
		if h.Arm != s.arm || h.Places == 0 || (&ratio{unit: h.Sides.Unit}).does() == "" ||
			math.IsNaN(float64(h.Lowest.Figure.Value)) {
			continue
		}
		r := &ratio{num: h.Sides.Num, den: h.Sides.Den, unit: h.Sides.Unit, lo: figure(h.Lowest.Figure),
			hi: figure(h.Highest.Figure), loAt: figures.Place(h.Lowest.Label), hiAt: figures.Place(h.Highest.Label)}
		answer = join(upper(r.num), r.does(), r.lo, " times ", r.den, r.where(r.loAt), ".")
		if !r.one() {
			answer = join(upper(r.num), r.does(), r.lo, " times ", r.den, r.where(r.loAt), " and ", r.hi, " times",
				r.where(r.hiAt), ".")
		}
		return answer, fitting(join(r.num, r.does(), r.lo[:1], "× to ", r.hi[:1], "× ", r.den))
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

func upper(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return s
	}
	return string(unicode.ToUpper(first)) + s[size:]
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
