package language

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"memcost/internal/base/hint"
)

const (
	claimForm  = "//memcost:claim ID [own] EXPR [# prose]"
	ratioForm  = "//memcost:claim ID SELECTOR / SELECTOR [UNIT] OP BOUND [for every KEY[, KEY]] [# prose]"
	valueForm  = "//memcost:claim ID SELECTOR UNIT OP BOUND [for every KEY[, KEY]] [# prose]"
	linearForm = "//memcost:claim ID SELECTOR [UNIT] linear in KEY [# prose]"
	acrossForm = "//memcost:claim ID SELECTOR / SELECTOR falls with SELECTOR KEY/sec across machines [# prose]"
)

var claimForms = [...]string{Ratio: ratioForm, Value: valueForm, Linear: linearForm, Across: acrossForm}

// linearTolerance is how far from 1 the exponent of a linear scaling may be.
var linearTolerance = Cond{Op: "in", Lo: Bound{Number: 0.9}, Hi: Bound{Number: 1.1}}

func (b *builder) claim(d Directive) error {
	l := &lexer{s: d.Text}
	id := l.word()
	if err := checkID(id); err != nil {
		return err
	}
	c := Claim{ID: id, Pos: d.Pos}
	l = &lexer{s: l.remainder()}
	err := c.attributes(l)
	if err != nil {
		return formed(err, attributesForm)
	}
	l = &lexer{s: l.remainder()} // Source is what follows ID and attributes
	if c.Num, err = l.newSelector(d.Scope); err != nil {
		return err
	}
	if l.peekWord() == "/" {
		l.word()
		err = b.twoSided(l, d, &c)
	} else {
		err = b.oneSided(l, d, &c)
	}
	if err != nil {
		return err
	}
	if c.Source, c.Prose, err = l.finish(); err != nil {
		return formed(err, claimForms[c.Kind])
	}
	if first, ok := b.ids[id]; ok {
		return fmt.Errorf("the claim %s stands already at %s: an ID names one claim of a study", id, first)
	}
	b.ids[id] = d.Pos
	if b.legacy {
		c.fromProse()
	}
	b.study.Claims = append(b.study.Claims, c)
	return nil
}

const attributesForm = "//memcost:claim ID [own] EXPR or //memcost:claim ID [published: FIGURES] EXPR, with [margin: 2%] " +
	"before EXPR where a ratio nearer to its bound counts as at it"

// mostMargin is the widest margin: what is further from a bound is not at it.
const mostMargin = 0.02

// attributes reads "[own]", "[published: FIGURES]" and "[margin: 2%]", as far as a claim has them.
func (c *Claim) attributes(l *lexer) error {
	for rest := l.remainder(); strings.HasPrefix(rest, "["); rest = l.remainder() {
		list, after, ok := strings.Cut(rest[1:], "]")
		if !ok {
			return errors.New(`"]" is missing after the attribute`)
		}
		l.pos = len(l.s) - len(after)
		name, text, given := strings.Cut(strings.TrimSpace(list), ":")
		text = strings.TrimSpace(text)
		switch {
		case name == "own" && !given:
			c.Own = true
		case name == "published" && text == "":
			return errors.New("the figures are missing after published:")
		case name == "published":
			c.Published = text
		case name == "margin":
			percent, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
			if c.Margin = percent / 100; err != nil || !strings.HasSuffix(text, "%") || !(c.Margin > 0 && c.Margin <= mostMargin) {
				return fmt.Errorf("margin: %q is no share above 0%% and up to 2%%", text)
			}
		default:
			return fmt.Errorf("a claim has no attribute %q%s", strings.TrimSpace(list), hint.Question(name, []string{"own",
				"published", "margin"}))
		}
	}
	return nil
}

func checkID(id string) error {
	if id == "" {
		return errors.New("the claim's ID is missing")
	}
	for i, r := range id {
		alnum := '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !alnum && (i == 0 || !strings.ContainsRune("-_.", r)) {
			return fmt.Errorf("%q is not an ID (letters, digits, and -_. after the first): a claim starts with one", id)
		}
	}
	return nil
}

// twoSided reads a ratio or an across claim from its denominator on.
func (b *builder) twoSided(l *lexer, d Directive, c *Claim) (err error) {
	if c.Den, err = l.newSelector(d.Scope); err != nil {
		return formed(fmt.Errorf("the denominator: %w", err), ratioForm)
	}
	if l.peekWord() == "falls" {
		return formed(b.across(l, d, c), acrossForm)
	}
	c.Kind = Ratio
	u := mustUnit(defaultUnit)
	if !startsCond(l.peekWord()) {
		if u, err = b.unit(l, d); err != nil {
			return formed(err, ratioForm)
		}
	}
	if err = u.sampled(); err != nil {
		return formed(err, ratioForm)
	}
	u.ratio = true
	return formed(c.judged(l, u), ratioForm)
}

// oneSided reads a value or a linear claim from its unit on.
func (b *builder) oneSided(l *lexer, d Directive, c *Claim) (err error) {
	w := l.peekWord()
	switch {
	case w == "stays-on-stack":
		return errors.New("stays-on-stack is an expectation, not a claim: " +
			"//memcost:expect SELECTOR stays-on-stack FUNC")
	case strings.HasPrefix(w, ":"):
		return formed(fmt.Errorf("unexpected %q: the / of a ratio stands between spaces", w), ratioForm)
	case w == "falls":
		return formed(errors.New("only a ratio falls with the machine"), acrossForm)
	case startsCond(w):
		return formed(errors.New("the claim on a value needs a unit before its condition"), valueForm)
	}
	u := mustUnit(defaultUnit)
	if w != "linear" {
		if u, err = b.unit(l, d); err != nil {
			return formed(err, valueForm)
		}
	}
	if l.peekWord() == "linear" {
		return formed(c.linear(l, u), linearForm)
	}
	c.Kind = Value
	return formed(c.judged(l, u), valueForm)
}

func startsCond(w string) bool {
	return w == "in" || w != "" && strings.IndexByte("<>=!", w[0]) >= 0
}

// judged reads the condition and what it must hold for.
func (c *Claim) judged(l *lexer, u unit) (err error) {
	c.Unit, c.PerKey = u.name, u.perKey
	if c.Cond, err = l.cond(u); err != nil {
		return err
	}
	if l.peekWord() == "for" {
		c.Every, err = l.every()
	}
	return err
}

func (l *lexer) every() ([]string, error) {
	l.word()
	if w := l.word(); w != "every" {
		return nil, fmt.Errorf(`after "for" stands "every", not %q`, w)
	}
	var keys []string
	for {
		word := l.word()
		key, more := strings.CutSuffix(word, ",")
		for _, k := range strings.Split(key, ",") {
			k, err := newKey(k)
			if err != nil {
				return nil, err
			}
			keys = append(keys, k)
		}
		if !more {
			return keys, nil
		}
	}
}

func (c *Claim) linear(l *lexer, u unit) (err error) {
	c.Kind, c.Unit, c.Cond = Linear, u.name, linearTolerance
	if err := u.sampled(); err != nil {
		return err
	}
	if err := l.keywords("linear", "in"); err != nil {
		return err
	}
	c.LinearKey, err = newKey(l.word())
	return err
}

func (b *builder) across(l *lexer, d Directive, c *Claim) (err error) {
	c.Kind, c.Unit = Across, defaultUnit
	if err := l.keywords("falls", "with"); err != nil {
		return err
	}
	if c.Weak, err = l.newSelector(d.Scope); err != nil {
		return fmt.Errorf("the measure of a machine: %w", err)
	}
	u, err := newUnit(l.word())
	switch {
	case err != nil:
		return err
	case u.perKey == "":
		return fmt.Errorf("the measure of a machine is a throughput KEY/sec, not %s", u.written)
	}
	c.WeakKey = u.perKey
	return l.keywords("across", "machines")
}

func (l *lexer) keywords(words ...string) error {
	for _, want := range words {
		switch got := l.word(); got {
		case want:
		case "":
			return fmt.Errorf("%q is missing", want)
		default:
			return fmt.Errorf("%q stands where %q should", got, want)
		}
	}
	return nil
}
