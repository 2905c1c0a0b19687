package language

import (
	"errors"
	"fmt"
	"strings"

	"memcost/internal/base/hint"
)

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
	b := &builder{study: &Study{Name: study, Directives: ds, Show: show}, ids: map[string]Pos{}, legacy: show == nil}
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
	msg := fmt.Sprintf("there is no directive %q", d.Verb)
	if near := hint.Nearest(d.Verb, names); near != "" {
		msg += fmt.Sprintf(": did you mean %s?", near)
	}
	return syntaxError(d, msg, form)
}
