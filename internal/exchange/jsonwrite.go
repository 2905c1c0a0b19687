package exchange

import (
	"bufio"
	"encoding/json"
	"slices"
	"strings"
)

// An object is JSON with its keys in the order in which they were added.
type object struct {
	keys, fields []string
	err          error
}

func (o *object) has(key string) bool { return slices.Contains(o.keys, key) }

func (o *object) add(key string, v any) {
	k, err := encode(key)
	if err != nil && o.err == nil {
		o.err = err
	}
	text, err := encode(v)
	if err != nil && o.err == nil {
		o.err = err
	}
	o.keys = append(o.keys, key)
	o.fields = append(o.fields, k+": "+text)
}

func (o *object) write(w *bufio.Writer, indent string) error {
	if o.err != nil {
		return o.err
	}
	inner := "\n" + indent + "  "
	_, err := w.WriteString("{" + inner + strings.Join(o.fields, ","+inner) + "\n" + indent + "}")
	return err
}

// encode returns v as JSON on one line, with < and & unescaped, as they occur in names
// of C++.
func encode(v any) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// separator returns the text before item i of a list.
func separator(i int, first, others string) string {
	if i == 0 {
		return first
	}
	return others
}
