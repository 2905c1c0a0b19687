package whytext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"

	"memcost/internal/sites"
)

// Schema is the version of the JSON. It rises when a field is removed or changes its meaning.
const Schema = 1

// JSON writes a report as it is, in base units, after the version of its form. Numbers that
// are not finite are null, for JSON has none; a list is [] where it is empty.
func JSON(w io.Writer, r *sites.Report) error {
	all := struct {
		Schema int `json:"schema"`
		sites.Report
	}{Schema, *r}
	var b bytes.Buffer
	if err := put(&b, reflect.ValueOf(all)); err != nil {
		return fmt.Errorf("writing the report as JSON: %w", err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, b.Bytes(), "", "  "); err != nil {
		return fmt.Errorf("writing the report as JSON: %w", err)
	}
	out.WriteByte('\n')
	_, err := w.Write(out.Bytes())
	return err
}

// put writes a value as encoding/json does, but for numbers that are not finite and lists
// that are nil, on which that fails or writes null.
func put(b *bytes.Buffer, v reflect.Value) error {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			b.WriteString("null")
			return nil
		}
		return put(b, v.Elem())
	case reflect.Struct:
		b.WriteByte('{')
		if err := putFields(b, v, new(bool)); err != nil {
			return err
		}
		b.WriteByte('}')
		return nil
	case reflect.Slice:
		return putList(b, v)
	case reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			b.WriteString("null")
			return nil
		}
	}
	text, err := json.Marshal(v.Interface())
	b.Write(text)
	return err
}

func putList(b *bytes.Buffer, v reflect.Value) error {
	b.WriteByte('[')
	for i := range v.Len() {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := put(b, v.Index(i)); err != nil {
			return err
		}
	}
	b.WriteByte(']')
	return nil
}

// putFields writes the fields of a struct, those of embedded structs among them. more says
// whether a field stands before.
func putFields(b *bytes.Buffer, v reflect.Value, more *bool) error {
	for i := range v.NumField() {
		field, value := v.Type().Field(i), v.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "":
			if err := putFields(b, value, more); err != nil {
				return err
			}
			continue
		case name == "-", options == "omitempty" && value.IsZero(), name == "":
			continue
		}
		if *more {
			b.WriteByte(',')
		}
		*more = true
		fmt.Fprintf(b, "%q:", name)
		if err := put(b, value); err != nil {
			return err
		}
	}
	return nil
}
