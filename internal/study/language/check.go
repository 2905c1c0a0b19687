package language

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Check returns what is wrong with a Front.
func (f Front) Check(k Known) []Mistake {
	x := &checking{known: k}
	if f.Key != "" && !k.Pictures(f.Key) {
		x.fail("key", fmt.Sprintf("no picture has the title %q", f.Key), `key = "TITLE" of a [[picture]]`)
	}
	x.says(f.Say)
	for i, a := range f.Advise {
		x.advice(fmt.Sprint("advise.", i), a)
	}
	for i, m := range f.Axis {
		x.mean(fmt.Sprint("axis.", i), m)
	}
	for i, a := range f.Article {
		if a.Title == "" || a.Author == "" {
			x.fail(fmt.Sprint("article.", i), "its title or its author is missing", `title = "...", author = "..."`)
		}
	}
	return x.out
}

// checking collects mistakes.
type checking struct {
	known Known
	out   []Mistake
}

func (x *checking) fail(part, msg, form string) { x.out = append(x.out, Mistake{part, msg, form}) }

const sayForm = `ID.holds = "SENTENCE" and ID.fails = "SENTENCE"`

func (x *checking) says(say map[string]map[string]string) {
	for _, id := range slices.Sorted(maps.Keys(say)) {
		part := "say." + id
		x.claim(part, id)
		for _, verdict := range slices.Sorted(maps.Keys(say[id])) {
			if verdict != Holds && verdict != Fails && verdict != Short {
				x.fail(part+"."+verdict, fmt.Sprintf("%q is not a verdict", verdict), sayForm)
				continue
			}
			x.template(part+"."+verdict, say[id][verdict])
		}
	}
}

func (x *checking) claim(part, id string) {
	if !slices.Contains(x.known.Claims, id) {
		x.fail(part, fmt.Sprintf("there is no claim %q", id), "the ID of a claim of the study")
	}
}

func (x *checking) template(part, text string) {
	if strings.TrimSpace(text) == "" {
		x.fail(part, "the sentence is missing", sayForm)
	} else if _, err := ParseTemplate(text); err != nil {
		x.fail(part, err.Error(), "{"+strings.Join(slices.Sorted(maps.Keys(Placeholders)), "}, {")+"}")
	}
}

func (x *checking) advice(part string, a Advice) {
	id, verdict := a.Verdict()
	x.claim(part+".claim", id)
	if verdict != Holds && verdict != Fails {
		x.fail(part+".claim", fmt.Sprintf("%q has no verdict", a.Claim), `claim = "ID holds" or claim = "ID fails"`)
	}
	if a.When == "" {
		x.fail(part, "the condition under which it was measured is missing", `when = "..."`)
	}
	x.template(part+".do", a.Do)
	x.template(part+".because", a.Because)
}

func (x *checking) mean(part string, m Mean) {
	for _, key := range []struct{ name, value string }{{"mean", m.Mean}, {"label", m.Label}, {"short", m.Short}} {
		if key.value == "" {
			x.fail(part, key.name+" is missing", key.name+` = "..."`)
		}
	}
	if !slices.Contains(Families, m.Family) {
		x.fail(part+".family", fmt.Sprintf("%q is not a family of means", m.Family),
			"one of "+strings.Join(Families, ", "))
	}
	if err := x.known.Selector(m.Cases); err != nil {
		x.fail(part+".cases", err.Error(), `cases = ".name:Block from:heap"`)
	}
}
