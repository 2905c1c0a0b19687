// Package printable makes the texts in a structure fit to be shown on a page.
package page

import (
	"reflect"

	"memcost/internal/show/text"
)

// Clean makes every text in v, a pointer, fit to be shown on a page.
func Clean(v any) { clean(reflect.ValueOf(v)) }

// clean makes every text in v, a pointer, fit to be shown: HTML is escaped by the
// template, but a control character or a change of the writing direction would
// still disturb what stands around it. Strings of types of their own (styles,
// scripts) are ours and stay.
func clean(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return
		}
		if inner := v.Elem(); v.Kind() == reflect.Interface && inner.Kind() != reflect.Pointer &&
			inner.Kind() != reflect.Slice {
			fresh := reflect.New(inner.Type()).Elem() // what an interface holds cannot be set in place
			fresh.Set(inner)
			clean(fresh)
			v.Set(fresh)
			return
		}
		clean(v.Elem())
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			clean(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				clean(v.Field(i))
			}
		}
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() && v.CanSet() {
			v.SetString(text.Clean(v.String()))
		}
	}
}
