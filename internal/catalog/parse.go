package catalog

import (
	"errors"
	"fmt"
	goversion "go/version"
	"strings"
)

// verbs are the directives, with their right forms.
var verbs = []struct {
	name, form string
	parse      func(*builder, Directive) error
}{
	{"question", "//memcost:question TEXT", (*builder).question},
	{"go", "//memcost:go OLDEST, such as //memcost:go 1.18", (*builder).oldestGo},
	{"command", "//memcost:command memcost limits", (*builder).command},
	{"floor", "//memcost:floor in the doc comment of the benchmark that is the empty loop", (*builder).floor},
	{"full", "//memcost:full SELECTOR [# prose]", (*builder).full},
	{"build", "//memcost:build NAME=VALUE ..., such as //memcost:build GOEXPERIMENT=arenas", (*builder).build},
	{"sample", "//memcost:sample TIME, such as //memcost:sample 20ms", (*builder).sample},
	{"program", "//memcost:program CASE: FOLDER ARGUMENT ..., with {trace} or {cpuprofile} for a file that it writes", (*builder).program},
	{"vary", varyForm, (*builder).vary},
	{"expect", "//memcost:expect SELECTOR UNIT OP BOUND or //memcost:expect SELECTOR stays-on-stack FUNC, with [# prose] at the end", (*builder).expect},
	{"explain", "//memcost:explain SELECTOR in FUNC[, FUNC], with {key} for the value of a name's key", (*builder).explain},
	{"claim", "//memcost:claim ID EXPR [# prose]", (*builder).claim},
	{"table", "//memcost:table TITLE by KEY: HEADER = COLUMN | HEADER = COLUMN", (*builder).table},
	{"picture", "//memcost:picture curve|forest|dots|steps TITLE by KEY: HEADER = COLUMN | HEADER = COLUMN [against CLAIM, CLAIM]", (*builder).picture},
}

// Parse understands directives, such as those a run folder stored, without the source
// they come from; the Study then has no Benchmarks and no Doc. The error joins one
// *SyntaxError for each directive that is wrong, and the Study holds the others.
func Parse(study string, ds []Directive) (*Study, error) {
	b := &builder{study: &Study{Name: study, Directives: ds}, ids: map[string]Pos{}}
	var errs []error
	for _, d := range ds {
		if err := b.parse(d); err != nil {
			errs = append(errs, err)
		}
	}
	return b.study, errors.Join(append(errs, b.knownClaims()...)...)
}

// builder fills a study. once remembers where a directive stood that may stand once.
type builder struct {
	study     *Study
	ids       map[string]Pos
	questions []Pos
	versions  []Pos
	commands  []Pos
	samples   []Pos
	builds    []Pos
	floors    []Pos
}

func (b *builder) parse(d Directive) error {
	for _, v := range verbs {
		if v.name != d.Verb {
			continue
		}
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
	return unknownVerb(d)
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
	msg := fmt.Sprintf("there is no directive %q", d.Verb)
	if near := Nearest(d.Verb, names); near != "" {
		msg += fmt.Sprintf(": did you mean %s?", near)
	}
	return syntaxError(d, msg, form)
}

func syntaxError(d Directive, msg, form string) *SyntaxError {
	return &SyntaxError{Pos: d.Pos, Directive: d.String(), Msg: msg, Form: form}
}

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

// onlyOnce keeps the first of a directive that a study has once.
func onlyOnce(seen *[]Pos, d Directive) error {
	*seen = append(*seen, d.Pos)
	if len(*seen) > 1 {
		return fmt.Errorf("a study has one %s, and there is one at %s", prefix+d.Verb, (*seen)[0])
	}
	return nil
}

func (b *builder) question(d Directive) error {
	switch {
	case d.Text == "":
		return errors.New("the question is missing")
	case d.Scope != "":
		return errors.New("the question is the study's: it belongs in the package comment, not in a benchmark's")
	}
	if err := onlyOnce(&b.questions, d); err != nil {
		return err
	}
	b.study.Question = d.Text
	return nil
}

func (b *builder) oldestGo(d Directive) error {
	if !goversion.IsValid("go" + d.Text) {
		return fmt.Errorf("%q is not a Go version", d.Text)
	}
	if err := onlyOnce(&b.versions, d); err != nil {
		return err
	}
	b.study.OldestGo = d.Text
	return nil
}

// command reads what finds the figures of a study that has no benchmarks.
func (b *builder) command(d Directive) error {
	switch {
	case d.Text == "":
		return errors.New("the command is missing")
	case d.Scope != "":
		return errors.New("the command is the study's: it belongs in the package comment, not in a benchmark's")
	}
	if err := onlyOnce(&b.commands, d); err != nil {
		return err
	}
	b.study.Command = d.Text
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

func (b *builder) floor(d Directive) error {
	switch {
	case d.Text != "" && !strings.HasPrefix(d.Text, "#"):
		return fmt.Errorf("unexpected %q after the verb", d.Text)
	case d.Scope == "":
		return errors.New("it does not stand in the doc comment of a benchmark")
	}
	if err := onlyOnce(&b.floors, d); err != nil {
		return err
	}
	b.study.Floor = d.Scope
	return nil
}
