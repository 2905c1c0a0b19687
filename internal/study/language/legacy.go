package language

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// This file reads what studies kept in comments before study.toml: the question, the
// command, tables and pictures as directives, and the attributes of a claim as words of
// its prose. Run folders of that time hold them, and Parse will always accept them; in
// source ReadDir refuses them, and its message names the place in study.toml.

// movedVerbs lists the directives that study.toml replaced, with what to write there
// now.
var movedVerbs = []struct {
	verb
	now string
}{
	{verb{"question", "//memcost:question TEXT", oldWords(func(s *Study) *string { return &s.Question })}, `ask = "What does it cost?"`},
	{verb{"command", "//memcost:command memcost limits", oldWords(func(s *Study) *string { return &s.Command })}, `command = "memcost limits"`},
	{verb{"table", "//memcost:table TITLE by KEY: HEADER = COLUMN | HEADER = COLUMN", oldTable},
		`[[table]] with title, by and columns = ["HEADER = COLUMN", ...]`},
	{verb{"picture", pictureForm, oldPicture},
		`[[picture]] with kind, title, by and columns = ["HEADER = COLUMN", ...]`},
}

const pictureForm = "//memcost:picture curve|forest|dots|steps TITLE by KEY: " +
	"HEADER = COLUMN | HEADER = COLUMN [against CLAIM, CLAIM]"

// oldWords reads a text that a study has once: its question, or the command that finds the figures of
// a study without benchmarks.
func oldWords(to func(*Study) *string) func(*builder, Directive) error {
	return func(b *builder, d Directive) error {
		switch {
		case d.Text == "":
			return fmt.Errorf("the %s is missing", d.Verb)
		case d.Scope != "":
			return fmt.Errorf("the %s is the study's: it belongs in the package comment, not in a benchmark's", d.Verb)
		}
		if err := b.once(d); err != nil {
			return err
		}
		*to(b.study) = d.Text
		return nil
	}
}

// tableHead is "TITLE by KEY:". The title ends at the first "by WORD:".
var tableHead = regexp.MustCompile(`^(.*?)(?:^|\s)by\s+(\S+):(?:\s+|$)`)

const columnsForm = columnForm + ", separated by |"

func oldTable(b *builder, d Directive) error {
	t, err := oldTabulated(b, d)
	if err != nil {
		return err
	}
	for i, c := range t.Columns {
		t.Columns[i].Floor = strings.HasPrefix(c.Header, "floor")
	}
	b.study.Tables = append(b.study.Tables, t)
	return nil
}

// oldTabulated reads what tables and pictures have in common.
func oldTabulated(b *builder, d Directive) (Table, error) {
	t := Table{Pos: d.Pos}
	m := tableHead.FindStringSubmatch(d.Text)
	switch {
	case m == nil:
		return t, errors.New(`"by KEY:" is missing`)
	case strings.TrimSpace(m[1]) == "":
		return t, errors.New("the title is missing")
	}
	var err error
	if t.By, err = newKey(m[2]); err != nil {
		return t, err
	}
	t.Title = strings.TrimSpace(m[1])
	l := &lexer{s: d.Text, pos: len(m[0])}
	for more := true; more; {
		var c Column
		if c, more, err = oldColumn(b, l, d); err != nil {
			return t, formed(fmt.Errorf("column %d: %w", len(t.Columns)+1, err), columnsForm)
		}
		t.Columns = append(t.Columns, c)
	}
	return t, distinctHeaders(t.Columns)
}

// oldColumn reads up to a separate "|", which announces one more column.
func oldColumn(b *builder, l *lexer, d Directive) (c Column, more bool, err error) {
	if l.remainder() == "" {
		return c, false, errors.New("it is missing")
	}
	if c.Header, err = l.header(); err != nil {
		return c, false, err
	}
	if err := b.figure(l, d, defaultUnit, &c); err != nil {
		return c, false, err
	}
	switch w := l.word(); w {
	case "", "|":
		return c, w == "|", nil
	default:
		return c, false, fmt.Errorf("unexpected %q", w)
	}
}

const (
	against  = " against "
	roofline = "roofline "
)

// oldPicture reads "KIND TITLE by KEY: COLUMNS [against CLAIM, CLAIM]".
func oldPicture(b *builder, d Directive) error {
	kind, text, _ := strings.Cut(d.Text, " ")
	if err := checkKind(kind); err != nil {
		return err
	}
	p := Picture{Kind: kind}
	if i := strings.LastIndex(text, against); i > strings.Index(text, "=") { // else it is a word of the title
		for _, id := range strings.Split(text[i+len(against):], ",") {
			p.Against = append(p.Against, strings.TrimSpace(id))
		}
		text = text[:i]
	}
	d.Text = text
	var err error
	if p.Table, err = oldTabulated(b, d); err != nil {
		return err
	}
	for i, c := range p.Columns {
		if name, ok := strings.CutPrefix(c.Header, roofline); ok {
			if p.Roofline != "" {
				return fmt.Errorf("there are two rooflines, %s and %s", p.Roofline, name)
			}
			p.Columns[i].Header, p.Roofline = name, name
		}
	}
	if _, err := p.check(); err != nil {
		return err
	}
	b.study.Pictures = append(b.study.Pictures, p)
	return nil
}

// oldDrawnClaims checks, when all directives are read, that the claims which pictures name
// exist.
func oldDrawnClaims(b *builder) (errs []error) {
	for _, p := range b.study.Pictures {
		for _, id := range p.Against {
			if _, ok := b.ids[id]; !ok {
				d := Directive{Verb: "picture", Text: p.Kind + " " + p.Title, Pos: p.Pos}
				errs = append(errs, syntaxError(d, fmt.Sprintf("there is no claim %q", id), ""))
			}
		}
	}
	return errs
}

// The words with which the prose of a claim expressed what attributes express now, in
// run folders of that time.
const ownWord = "ours: "

var (
	printedFigures = regexp.MustCompile(` \((?:as )?published[^()]*\)`)
	goesOnWords    = []string{"and", "but", "nor", "which", "with", "of", "by", "above", "below"}
)

// fromProse sets the attributes of a claim by the words of its prose.
func (c *Claim) fromProse() {
	var own bool
	if c.Prose, own = strings.CutPrefix(c.Prose, ownWord); own {
		c.Own = true
	}
	first, _, _ := strings.Cut(c.Prose, " ")
	c.GoesOn = slices.Contains(goesOnWords, first)
	if found := printedFigures.FindString(c.Prose); found != "" {
		c.Prose = strings.Replace(c.Prose, found, "", 1)
		text := strings.Trim(found, " ()")
		for _, word := range []string{"as ", "published", ":", ",", " "} {
			text = strings.TrimPrefix(text, word)
		}
		c.Published = text
	}
}
