package language

import (
	"errors"
	"fmt"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"memcost/internal/base/hint"
)

// A Show holds what is shown of a study, as its study.toml has it (memcost.toml in a
// user's package): the question, which claims answer it, the names of the sides of
// ratios, tables, pictures, and the sets of columns that several of them share. It is
// stored in a run folder unchanged; Parse makes tables and pictures of it.
type Show struct {
	Ask     string   `toml:"ask" json:"ask,omitempty"`
	Command string   `toml:"command" json:"command,omitempty"`
	Answer  []string `toml:"answer" json:"answer,omitempty"`
	// Names holds what sides of ratios are called in sentences, by the terms of their
	// selectors: "from:arena" = "an arena".
	Names map[string]string `toml:"names" json:"names,omitempty"`
	// Sets are columns that tables and pictures have in common, each
	// "HEADER = SELECTOR".
	Sets     map[string][]string `toml:"sets" json:"sets,omitempty"`
	Tables   []View              `toml:"table" json:"tables,omitempty"`
	Pictures []View              `toml:"picture" json:"pictures,omitempty"`
	Vary     Vary                `toml:"vary" json:"vary,omitzero"`
	Latency  Latency             `toml:"latency" json:"latency,omitzero"`
	Front

	File  string         `toml:"-" json:"file,omitempty"` // its path; "" when there is none
	lines map[string]int // line numbers of its parts: see place
}

// A View is a table or a picture of a Show.
type View struct {
	Title string `toml:"title" json:"title"`
	By    string `toml:"by" json:"by"`
	// Of is the benchmark that all columns are of which do not name one themselves.
	Of string `toml:"of" json:"of,omitempty"`
	// Unit is that of all columns which do not have one themselves; "" is sec/op.
	Unit string `toml:"unit" json:"unit,omitempty"`
	// Each names sets whose columns come first, of the cases that Cases selects besides:
	// SELECTOR, or SELECTOR / SELECTOR for a ratio.
	Each    []string `toml:"each" json:"each,omitempty"`
	Cases   string   `toml:"cases" json:"cases,omitempty"`
	Columns []string `toml:"columns" json:"columns,omitempty"` // HEADER = COLUMN
	// Floor is the last column, what the others cannot go below. A table has no row for
	// a figure of its alone; a picture draws it as the roofline.
	Floor string `toml:"floor" json:"floor,omitempty"`
	// Repeat names a set: there is a view for each of its columns, whose header replaces
	// {} in the title, and whose selector is added to that of every column.
	Repeat string `toml:"repeat" json:"repeat,omitempty"`

	// Of pictures.
	Kind    string   `toml:"kind" json:"kind,omitempty"`
	Against []string `toml:"against" json:"against,omitempty"` // claims whose bounds are drawn

	Line int `toml:"-" json:"line,omitempty"`
}

// Vary describes the settings of a C++ program that //memcost:vary lists.
type Vary struct {
	// Published are the settings that someone published, by their keys
	// ("allocator=glibc/setting=default"): the others are the study's own.
	Published []string `toml:"published" json:"published,omitempty"`
	// Replaces names the sets whose columns are replaced by the user's own settings: see
	// WithVariants.
	Replaces []string `toml:"replaces" json:"replaces,omitempty"`
}

// A naming is the name of a side of a ratio whose selector has these terms.
type naming struct {
	terms []string
	words string
}

// Latency describes the search for the slowest calls of malloc and free.
type Latency struct {
	// Sizes are the block sizes, with the number of operations in the quick and in the
	// full profile.
	Sizes []LatencySize `toml:"sizes" json:"sizes,omitempty"`
	// Skip are the settings that the quick profile leaves out.
	Skip []string `toml:"skip" json:"skip,omitempty"`
}

// A LatencySize is a block size in bytes and how many operations each profile does of it.
type LatencySize struct {
	Bytes int `toml:"bytes" json:"bytes"`
	Quick int `toml:"quick" json:"quick"`
	Full  int `toml:"full" json:"full"`
}

// place returns the key of an element of a list.
func place(list string, i int) string { return list + "." + strconv.Itoa(i) }

// ordinals are the first numbers in words.
var ordinals = strings.Fields("first second third fourth fifth sixth seventh eighth ninth tenth")

// spoken returns the name of a part in words: "by of the first [[table]]" of "table.0.by",
// "the second of columns of the first [[table]]" of "table.0.columns.1".
func spoken(part string) string {
	words := strings.Split(part, ".")
	if words[0] == "names" { // a selector may have dots of its own
		return part
	}
	nth := func(at int) string {
		if i, err := strconv.Atoi(words[at]); err == nil && i < len(ordinals) {
			return "the " + ordinals[i]
		} else if err == nil {
			return "number " + strconv.Itoa(i+1)
		}
		return ""
	}
	if words[0] == "sets" && len(words) > 2 && nth(len(words)-1) != "" {
		return nth(len(words)-1) + " of " + strings.Join(words[:len(words)-1], ".")
	}
	lists := []string{"table", "picture", "advise", "axis", "article"}
	if !slices.Contains(lists, words[0]) || len(words) < 2 || nth(1) == "" {
		return part
	}
	out := nth(1) + " [[" + words[0] + "]]"
	if strings.HasPrefix(out, "number") {
		out = "[[" + words[0] + "]] " + nth(1)
	}
	if len(words) > 2 {
		out = words[2] + " of " + out
	}
	if len(words) > 3 {
		out = nth(3) + " of " + out
	}
	return out
}

// pos returns the line of a part of the file, or of the part that contains it where the
// part itself is not found.
func (s *Show) pos(part string) Pos {
	for {
		if line, ok := s.lines[part]; ok {
			return Pos{s.File, line}
		}
		i := strings.LastIndexByte(part, '.')
		if i < 0 {
			return Pos{s.File, s.lineOf(part)}
		}
		if line := s.lineOf(part); line > 0 {
			return Pos{s.File, line}
		}
		part = part[:i]
	}
}

// lineOf returns the line that a run folder stored for a view.
func (s *Show) lineOf(part string) int {
	list, index, _ := strings.Cut(part, ".")
	views := map[string][]View{"table": s.Tables, "picture": s.Pictures}[list]
	if i, err := strconv.Atoi(index); err == nil && i < len(views) {
		return views[i].Line
	}
	return 0
}

// ShowFiles lists the names of the file with what is shown: of a shipped study, and of a
// user's package.
var ShowFiles = [...]string{"study.toml", "memcost.toml"}

// ReadShow reads a study.toml. The error joins one *SyntaxError for each mistake in the
// TOML and each unknown key; the contents of columns and claims are checked by Parse.
func ReadShow(file string, src []byte) (*Show, error) {
	s := &Show{File: file, lines: lines(src)}
	dec := toml.NewDecoder(strings.NewReader(string(src)))
	dec.DisallowUnknownFields()
	err := dec.Decode(s)
	var strict *toml.StrictMissingError
	var wrong *toml.DecodeError
	switch {
	case errors.As(err, &strict):
		var errs []error
		for i := range strict.Errors {
			errs = append(errs, unknownKey(file, &strict.Errors[i]))
		}
		return s, errors.Join(errs...)
	case errors.As(err, &wrong):
		row, _ := wrong.Position()
		return s, tomlError(file, row, wrong.Key(), wrong.Error())
	case err != nil:
		return s, tomlError(file, 1, nil, err.Error())
	}
	for i := range s.Tables {
		s.Tables[i].Line = s.lines[place("table", i)]
	}
	for i := range s.Pictures {
		s.Pictures[i].Line = s.lines[place("picture", i)]
	}
	return s, nil
}

// valueForms are the right forms of keys whose values are easily mistaken.
var valueForms = map[string]string{
	"ask": `ask = "What does it cost?"`, "command": `command = "memcost limits"`, "answer": `answer = ["C4"]`,
	"names": `"place:heap" = "the heap"`, "sets": `places = ["heap = place:heap", "stack = place:stack"]`,
	"each": `each = ["SET"]`, "columns": `columns = ["HEADER = COLUMN"]`, "against": `against = ["C4"]`,
	"table": "[[table]]", "picture": "[[picture]]", "published": `published = ["allocator=glibc/setting=default"]`,
	"replaces": `replaces = ["SET"]`, "sizes": "sizes = [{ bytes = 64, quick = 1000, full = 10_000 }]",
	"skip": `skip = ["hugetlb"]`, "say": `C4.holds = "SENTENCE"`, "advise": "[[advise]]", "axis": "[[axis]]",
	"article": "[[article]]",
}

// tomlError reports what is no TOML, or a value that its key cannot have.
func tomlError(file string, line int, key toml.Key, msg string) error {
	e := &SyntaxError{Pos: Pos{file, line}, Directive: "TOML", Msg: typeWords(strings.TrimPrefix(msg, "toml: ")),
		Form: `KEY = "VALUE", as in docs/format.md`}
	for _, k := range key {
		if form, ok := valueForms[k]; ok {
			e.Form = form
		}
	}
	if len(key) > 0 {
		e.Directive = strings.Join(key, ".")
	}
	return e
}

// mismatch is what the decoder says of a value of another type than its key's.
var mismatch = regexp.MustCompile(
	`^cannot (?:decode TOML|store an?) (.+?) (?:into|in an?) (?:struct field \S+ of type )?(\S+)$`)

// tomlTypes are the types of values, and of keys, in words.
var tomlTypes = map[string]string{
	"string": "a text", "integer": "a whole number", "int": "a whole number",
	"float": "a number with a fraction", "boolean": "true or false", "bool": "true or false", "array": "a list",
	"slice": "a list", "[]string": "a list of texts", "table": "a table", "inline table": "a table",
	"struct": "a table", "array table": "a list of tables", "datetime": "a time", "local datetime": "a time",
	"local date": "a date", "local time": "a time",
}

// tomlType returns a type in words: beside those of tomlTypes there are Go's own for tables and for
// lists of them.
func tomlType(name string) string {
	switch {
	case tomlTypes[name] != "":
		return tomlTypes[name]
	case strings.HasPrefix(name, "[]"):
		return "a list of tables"
	}
	return "a table"
}

// typeWords says what is wrong with the type of a value in the words of TOML, not in those
// of Go; any other message stays as it is.
func typeWords(msg string) string {
	m := mismatch.FindStringSubmatch(msg)
	if m == nil {
		return msg
	}
	return fmt.Sprintf("it must be %s, not %s", tomlType(m[2]), tomlType(m[1]))
}

// ofShipped are the keys that only a shipped study has a use for.
var ofShipped = []string{"command", "vary", "latency"}

// unknownKey reports a key that is none, with the nearest one that is.
func unknownKey(file string, e *toml.DecodeError) error {
	row, _ := e.Position()
	keys := e.Key()
	key := ""
	var known []string
	if last := len(keys) - 1; last >= 0 {
		key, known = keys[last], knownKeys(reflect.TypeFor[Show](), keys[:last])
	}
	if len(keys) == 1 && path.Base(file) == ShowFiles[1] {
		known = slices.DeleteFunc(known, func(k string) bool { return slices.Contains(ofShipped, k) })
	}
	form := "one of " + strings.Join(known, ", ")
	if len(keys) > 1 && keys[0] == "latency" { // the key does not identify an element of sizes
		form = valueForms["sizes"]
		known = append(known, knownKeys(reflect.TypeFor[LatencySize](), nil)...)
	}
	return &SyntaxError{Pos: Pos{file, row}, Directive: strings.Join(keys, "."),
		Msg: fmt.Sprintf("there is no key %q%s", key, hint.Question(key, known)), Form: form}
}

// knownKeys returns the keys that a part of the file may have.
func knownKeys(t reflect.Type, path []string) (out []string) {
	for t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range reflect.VisibleFields(t) {
		key := f.Tag.Get("toml")
		if len(path) > 0 && key == path[0] {
			return knownKeys(f.Type, path[1:])
		}
		if key != "" && key != "-" {
			out = append(out, key)
		}
	}
	if len(path) > 0 {
		return nil
	}
	return out
}

// lines returns the line numbers of the parts of a TOML file: "names.from:heap",
// "table.3", "table.3.columns.1". Of a file with mistakes it holds the parts before the
// first one.
func lines(src []byte) map[string]int {
	out := map[string]int{}
	count := map[string]int{}
	p := &unstable.Parser{}
	p.Reset(src)
	l := &lineCount{src: string(src), line: 1}
	table := ""
	for p.NextExpression() {
		e := p.Expression()
		key, line := keyOf(l, e)
		switch e.Kind {
		case unstable.Table:
			table = key
			out[key] = line
		case unstable.ArrayTable:
			table = place(key, count[key])
			count[key]++
			out[table] = line
		case unstable.KeyValue:
			if table != "" {
				key = table + "." + key
			}
			out[key] = line
			if v := e.Value(); v.Kind == unstable.Array {
				elements(l, v, key, out)
			}
		}
	}
	return out
}

// A lineCount counts the lines of a file up to parts that follow one another. The parser counts from the
// start for each.
type lineCount struct {
	src      string
	at, line int
}

// of returns the line of a part.
func (l *lineCount) of(n *unstable.Node) int {
	to := int(n.Raw.Offset)
	if to < l.at {
		l.at, l.line = 0, 1
	}
	l.line += strings.Count(l.src[l.at:to], "\n")
	l.at = to
	return l.line
}

// keyOf returns the key of an expression, and its line.
func keyOf(l *lineCount, e *unstable.Node) (key string, line int) {
	var parts []string
	for it := e.Key(); it.Next(); {
		n := it.Node()
		parts = append(parts, string(n.Data))
		line = l.of(n)
	}
	return strings.Join(parts, "."), line
}

// elements notes the lines of the strings of a list.
func elements(l *lineCount, list *unstable.Node, key string, out map[string]int) {
	i := 0
	for it := list.Children(); it.Next(); {
		if n := it.Node(); n.Kind == unstable.String {
			out[place(key, i)] = l.of(n)
		}
		i++
	}
}
