package language

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

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
	filter func() *benchproc.Filter // compiled when it is first asked for; nil matches nothing
	plain  *Name                    // nil where the text begins with no name
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
	m, err := s.filter().Match(res)
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
	for x, ok := l.item(); ok; x, ok = l.item() {
		if x.key != "" {
			keys = append(keys, strings.TrimPrefix(strings.Trim(x.key, `"`), "/"))
		}
	}
	return keys
}

// An item is a part of a filter: a key with its value, or else an operator, a bracket, AND or OR.
type item struct {
	key, value string // as written
	colon      bool   // stands behind the key, as in every valid filter
	op         string
	start, end int
}

// item reads the next one. It is not ok at the end.
func (l *lexer) item() (x item, ok bool) {
	t := l.next(false)
	x.start = t.start
	if x.key = l.text(t); t.kind != 'w' && t.kind != 'q' || isBoolean(x.key) {
		x.key, x.op = "", x.key
	} else if x.colon = l.peek(false).kind == ':'; x.colon {
		l.next(false)
		x.value = l.value()
	}
	x.end = l.pos
	return x, t.kind != 0
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
	// Most commands match with few of the selectors that all studies have. What lift makes of a valid filter
	// is one, which a test holds it to.
	filter := sync.OnceValue(func() *benchproc.Filter {
		f, err := benchproc.NewFilter(query)
		if err != nil {
			panic(fmt.Sprintf("the selector %q became %q: %v", text, query, err))
		}
		return f
	})
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
	for x, ok := l.item(); ok; x, ok = l.item() {
		if x.key == "" {
			out.WriteString(x.op + " ")
			continue
		}
		key, value := x.key, x.value
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
	return out.String(), named, nil
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
		x, ok := l.item()
		switch x.op {
		case "(":
			depth++
		case ")":
			depth--
		case "-", "*", "AND", "OR":
		default: // a key, or a stray ":", "," or "@"
			ok = ok && x.colon && x.key != "#" && x.key != "/" && x.key != "|"
		}
		if !ok || depth < 0 {
			l.pos = end
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

// A KeyValue is one key=value part of a benchmark's name.
type KeyValue struct{ Key, Value string }

// KeyValues are a name's keys in the order of the name.
type KeyValues []KeyValue

// Keys returns the key=value parts of a benchmark's name; the "-N" at its end counts
// as gomaxprocs, last, and replaces a /gomaxprocs= in the name, as in benchproc.
// Parts without "=" have no key and are left out.
func Keys(name benchfmt.Name) KeyValues {
	_, parts := name.Parts()
	kvs := make(KeyValues, 0, len(parts))
	for _, p := range parts {
		if n, ok := strings.CutPrefix(string(p), "-"); ok {
			kvs = append(kvs.without("gomaxprocs"), KeyValue{"gomaxprocs", n})
			continue
		}
		if k, v, ok := strings.Cut(string(p[1:]), "="); ok {
			kvs = append(kvs, KeyValue{k, v})
		}
	}
	return kvs
}

// Get returns a key's value, the first where a name repeats it. Its type is that of
// Cond.Range's argument.
func (kvs KeyValues) Get(key string) (string, bool) {
	for _, kv := range kvs {
		if kv.Key == key {
			return kv.Value, true
		}
	}
	return "", false
}

func (kvs KeyValues) without(key string) KeyValues {
	kept := kvs[:0]
	for _, kv := range kvs {
		if kv.Key != key {
			kept = append(kept, kv)
		}
	}
	return kept
}

// terms returns the parts of a selector between the spaces of its outermost level, all
// of which a case must match; the benchmark it is scoped to is one. A selector with an
// OR on that level is a single term.
func (s Selector) terms() []string {
	if s.plain != nil {
		_, more, _ := strings.Cut(s.text, " ")
		return append(s.plain.Terms(), splitTerms(more)...)
	}
	out := splitTerms(s.text)
	if s.Scope != "" {
		out = append([]string{".name:" + s.Scope}, out...)
	}
	return out
}

func splitTerms(text string) []string {
	var out []string
	l := &lexer{s: text}
	depth, start := 0, -1
	for x, ok := l.item(); ok; x, ok = l.item() {
		switch {
		case depth == 0 && x.op == "OR":
			return []string{strings.TrimSpace(text)}
		case depth == 0 && x.op == "AND":
			continue
		case start < 0:
			start = x.start
		}
		switch x.op {
		case "(":
			depth++
		case ")":
			depth--
		case "-":
			continue // belongs to what it negates
		}
		if depth <= 0 {
			out = append(out, text[start:x.end])
			start = -1
		}
	}
	return out
}

// both returns a selector of the cases that two selectors choose.
func both(a, b string) string {
	switch {
	case a == "" || a == "*":
		return b
	case b == "" || b == "*":
		return a
	}
	return grouped(a) + " " + grouped(b)
}

// grouped puts parentheses around a selector whose parts must stay together.
func grouped(text string) string {
	if terms := splitTerms(text); len(terms) == 1 && terms[0] == text && strings.Contains(text, " OR ") &&
		text[0] != '(' {
		return "(" + text + ")"
	}
	return text
}

// Sides returns the names of the two sides of a ratio in a sentence: those the study
// gives them; else the values in which they differ, "heap" and "stack".
func (s *Study) Sides(num, den Selector) (a, b string) {
	left, right := num.terms(), den.terms()
	return s.side(left, right), s.side(right, left)
}

// side returns the name of one side: of all names that match it and have a term that the
// other side does not have, the one with the most terms.
func (s *Study) side(terms, other []string) string {
	own := without(terms, other)
	best := naming{}
	for _, n := range s.names {
		if len(without(n.terms, terms)) == 0 && len(without(n.terms, own)) < len(n.terms) &&
			len(n.terms) > len(best.terms) {
			best = n
		}
	}
	if best.words != "" {
		return best.words
	}
	if len(own) == 0 {
		own = terms
	}
	var words []string
	for _, t := range own {
		_, value, found := strings.Cut(t, ":")
		words = append(words, strings.Trim(cmp.Or(value, t), `"`))
		if found && strings.HasPrefix(t, "-") {
			words[len(words)-1] = "not " + words[len(words)-1]
		}
	}
	return strings.Join(words, " ")
}

// without returns the elements of a that b does not have.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(x string) bool { return slices.Contains(b, x) })
}
