package language

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchproc"
)

// A Selector chooses cases by a filter of golang.org/x/perf/benchproc. The keys of a
// benchmark's name may be written bare: "place:stack" matches place=stack in the name;
// only where the name has no such key, the configuration's (toolchain, goos) counts. In a
// directive the name of a benchmark may stand before it, or in its place: "Old/small".
//
// The zero Selector matches nothing.
type Selector struct {
	// Scope is the benchmark whose results alone are matched, or "". It is empty when
	// the text names a benchmark itself, by .name: or .fullname:.
	Scope  string
	text   string
	filter *benchproc.Filter
	plain  *Name // nil where the text begins with no name
}

// Plain returns the name of a benchmark that the selector begins with; nil if there is none.
func (s Selector) Plain() *Name { return s.plain }

// String returns the selector as written, without the scope.
func (s Selector) String() string { return s.text }

// IsZero reports whether there is no selector at all, as in a Column without Den.
func (s Selector) IsZero() bool { return s.filter == nil }

// Match reports whether the selector chooses res. It costs well under a microsecond
// and keeps nothing, but benchfmt indexes res on first use: two goroutines must not
// match one result.
func (s Selector) Match(res *benchfmt.Result) bool {
	if s.filter == nil || s.plain != nil && !s.plain.Match(res.Name) {
		return false
	}
	m, err := s.filter.Match(res)
	return err == nil && m.Any()
}

// Keys returns the keys that the selector asks for as written, in order: "place" of
// place:stack, ".name" of .name:Smaug.
func (s Selector) Keys() []string {
	var keys []string
	l := &lexer{s: s.text}
	if s.plain != nil {
		l.word()
		keys = s.plain.Keys()
	}
	for {
		t := l.next(false)
		switch {
		case t.kind == 0:
			return keys
		case (t.kind == 'w' || t.kind == 'q') && !isBoolean(l.text(t)):
			keys = append(keys, strings.TrimPrefix(strings.Trim(l.text(t), `"`), "/"))
			l.next(false) // the colon
			l.value()
		}
	}
}

// newSelector compiles a filter. Looking up bare keys in a changed copy of each result
// would cost an allocation and an index per match; instead the filter is rewritten once,
// see lift.
func newSelector(text, scope string) (Selector, error) {
	text = strings.TrimSpace(text)
	// The text as written is compiled first: its error then quotes what the author
	// wrote.
	if _, err := benchproc.NewFilter(text); err != nil {
		return Selector{}, fmt.Errorf("selector %q: %s", text, filterMessage(err))
	}
	query, named, err := lift(text)
	if err != nil {
		return Selector{}, fmt.Errorf("selector %q: %w", text, err)
	}
	if named {
		scope = ""
	}
	if scope != "" {
		query = fmt.Sprintf(".name:%q (%s)", scope, query)
	}
	filter, err := benchproc.NewFilter(query)
	if err != nil {
		return Selector{}, fmt.Errorf("selector %q: %s", text, filterMessage(err))
	}
	return Selector{Scope: scope, text: text, filter: filter}, nil
}

// filterMessage returns the sentence of benchproc's error, without the query and the
// caret on lines of their own.
func filterMessage(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return strings.TrimPrefix(line, "syntax error: ")
}

// lift rewrites each bare key:value of a valid filter so that it falls back on the
// configuration where the name has no such key: key:v becomes ((-/key:"" /key:v) OR
// (/key:"" key:v)), for a key without a value reads as empty. It also reports whether
// the filter names a benchmark.
func lift(text string) (query string, named bool, err error) {
	var out strings.Builder
	l := &lexer{s: text}
	for {
		t := l.next(false)
		switch {
		case t.kind == 0:
			return out.String(), named, nil
		case t.kind != 'w' && t.kind != 'q' || isBoolean(l.text(t)):
			out.WriteString(l.text(t) + " ")
			continue
		}
		key := l.text(t)
		l.next(false) // the colon: the filter is known to be valid
		value := l.value()
		switch bare := strings.Trim(key, `"`); {
		case bare == ".unit":
			return "", false, errors.New("a selector chooses cases, and .unit: chooses among the figures of one; " +
				"the unit stands after the selector")
		case bare == ".name" || bare == ".fullname":
			named = true
			fallthrough
		case bare == "" || bare[0] == '.' || bare[0] == '/':
			fmt.Fprintf(&out, "%s:%s ", key, value)
		default:
			name := nameKey(key)
			if strings.Trim(value, `"`) != "" && !strings.ContainsAny(value, "(/*") {
				// The same, for a value that a missing key does not have: looking a key
				// up in the name costs allocations.
				fmt.Fprintf(&out, `(%s:%s OR (%s:%s %s:"")) `, name, value, key, value, name)
				continue
			}
			fmt.Fprintf(&out, `((-%s:"" %s:%s) OR (%s:"" %s:%s)) `, name, name, value, name, key, value)
		}
	}
}

// nameKey puts the slash of a name's key before a key that may be quoted.
func nameKey(key string) string {
	if key[0] == '"' {
		return `"/` + key[1:]
	}
	return "/" + key
}

func isBoolean(word string) bool { return word == "AND" || word == "OR" }

// value reads the text after a colon, including a list in parentheses, as written.
func (l *lexer) value() string {
	t := l.next(true)
	start := t.start
	for t.kind == '(' || t.kind != ')' && t.kind != 0 && l.s[start] == '(' {
		t = l.next(true)
	}
	return l.s[start:t.end]
}

// selector reads the longest run of text that is shaped like a filter: it ends before
// a word that no colon follows, which is a unit, an operator or a keyword.
func (l *lexer) selector() (text string) {
	l.skipSpace()
	start, end, depth := l.pos, l.pos, 0
	for {
		before := l.pos
		t := l.next(false)
		switch t.kind {
		case '(':
			depth++
		case ')':
			depth--
		case '-', '*':
		case 'w', 'q':
			if isBoolean(l.text(t)) {
				break
			}
			if w := l.text(t); w == "#" || w == "/" || w == "|" || l.peek(false).kind != ':' {
				l.pos = before
				return strings.TrimSpace(l.s[start:end])
			}
			l.next(false)
			l.value()
		default: // a stray ":", "," or "@", or the end
			l.pos = before
			return strings.TrimSpace(l.s[start:end])
		}
		if depth < 0 {
			l.pos = before
			return strings.TrimSpace(l.s[start:end])
		}
		end = l.pos
	}
}

// newSelector reads the next selector.
func (l *lexer) newSelector(scope string) (Selector, error) {
	if w := l.peekWord(); Is(w) {
		name := ParseName(l.word())
		more := l.selector()
		s, err := newSelector(cmp.Or(more, "*"), "")
		s.plain, s.text = &name, strings.TrimSpace(w+" "+more)
		return s, err
	}
	text := l.selector()
	if text == "" {
		switch w := l.peekWord(); {
		case strings.Contains(strings.Trim(w, "<>=!"), "="):
			return Selector{}, fmt.Errorf("%q is not a selector: a colon stands between key and value, as in "+
				"place:stack", w)
		case w != "" && w != "#":
			return Selector{}, fmt.Errorf("a selector must stand before %q, such as place:stack, BenchmarkOld, or * "+
				"for every case",
				w)
		}
		return Selector{}, errors.New("the selector is missing; it is written such as place:stack, or * for every case")
	}
	return newSelector(text, scope)
}
