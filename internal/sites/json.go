package sites

import "reflect"

// Schema is the version of the JSON. It rises when a field is removed or changes its meaning.
const Schema = 1

// A Versioned report is one as JSON has it: after the version of its form. No list in it is null.
type Versioned struct {
	Schema int `json:"schema"`
	*Report
}

// Versioned returns the report for JSON.
func (r *Report) Versioned() Versioned {
	fill(reflect.ValueOf(r))
	return Versioned{Schema, r}
}

// fill makes lists that are nil empty ones.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			fill(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("json") != "-" {
				fill(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.IsNil() {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		for i := range v.Len() {
			fill(v.Index(i))
		}
	}
}
