package language

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"memcost/internal/base/hint"
)

// show makes the study's tables and pictures of what a Show says, and returns what is
// wrong with it, each as a *SyntaxError.
func (b *builder) show(s *Show) []error {
	x := &showBuilder{builder: b, show: s}
	b.study.Question, b.study.Command = s.Ask, s.Command
	b.study.Published, b.study.Latency = s.Vary.Published, s.Latency
	x.claims("answer", s.Answer, `answer = ["ID"] with the IDs of claims`)
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
	x.study.Front = f
	drawn := func(p Picture) bool { return p.Title == f.Key }
	if f.Key != "" && !slices.ContainsFunc(x.study.Pictures, drawn) {
		x.fail("key", fmt.Sprintf("no picture has the title %q", f.Key), `key = "TITLE" of a [[picture]]`)
	}
	if e := f.Extremes; e != nil {
		table := func(t Table) bool { return t.Title == e.Table }
		if !slices.ContainsFunc(x.study.Tables, table) {
			x.fail("extremes.table", fmt.Sprintf("no table has the title %q", e.Table), `table = "TITLE" of a [[table]]`)
		}
		if e.Counts == "" || e.Counted == "" {
			x.fail("extremes", "counts or counted is missing", `counts = "faults/op", counted = "page faults a block"`)
		}
	}
	x.says(f.Say)
	for i, a := range f.Advise {
		x.advice(place("advise", i), a)
	}
	for i, m := range f.Axis {
		x.mean(place("axis", i), m)
	}
	for i, a := range f.Article {
		if a.Title == "" || a.Author == "" {
			x.fail(place("article", i), "its title or its author is missing", `title = "...", author = "..."`)
		}
	}
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

// claimOfStudy is the right form of what names one claim.
const claimOfStudy = "the ID of a claim of the study"

// claims checks that claims exist.
func (x *showBuilder) claims(part string, ids []string, form string) {
	for _, id := range ids {
		if _, ok := x.ids[id]; !ok {
			x.fail(part, fmt.Sprintf("there is no claim %q%s", id, hint.Question(id, slices.Sorted(maps.Keys(x.ids)))), form)
		}
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
		question := hint.Question(name, slices.Sorted(maps.Keys(x.show.Sets)))
		x.fail(part, fmt.Sprintf("there is no set %q%s", name, question), "a name that stands under [sets]")
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
	x.claims(part+".against", v.Against, `against = ["ID"] with the IDs of claims`)
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

const columnForm = "HEADER = SELECTOR [UNIT] or HEADER = SELECTOR / SELECTOR [UNIT]"

// cutHeader splits a column as written at the "=" behind its header. The header may
// have one itself where there are spaces around the other: "M_TOP_PAD=0 = setting:pad0".
func cutHeader(text string) (header, rest string, ok bool) {
	if header, rest, ok = strings.Cut(text, " = "); ok && !strings.ContainsAny(header, "|:") {
		return header + " ", " " + rest, true
	}
	return strings.Cut(text, "=")
}

// header reads up to the "=" behind a column's header.
func (l *lexer) header() (string, error) {
	header, _, ok := cutHeader(l.s[l.pos:])
	if !ok || strings.Contains(header, "|") {
		written := strings.TrimSpace(strings.Split(header, "|")[0])
		return "", fmt.Errorf(`"=" is missing after the header %q`, written)
	}
	l.pos += len(header) + len("=")
	if header = strings.TrimSpace(header); header == "" {
		return "", errors.New("the header is missing")
	}
	return header, nil
}

// figure reads "SELECTOR [UNIT]" or "SELECTOR / SELECTOR [UNIT]" into c. A figure
// without a unit is in unit.
func (b *builder) figure(l *lexer, d Directive, unit string, c *Column) (err error) {
	if c.Num, err = l.newSelector(d.Scope); err != nil {
		return err
	}
	if l.peekWord() == "/" {
		l.word()
		if c.Den, err = l.newSelector(d.Scope); err != nil {
			return fmt.Errorf("the denominator: %w", err)
		}
	}
	u, err := newUnit(unit)
	if err != nil {
		return err
	}
	if w := l.peekWord(); w != "" && w != "|" {
		if u, err = b.unit(l, d); err != nil {
			return err
		}
	}
	return c.in(u)
}

// in sets the unit of the column.
func (c *Column) in(u unit) error {
	if !c.Den.IsZero() {
		if err := u.sampled(); err != nil {
			return err
		}
	}
	c.Unit, c.PerKey = u.name, u.perKey
	return nil
}

// distinctHeaders refuses two columns that a reader could not tell apart.
func distinctHeaders(columns []Column) error {
	seen := map[string]bool{}
	for _, c := range columns {
		if seen[c.Header] {
			return fmt.Errorf("two columns have the header %q", c.Header)
		}
		seen[c.Header] = true
	}
	return nil
}

// check reports what a picture of its kind cannot show, with the key that says so.
func (p *Picture) check() (key string, err error) {
	if p.Kind == Steps && p.By != ByToolchain {
		return ".by", fmt.Errorf("steps are shown by %s", ByToolchain)
	}
	shows := "figures, not ratios"
	if p.Kind == Forest {
		shows = "ratios, A / B"
	}
	for _, c := range p.Columns {
		if isRatio := !c.Den.IsZero(); isRatio != (p.Kind == Forest) {
			return ".columns", fmt.Errorf("column %s: a %s shows %s", c.Header, p.Kind, shows)
		}
		if first := p.Columns[0]; c.Unit != first.Unit {
			return ".columns", fmt.Errorf("columns %s and %s have different units, %s and %s: one axis cannot show "+
				"both", first.Header, c.Header, first.Unit, c.Unit)
		}
	}
	return "", nil
}

// checkKind refuses a kind of picture that there is not.
func checkKind(kind string) error {
	if slices.Contains(pictureKinds, kind) {
		return nil
	}
	return fmt.Errorf("there is no kind of picture %q, only %s%s", kind, strings.Join(pictureKinds, ", "),
		hint.Question(kind, pictureKinds))
}

const sayForm = `ID.holds = "SENTENCE" and ID.fails = "SENTENCE"`

func (x *showBuilder) says(say map[string]map[string]string) {
	for _, id := range slices.Sorted(maps.Keys(say)) {
		part := "say." + id
		x.claims(part, []string{id}, claimOfStudy)
		for _, verdict := range slices.Sorted(maps.Keys(say[id])) {
			if verdict != Holds && verdict != Fails && verdict != Short {
				x.fail(part+"."+verdict, fmt.Sprintf("%q is not a verdict", verdict), sayForm)
				continue
			}
			x.template(part+"."+verdict, say[id][verdict])
		}
	}
}

func (x *showBuilder) template(part, text string) {
	if strings.TrimSpace(text) == "" {
		x.fail(part, "the sentence is missing", sayForm)
	} else if _, err := ParseTemplate(text); err != nil {
		x.fail(part, err.Error(), "{"+strings.Join(slices.Sorted(maps.Keys(Placeholders)), "}, {")+"}")
	}
}

func (x *showBuilder) advice(part string, a Advice) {
	id, verdict := a.Verdict()
	x.claims(part+".claim", []string{id}, claimOfStudy)
	if verdict != Holds && verdict != Fails {
		x.fail(part+".claim", fmt.Sprintf("%q has no verdict", a.Claim), `claim = "ID holds" or claim = "ID fails"`)
	}
	if a.When == "" {
		x.fail(part, "the condition under which it was measured is missing", `when = "..."`)
	}
	x.template(part+".do", a.Do)
	x.template(part+".because", a.Because)
}

func (x *showBuilder) mean(part string, m Mean) {
	for _, key := range []struct{ name, value string }{{"mean", m.Mean}, {"label", m.Label}, {"short", m.Short}} {
		if key.value == "" {
			x.fail(part, key.name+" is missing", key.name+` = "..."`)
		}
	}
	if !slices.Contains(Families, m.Family) {
		x.fail(part+".family", fmt.Sprintf("%q is not a family of means", m.Family),
			"one of "+strings.Join(Families, ", "))
	}
	if m.Shown != "" && m.Shown != Always && m.Shown != Cheapest {
		x.fail(part+".shown", fmt.Sprintf("%q is not when a curve is drawn", m.Shown), Always+" or "+Cheapest)
	}
	sel, err := newSelector(m.Cases, "")
	if err != nil {
		x.fail(part+".cases", err.Error(), `cases = ".name:Block from:heap"`)
	}
	x.study.Means = append(x.study.Means, sel)
}
