package language

import (
	"cmp"
	"errors"
	"fmt"
	goversion "go/version"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/hint"
)

const prefix = "//memcost:"

// Pos is a line of a source file, as a path inside the fs.FS that was read.
type Pos struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

func (p Pos) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// A Directive is one //memcost: comment, not yet understood. A run folder stores
// directives, and Parse understands them without the source.
type Directive struct {
	Verb string `json:"verb"` // "claim"
	Text string `json:"text"` // what follows the verb, without surrounding space
	// Scope is the base name, without "Benchmark", of the benchmark whose doc comment
	// holds the directive; "" means the whole study.
	Scope string `json:"scope,omitempty"`
	Pos   Pos    `json:"pos"`
}

func (d Directive) String() string {
	if d.Text == "" {
		return prefix + d.Verb
	}
	return prefix + d.Verb + " " + d.Text
}

func newDirective(text, scope string, pos Pos) Directive {
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	verb, remainder := text, ""
	if i := strings.IndexFunc(text, unicode.IsSpace); i >= 0 {
		verb, remainder = text[:i], strings.TrimSpace(text[i:])
	}
	return Directive{Verb: verb, Text: remainder, Scope: scope, Pos: pos}
}

// A SyntaxError is a mistake of a study's author, with its position.
type SyntaxError struct {
	Pos       Pos
	Directive string // as written: "//memcost:claim C4 place:heap ..."
	Msg       string // what is wrong
	Form      string // the right form, or "" when the message contains it
}

// Error returns "file:line: directive: what is wrong; the right form is: form". A long
// directive is cut: the position leads to the whole.
func (e *SyntaxError) Error() string {
	s := fmt.Sprintf("%s: %s: %s", e.Pos, shorten(e.Directive, 48), e.Msg)
	if e.Form != "" {
		s += "; the right form is: " + e.Form
	}
	return s
}

// shorten cuts s to at most n runes, at a space where there is one.
func shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	cut := string(r[:n])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return cut + " …"
}

func syntaxError(d Directive, msg, form string) *SyntaxError {
	return &SyntaxError{Pos: d.Pos, Directive: d.String(), Msg: msg, Form: form}
}

// verbs are the directives, with their right forms.
var verbs = []verb{
	{"go", "//memcost:go OLDEST, such as //memcost:go 1.18", (*builder).oldestGo},
	{"floor", "//memcost:floor in the doc comment of the benchmark that is the empty loop", (*builder).floor},
	{"full", "//memcost:full SELECTOR [# prose]", (*builder).full},
	{"load", loadForm, loads},
	{"build", "//memcost:build NAME=VALUE ..., such as //memcost:build GOEXPERIMENT=arenas", (*builder).build},
	{"sample", "//memcost:sample TIME, such as //memcost:sample 20ms", (*builder).sample},
	{"program", programForm, (*builder).program},
	{"vary", varyForm, (*builder).vary},
	{"expect", expectForms, (*builder).expect},
	{"explain", explainForm, (*builder).explain},
	{"claim", claimForm, (*builder).claim},
	{moreVerb, "//memcost:claim ... and on the next line //memcost:more ...", (*builder).more},
}

// Parse parses directives and what is shown of them, such as a run folder stored,
// without the source they come from; the Study then has no Benchmarks and no Doc. The
// error joins one *SyntaxError for each mistake, and the Study holds everything else.
//
// A nil show is that of a run folder from before study.toml: its directives also hold
// what is shown, and express in prose what the attributes of a claim express now.
func Parse(study string, ds []Directive, show *Show) (*Study, error) {
	b := &builder{study: &Study{Name: study, Directives: ds, Show: show}, ids: map[string]Pos{}, first: map[string]Pos{},
		legacy: show == nil}
	var errs []error
	for _, d := range ds {
		if err := b.parse(d); err != nil {
			errs = append(errs, err)
		}
	}
	if show == nil {
		errs = append(errs, oldDrawnClaims(b)...)
	} else {
		errs = append(errs, b.show(show)...)
	}
	return b.study, errors.Join(errs...)
}

func (b *builder) parse(d Directive) error {
	for _, v := range verbs {
		if v.name == d.Verb {
			return understood(v, b, d)
		}
	}
	for _, v := range movedVerbs {
		switch {
		case v.name != d.Verb:
		case b.legacy:
			return understood(v.verb, b, d)
		default:
			msg := "what is shown stands in study.toml (memcost.toml in a package of your own), not in comments"
			return syntaxError(d, msg, "in study.toml: "+v.now)
		}
	}
	return unknownVerb(d)
}

// more does nothing: the continuation of a directive has been joined with it already.
func (b *builder) more(Directive) error {
	return errors.New("it goes on with the directive on the line above, and there is none")
}

// understood parses a directive, and adds to an error its position and the right form.
func understood(v verb, b *builder, d Directive) error {
	err := v.parse(b, d)
	var narrow *formError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &narrow):
		return syntaxError(d, narrow.msg, narrow.form)
	}
	return syntaxError(d, err.Error(), v.form)
}

func unknownVerb(d Directive) error {
	names := make([]string, len(verbs))
	for i, v := range verbs {
		names[i] = v.name
	}
	form := prefix + "VERB with VERB one of " + strings.Join(names, ", ")
	if d.Verb == "" {
		return syntaxError(d, "the verb is missing right after the colon", form)
	}
	return syntaxError(d, fmt.Sprintf("there is no directive %q%s", d.Verb, hint.Question(d.Verb, names)), form)
}

// builder collects a study.
type builder struct {
	study  *Study
	ids    map[string]Pos
	first  map[string]Pos // of directives that a study has once, by verb
	legacy bool           // the directives are of a run folder from before study.toml
}

// A verb is a directive: its name, its right form and what reads it.
type verb struct {
	name, form string
	parse      func(*builder, Directive) error
}

// moreVerb continues the directive on the line above.
const moreVerb = "more"

// formError is a mistake whose right form is narrower than its verb's.
type formError struct{ msg, form string }

func (e *formError) Error() string { return e.msg }

func formed(err error, form string) error {
	if err == nil {
		return nil
	}
	return &formError{err.Error(), form}
}

func (b *builder) warn(d Directive, msg string) {
	if msg != "" {
		b.study.Warnings = append(b.study.Warnings, syntaxError(d, msg, ""))
	}
}

// once keeps the first of a directive that a study has once.
func (b *builder) once(d Directive) error {
	if first, ok := b.first[d.Verb]; ok {
		return fmt.Errorf("a study has one %s, and there is one at %s", prefix+d.Verb, first)
	}
	b.first[d.Verb] = d.Pos
	return nil
}

func (b *builder) unit(l *lexer, d Directive) (unit, error) {
	w := l.peekWord()
	if w == "#" {
		w = ""
	}
	u, err := newUnit(w)
	if err == nil {
		l.word()
		b.warn(d, u.warning())
	}
	return u, err
}

func (b *builder) oldestGo(d Directive) error {
	if !goversion.IsValid("go" + d.Text) {
		return fmt.Errorf("%q is not a Go version", d.Text)
	}
	if err := b.once(d); err != nil {
		return err
	}
	b.study.OldestGo = d.Text
	return nil
}

func (b *builder) full(d Directive) error {
	l := &lexer{s: d.Text}
	sel, err := l.newSelector(d.Scope)
	if err != nil {
		return err
	}
	if _, _, err := l.finish(); err != nil {
		return err
	}
	b.study.Full = append(b.study.Full, sel)
	return nil
}

const loadForm = "//memcost:load [SELECTOR] LOAD ..., such as //memcost:load 0 1 all or //memcost:load size:4096 0 1"

// loads reads "SELECTOR LOAD LOAD". Without a selector it is about every case of its
// benchmark, or of the study.
func loads(b *builder, d Directive) error {
	l := &lexer{s: d.Text}
	text := cmp.Or(l.selector(), "*")
	sel, err := newSelector(text, d.Scope)
	if err != nil {
		return err
	}
	load := Load{Sel: sel, Pos: d.Pos}
	for w := l.word(); w != "" && w != "#"; w = l.word() {
		n, err := strconv.Atoi(w)
		switch {
		case w != "all" && (err != nil || n < 0 || strconv.Itoa(n) != w):
			return fmt.Errorf("%q is neither a number of busy cores nor all", w)
		case slices.Contains(load.Busy, w):
			return fmt.Errorf("%s stands twice", w)
		}
		load.Busy = append(load.Busy, w)
	}
	if len(load.Busy) == 0 {
		return errors.New("the load is missing")
	}
	b.study.Loads = append(b.study.Loads, load)
	return nil
}

func (b *builder) floor(d Directive) error {
	switch {
	case d.Text != "" && !strings.HasPrefix(d.Text, "#"):
		return fmt.Errorf("unexpected %q after the verb", d.Text)
	case d.Scope == "":
		return errors.New("it does not stand in the doc comment of a benchmark")
	}
	if err := b.once(d); err != nil {
		return err
	}
	b.study.Floor = d.Scope
	return nil
}

// sample reads how long a sample of the quick profile takes at least.
func (b *builder) sample(d Directive) error {
	if err := b.once(d); err != nil {
		return err
	}
	t, err := time.ParseDuration(d.Text)
	if err != nil || t < time.Millisecond || t > time.Minute {
		return fmt.Errorf("%q is not a time from 1ms to 1m", d.Text)
	}
	b.study.Sample = t
	return nil
}

// build reads the settings of the go command that builds the study.
func (b *builder) build(d Directive) error {
	if err := b.once(d); err != nil {
		return err
	}
	words := strings.Fields(d.Text)
	if len(words) == 0 {
		return errors.New("the settings are missing")
	}
	for _, w := range words {
		if !assignment.MatchString(w) {
			return fmt.Errorf("%q is not NAME=VALUE", w)
		}
	}
	b.study.Build = words
	return nil
}

const (
	expectForm  = "//memcost:expect SELECTOR UNIT OP BOUND [# prose]"
	expectForms = "//memcost:expect SELECTOR UNIT OP BOUND or //memcost:expect SELECTOR stays-on-stack FUNC, " +
		"with [# prose] at the end"
	stackForm = "//memcost:expect SELECTOR stays-on-stack FUNC[, FUNC] [# prose]"
)

func (b *builder) expect(d Directive) error {
	l := &lexer{s: d.Text}
	e := Expect{Pos: d.Pos}
	var err error
	if e.Sel, err = l.newSelector(d.Scope); err != nil {
		return err
	}
	if l.peekWord() == "stays-on-stack" {
		l.word()
		err = formed(e.stack(l), stackForm)
	} else {
		err = formed(b.measured(l, d, &e), expectForm)
	}
	if err != nil {
		return err
	}
	b.study.Expects = append(b.study.Expects, e)
	return nil
}

func (b *builder) measured(l *lexer, d Directive, e *Expect) error {
	u, err := newUnit(l.word())
	if err != nil {
		return err
	}
	if err := u.sampled(); err != nil {
		return err
	}
	b.warn(d, u.warning())
	if e.Cond, err = l.cond(u); err != nil {
		return err
	}
	e.Unit = u.name
	e.Source, e.Prose, err = l.finish()
	return err
}

func (e *Expect) stack(l *lexer) error {
	list, source, prose := l.untilProse()
	for _, f := range strings.Split(list, ",") {
		f = strings.TrimSpace(f)
		switch {
		case f == "":
			return errors.New("a function is missing")
		case strings.ContainsAny(f, " \t"):
			return fmt.Errorf("%q is not one function: several are separated by commas", f)
		}
		e.Funcs = append(e.Funcs, f)
	}
	e.Source, e.Prose = source, prose
	return nil
}

var placeholder = regexp.MustCompile(`\{([^{}]*)\}`)

const explainForm = "//memcost:explain SELECTOR in FUNC[, FUNC], with {key} for the value of a name's key"

// explain reads "SELECTOR in FUNC[, FUNC]".
func (b *builder) explain(d Directive) error {
	at := strings.LastIndex(d.Text, " in ")
	if at < 0 {
		return errors.New(`"in FUNC" is missing`)
	}
	e := Explain{Pos: d.Pos}
	l := &lexer{s: d.Text[:at]}
	var err error
	if e.Sel, err = l.newSelector(d.Scope); err != nil {
		return err
	}
	if _, _, err := l.finish(); err != nil {
		return err
	}
	for _, f := range strings.Split(d.Text[at+len(" in "):], ",") {
		if f = strings.TrimSpace(f); f == "" {
			return errors.New("a function's name is missing")
		}
		for _, m := range placeholder.FindAllStringSubmatch(f, -1) {
			if _, err := newKey(m[1]); err != nil {
				return fmt.Errorf("%s: %w", m[0], err)
			}
		}
		e.Funcs = append(e.Funcs, f)
	}
	b.study.Explains = append(b.study.Explains, e)
	return nil
}

// Functions returns the prefixes of the names of the functions that explain a case; nil
// if e does not select it.
func (e Explain) Functions(r *benchfmt.Result) []string {
	if !e.Sel.Match(r) {
		return nil
	}
	keys := Keys(r.Name)
	var out []string
	for _, f := range e.Funcs {
		out = append(out, placeholder.ReplaceAllStringFunc(f, func(m string) string {
			v, _ := keys.Get(m[1 : len(m)-1])
			return camel(v)
		}))
	}
	return out
}

// camel returns a value as a Go name: mapValue for "map-value".
func camel(s string) string {
	words := strings.FieldsFunc(s, func(r rune) bool { return r == '-' || r == '_' || r == '.' })
	for i, w := range words[min(1, len(words)):] {
		words[i+1] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, "")
}

var (
	assignment = regexp.MustCompile(`^[A-Z_][A-Z0-9_]*=`)
	keyValue   = regexp.MustCompile(`^[a-z][a-z0-9_]*=[^\s/=]+$`)
)

const programForm = "//memcost:program CASE: FOLDER ARGUMENT ..., with {trace} or {cpuprofile} for a file that it " +
	"writes, and {n} for the number of operations"

const varyForm = "//memcost:vary KEY=VALUE [KEY=VALUE ...]: [NAME=VALUE ...] [ARGUMENT ...] " +
	"[preset:NAME] [# how to get what it needs]"

// vary reads "KEY=VALUE KEY=VALUE: NAME=VALUE ARGUMENT # hint".
func (b *builder) vary(d Directive) error {
	keys, remainder, ok := strings.Cut(d.Text, ":")
	if !ok {
		return errors.New(`":" is missing after the keys`)
	}
	v := Variant{Pos: d.Pos}
	words := strings.Fields(keys)
	if len(words) == 0 {
		return errors.New("the keys are missing")
	}
	for _, w := range words {
		if !keyValue.MatchString(w) {
			return fmt.Errorf("%q is not KEY=VALUE, a part of a benchmark's name", w)
		}
	}
	v.Keys = strings.Join(words, "/")
	for _, other := range b.study.Variants {
		if other.Keys == v.Keys {
			return fmt.Errorf("%s stands already at %s", v.Keys, other.Pos)
		}
	}
	remainder, v.Hint, _ = strings.Cut(" "+remainder, " # ")
	v.Hint = strings.TrimSpace(v.Hint)
	for _, w := range strings.Fields(remainder) {
		if preset, ok := strings.CutPrefix(w, "preset:"); ok {
			v.Preset = preset
		} else if assignment.MatchString(w) {
			v.Env = append(v.Env, w)
		} else {
			v.Args = append(v.Args, w)
		}
	}
	b.study.Variants = append(b.study.Variants, v)
	return nil
}

// program reads "CASE: FOLDER ARGUMENT ...".
func (b *builder) program(d Directive) error {
	name, remainder, ok := strings.Cut(d.Text, ": ")
	words := strings.Fields(remainder)
	switch {
	case !ok:
		return errors.New(`": " is missing after the case`)
	case name == "" || strings.ContainsAny(name, " \t"):
		return fmt.Errorf("%q is not the name of a case", name)
	case len(words) == 0:
		return errors.New("the program's folder is missing")
	case path.IsAbs(words[0]) || strings.HasPrefix(path.Clean(words[0]), ".."):
		return fmt.Errorf("%s is not below the study's folder", words[0])
	}
	for _, other := range b.study.Programs {
		if other.Case == name {
			return fmt.Errorf("the case %s stands already at %s", name, other.Pos)
		}
	}
	b.study.Programs = append(b.study.Programs, Program{Case: name, Dir: path.Clean(words[0]), Args: words[1:],
		Pos: d.Pos})
	return nil
}
