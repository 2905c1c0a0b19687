package language

import (
	"errors"
	"fmt"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

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
	"float": "a number with a fraction", "boolean": "true or false", "array": "a list", "slice": "a list",
	"[]string": "a list of texts", "table": "a table", "inline table": "a table", "struct": "a table",
	"array table": "a list of tables", "[]catalog.View": "a list of tables",
	"[]catalog.LatencySize": "a list of tables", "map[string]string": "a table",
	"map[string][]string": "a table", "catalog.View": "a table", "catalog.Vary": "a table",
	"catalog.Latency": "a table", "[]saying.Advice": "a list of tables", "[]saying.Mean": "a list of tables",
	"[]saying.Article": "a list of tables", "catalog.LatencySize": "a table", "datetime": "a time",
	"local datetime": "a time", "local date": "a date", "local time": "a time",
}

// typeWords says what is wrong with the type of a value in the words of TOML, not in those
// of Go; any other message stays as it is.
func typeWords(msg string) string {
	m := mismatch.FindStringSubmatch(msg)
	if m == nil || tomlTypes[m[1]] == "" || tomlTypes[m[2]] == "" {
		return msg
	}
	return fmt.Sprintf("it must be %s, not %s", tomlTypes[m[2]], tomlTypes[m[1]])
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
		Msg: fmt.Sprintf("there is no key %q%s", key, meant(key, known)), Form: form}
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
	table := ""
	for p.NextExpression() {
		e := p.Expression()
		key, line := keyOf(p, e)
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
				elements(p, v, key, out)
			}
		}
	}
	return out
}

// keyOf returns the key of an expression, and its line.
func keyOf(p *unstable.Parser, e *unstable.Node) (key string, line int) {
	var parts []string
	for it := e.Key(); it.Next(); {
		n := it.Node()
		parts = append(parts, string(n.Data))
		line = p.Shape(n.Raw).Start.Line
	}
	return strings.Join(parts, "."), line
}

// elements notes the lines of the strings of a list.
func elements(p *unstable.Parser, list *unstable.Node, key string, out map[string]int) {
	i := 0
	for it := list.Children(); it.Next(); {
		if n := it.Node(); n.Kind == unstable.String {
			out[place(key, i)] = p.Shape(n.Raw).Start.Line
		}
		i++
	}
}
