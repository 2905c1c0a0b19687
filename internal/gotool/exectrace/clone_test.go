package exectrace

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"testing"

	"golang.org/x/exp/trace"
)

// Fields that a clone need not have for itself, by their struct, with the reason.
var (
	sharedWithClone = map[string]string{
		"analysis.whole":  "what is finished does not change",
		"analysis.heap":   "to finish reads it",
		"analysis.goal":   "to finish reads it",
		"points.buckets":  "of heap and goal",
		"Options.Windows": "nobody writes to it",
	}
	notInClone = map[string]string{"procs.last": "it is looked up again"}
)

// references collects what is behind the pointers, slices and maps of a struct,
// by the field that they stand in.
type references struct {
	behind map[string]map[uintptr]bool // not nil: the field was seen
	fields map[string]bool             // all fields that hold a reference
}

func (r *references) walk(v reflect.Value, field string) {
	seen := func(at uintptr) bool {
		if r.behind[field] == nil {
			r.behind[field] = map[uintptr]bool{}
		}
		known := r.behind[field][at]
		r.behind[field][at] = true
		return known
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && !seen(v.Pointer()) {
			r.walk(v.Elem(), field)
		}
	case reflect.Slice:
		if v.Len() > 0 && !seen(v.Pointer()) {
			for i := range v.Len() {
				r.walk(v.Index(i), field)
			}
		}
	case reflect.Map:
		if v.Len() > 0 && !seen(v.Pointer()) {
			for it := v.MapRange(); it.Next(); {
				r.walk(it.Value(), field)
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			name := v.Type().Name() + "." + f.Name
			switch f.Type.Kind() {
			case reflect.Pointer, reflect.Slice, reflect.Map:
				r.fields[name] = true
			}
			if name == "analysis.whole" || name == "analysis.out" { // results
				continue
			}
			r.walk(v.Field(i), name)
		}
	}
}

func referencesOf(a *analysis) *references {
	r := &references{behind: map[string]map[uintptr]bool{}, fields: map[string]bool{}}
	r.walk(reflect.ValueOf(a), "")
	return r
}

// A clone has every field of the analysis, and shares none that either of them may
// change: a new field must be cloned, or named above with the reason.
func TestCloneHasEveryFieldForItself(t *testing.T) {
	seen := map[string]bool{}
	for name, every := range map[string]int{"go1.27.4": 101, "long-go1.27.4": 301, "go1.13.15": 17} {
		checkClones(t, captured(t)[name], every, seen)
	}
	for field, filled := range seen {
		if !filled {
			t.Errorf("the trace never filled %s, so that its clone is not tested", field)
		}
	}
}

// checkClones compares the analysis with its clone after every so many events of
// a trace. It notes which fields held something.
func checkClones(t *testing.T, text []byte, every int, seen map[string]bool) {
	t.Helper()
	reader, err := trace.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	a := newAnalysis(Options{}.withDefaults(), 26)
	for n := 0; ; n++ {
		e, err := reader.ReadEvent()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := a.event(&e); err != nil {
			t.Fatal(err)
		}
		if n%every != 0 {
			continue
		}
		own, clone := referencesOf(a), referencesOf(a.clone())
		for field, behind := range own.behind {
			seen[field] = true
			if len(clone.behind[field]) == 0 && notInClone[field] == "" {
				t.Fatalf("after %d events: the clone has no %s", n, field)
			}
			for at := range behind {
				if clone.behind[field][at] && sharedWithClone[field] == "" {
					t.Fatalf("after %d events: the clone and the analysis share %s", n, field)
				}
			}
		}
		for field := range own.fields {
			seen[field] = seen[field] || sharedWithClone[field] != ""
		}
	}
}
