package language

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/perf/benchfmt"
)

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
