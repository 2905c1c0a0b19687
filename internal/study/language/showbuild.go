package language

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// show makes the study's tables and pictures of what a Show says, and returns what is
// wrong with it, each as a *SyntaxError.
func (b *builder) show(s *Show) []error {
	x := &showBuilder{builder: b, show: s}
	b.study.Question, b.study.Command = s.Ask, s.Command
	b.study.Published, b.study.Latency = s.Vary.Published, s.Latency
	x.claims("answer", s.Answer, "answer")
	b.study.Answer = s.Answer
	x.named()
	x.readSets()
	for i, v := range s.Tables {
		x.each(place("table", i), v, (*showBuilder).table)
	}
	for i, v := range s.Pictures {
		x.each(place("picture", i), v, (*showBuilder).picture)
	}
	for _, name := range s.Vary.Replaces {
		x.set("vary.replaces", name)
	}
	x.unusedSets()
	x.front(s.Front)
	return x.errs
}

// front checks what the front of a report says of the study.
func (x *showBuilder) front(f Front) {
	known := Known{Claims: slices.Sorted(maps.Keys(x.ids)), Selector: func(text string) error {
		sel, err := newSelector(text, "")
		x.study.Means = append(x.study.Means, sel)
		return err
	}}
	known.Pictures = func(title string) bool {
		return slices.ContainsFunc(x.study.Pictures, func(p Picture) bool { return p.Title == title })
	}
	for _, m := range f.Check(known) {
		x.fail(m.Part, m.Msg, m.Form)
	}
	x.study.Front = f
}

// A showBuilder is a builder while it reads a Show.
type showBuilder struct {
	*builder
	show *Show
	sets map[string][]member
	used map[string]bool
	errs []error
}

// A member is one column of a set.
type member struct{ header, text string }

// fail keeps a mistake in a part of the file: "table.3.columns.1".
func (x *showBuilder) fail(part, msg, form string) {
	x.errs = append(x.errs, &SyntaxError{Pos: x.show.pos(part), Directive: spoken(part), Msg: msg, Form: form})
}

// claims checks that claims exist.
func (x *showBuilder) claims(part string, ids []string, what string) {
	for _, id := range ids {
		if _, ok := x.ids[id]; ok {
			continue
		}
		known := slices.Sorted(maps.Keys(x.ids))
		x.fail(part, fmt.Sprintf("there is no claim %q%s", id, meant(id, known)),
			what+` = ["ID"] with the IDs of claims`)
	}
}

// named reads what sides of ratios are called.
func (x *showBuilder) named() {
	for _, text := range slices.Sorted(maps.Keys(x.show.Names)) {
		part, words := "names."+text, strings.TrimSpace(x.show.Names[text])
		if _, err := newSelector(text, ""); err != nil {
			x.fail(part, err.Error(), `"from:arena" = "an arena"`)
			continue
		}
		if words == "" {
			x.fail(part, "the name is missing", `"from:arena" = "an arena"`)
			continue
		}
		x.study.names = append(x.study.names, naming{splitTerms(text), words})
	}
}

// readSets takes the sets apart.
func (x *showBuilder) readSets() {
	x.sets, x.used = map[string][]member{}, map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(x.show.Sets)) {
		for i, text := range x.show.Sets[name] {
			part := place("sets."+name, i)
			m, err := newMember(text)
			if err != nil {
				x.fail(part, err.Error(), `"HEADER = SELECTOR"`)
				continue
			}
			x.sets[name] = append(x.sets[name], m)
		}
		if len(x.show.Sets[name]) == 0 {
			x.fail("sets."+name, "the set is empty", name+` = ["HEADER = SELECTOR", ...]`)
		}
	}
}

func newMember(text string) (member, error) {
	l := &lexer{s: text}
	header, err := l.header()
	if err != nil {
		return member{}, err
	}
	m := member{header, l.remainder()}
	_, err = newSelector(m.text, "")
	if m.text == "" {
		err = errors.New("the selector is missing")
	}
	return m, err
}

// set finds a set.
func (x *showBuilder) set(part, name string) []member {
	x.used[name] = true
	if _, ok := x.show.Sets[name]; !ok {
		known := slices.Sorted(maps.Keys(x.show.Sets))
		x.fail(part, fmt.Sprintf("there is no set %q%s", name, meant(name, known)), "a name that stands under [sets]")
	}
	return x.sets[name]
}

// unusedSets reports sets that nothing shows.
func (x *showBuilder) unusedSets() {
	for _, name := range slices.Sorted(maps.Keys(x.show.Sets)) {
		if !x.used[name] {
			x.fail("sets."+name, "no table or picture uses the set", `each = ["`+name+`"], or without the set`)
		}
	}
}

// each makes the table or picture of a view, or one for each column of the set that it
// is repeated for.
func (x *showBuilder) each(part string, v View, make func(*showBuilder, string, View, string)) {
	if v.Repeat == "" {
		make(x, part, v, "")
		return
	}
	if !strings.Contains(v.Title, "{}") {
		x.fail(part+".title", "a view that is repeated needs a place for the header", `title = "Malloc and free, {}"`)
		return
	}
	title := v.Title
	for _, m := range x.set(part+".repeat", v.Repeat) {
		v.Title = strings.ReplaceAll(title, "{}", m.header)
		make(x, part, v, m.text)
	}
}

func (x *showBuilder) table(part string, v View, besides string) {
	if v.Kind != "" || len(v.Against) > 0 {
		key := ".kind"
		if v.Kind == "" {
			key = ".against"
		}
		x.fail(part+key, "kind and against belong to a picture", "[[picture]]")
		return
	}
	if t, ok := x.tabulated(part, v, besides); ok {
		x.study.Tables = append(x.study.Tables, t)
	}
}

func (x *showBuilder) picture(part string, v View, besides string) {
	t, ok := x.tabulated(part, v, besides)
	if !ok {
		return
	}
	p := Picture{Kind: v.Kind, Table: t, Against: v.Against}
	if v.Floor != "" {
		p.Roofline = t.Columns[len(t.Columns)-1].Header
	}
	x.claims(part+".against", v.Against, "against")
	key, err := ".kind", checkKind(v.Kind)
	if err == nil {
		key, err = p.check()
	}
	if err != nil {
		x.fail(part+key, err.Error(), `[[picture]] with kind = "curve", "forest", "dots" or "steps"`)
		return
	}
	x.study.Pictures = append(x.study.Pictures, p)
}

// tabulated reads what tables and pictures have in common.
func (x *showBuilder) tabulated(part string, v View, besides string) (t Table, ok bool) {
	before := len(x.errs)
	t = Table{Title: strings.TrimSpace(v.Title), By: v.By, Pos: x.show.pos(part)}
	if t.Pos.Line == 0 {
		t.Pos.Line = v.Line
	}
	if t.Title == "" {
		x.fail(part, "the title is missing", `title = "..."`)
	}
	if _, err := newKey(v.By); err != nil {
		x.fail(part+".by", err.Error(), `by = "size"`)
	}
	for _, name := range v.Each {
		for _, m := range x.set(part+".each", name) {
			x.column(part+".cases", v, m.header+" = "+joined(v.Cases, both(besides, m.text)), &t)
		}
	}
	if v.Cases != "" && len(v.Each) == 0 {
		x.fail(part+".cases", "cases are those of each set, and each is missing", `each = ["SET"]`)
	}
	for i, text := range v.Columns {
		x.column(place(part+".columns", i), v, beside(text, besides), &t)
	}
	if v.Floor != "" {
		if x.column(part+".floor", v, beside(v.Floor, besides), &t); len(x.errs) == before {
			t.Columns[len(t.Columns)-1].Floor = true
		}
	}
	if len(x.errs) > before {
		return t, false
	}
	if len(t.Columns) == 0 {
		x.fail(part, "it has no columns", `columns = ["HEADER = COLUMN", ...] or each = ["SET"]`)
	} else if err := distinctHeaders(t.Columns); err != nil {
		x.fail(part+".columns", err.Error(), `columns = ["HEADER = COLUMN", ...], each with a header of its own`)
	}
	return t, len(x.errs) == before
}

// joined adds a set's selector to the cases of each side.
func joined(cases, sel string) string {
	num, den, ratio := strings.Cut(cases, " / ")
	out := both(sel, strings.TrimSpace(num))
	if ratio {
		out += " / " + both(sel, strings.TrimSpace(den))
	}
	return out
}

// beside adds a selector to both sides of a column as written.
func beside(text, sel string) string {
	header, rest, ok := cutHeader(text)
	if sel == "" || !ok {
		return text
	}
	return header + "= " + joined(strings.TrimSpace(rest), sel)
}

// column reads one column as written into t.
func (x *showBuilder) column(part string, v View, text string, t *Table) {
	l := &lexer{s: text}
	c := Column{Pos: x.show.pos(part)}
	var err error
	d := Directive{Verb: part, Text: text, Scope: v.Of, Pos: c.Pos}
	if c.Header, err = l.header(); err == nil {
		err = x.figure(l, d, cmp.Or(v.Unit, defaultUnit), &c)
	}
	if left := l.remainder(); err == nil && left != "" {
		err = fmt.Errorf("unexpected %q", left)
	}
	if err != nil {
		x.fail(part, err.Error(), `"`+columnForm+`"`)
		return
	}
	t.Columns = append(t.Columns, c)
}
