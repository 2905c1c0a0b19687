package answer

import (
	"regexp"
	"slices"
	"strings"

	"memcost/internal/study/language"
)

// sideWords name one side of a ratio, whichever study measured it.
var sideWords = []struct {
	name  string
	words *regexp.Regexp
}{
	{"stack", regexp.MustCompile(`(?i)\bstack`)}, {"heap", regexp.MustCompile(`(?i)\bheap`)},
	{"pool", regexp.MustCompile(`(?i)\bpool`)}, {"arena", regexp.MustCompile(`(?i)\barena`)},
	{"slab", regexp.MustCompile(`(?i)\bslab`)}, {"mapping", regexp.MustCompile(`M_MMAP_THRESHOLD=0`)},
	{"defaults", regexp.MustCompile(`(?i)\bdefault`)}, {"jemalloc", regexp.MustCompile(`(?i)\bjemalloc`)},
	{"pointer", regexp.MustCompile(`(?i)\bpointer`)}, {"value", regexp.MustCompile(`(?i)\b(value|copy)\b`)},
}

// question returns which two means a claim of a study sets beside each other: "heap stack"; "" of one
// that asks something else.
func question(st *language.Study, id string) string {
	c := claimOf(st, id)
	if c == nil || c.Kind != language.Ratio || c.Unit != "sec/op" {
		return ""
	}
	num, den := st.Sides(c.Num, c.Den)
	var means []string
	for _, side := range []string{num, den} {
		for _, w := range sideWords {
			if w.words.MatchString(side) {
				means = append(means, w.name)
				break
			}
		}
	}
	if slices.Sort(means); len(means) < 2 || means[0] == means[1] {
		return ""
	}
	return strings.Join(means, " ")
}

// apart puts the reason beside a figure where another study answers the same question by other work:
// what its own operation does. One question has one figure, or the reason in the same line.
func (x *computing) apart(f *Front) {
	answers := map[string]string{} // a question, by the study that answers it first
	say := func(name, id string, all ...*Sentence) {
		at := slices.IndexFunc(x.subjects, func(s subject) bool { return s.Name == name })
		if at < 0 {
			return
		}
		q, st := question(x.subjects[at].study, id), x.subjects[at].study
		if first, asked := answers[q]; q == "" || !asked || first == name {
			if q != "" && !asked {
				answers[q] = name
			}
			return
		}
		for _, s := range all {
			*s = withWork(*s, st.Front.Work)
		}
	}
	for i := range f.Studies {
		c := &f.Studies[i]
		say(c.Name, c.Claim, &c.Answer, &c.Short)
	}
	for i := range f.Advice {
		a := &f.Advice[i]
		say(a.Study, a.Claim, &a.Because)
	}
}

// withWork adds what a study's operation does to a sentence that has none of its words.
func withWork(s Sentence, work []string) Sentence {
	if len(s) == 0 || len(work) == 0 || saysWork(s.String(), work) {
		return s
	}
	if last := &s[len(s)-1]; last.Kind == "" && strings.HasSuffix(last.Text, ".") {
		out := slices.Clone(s)
		out[len(out)-1].Text = strings.TrimSuffix(last.Text, ".") + " (" + work[0] + ")."
		return out
	}
	return append(slices.Clone(s), Part{Text: " (" + work[0] + ")"})
}

func saysWork(text string, work []string) bool {
	return slices.ContainsFunc(work, func(w string) bool { return strings.Contains(strings.ToLower(text), w) })
}
