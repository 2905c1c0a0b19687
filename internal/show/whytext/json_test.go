package whytext

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"memcost/internal/sites"
)

func TestJSONGolden(t *testing.T) {
	var b bytes.Buffer
	if err := JSON(&b, fixture()); err != nil {
		t.Fatal(err)
	}
	golden(t, "report.json", b.String())
	var again sites.Report
	if err := json.Unmarshal(b.Bytes(), &again); err != nil {
		t.Fatal(err)
	}
	want := fixture()
	for i := range again.Sites { // what JSON does not have
		again.Sites[i].Path = want.Sites[i].Path
	}
	again.Packages[0].Dir = want.Packages[0].Dir
	want.Sites[9].Costs[0].Share.Value = 0 // NaN is null
	if a, b := encoded(t, &again), encoded(t, want); a != b {
		t.Errorf("what is read back differs:\n%s\nwant\n%s", a, b)
	}
}

func encoded(t *testing.T, r *sites.Report) string {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "[]", "null")
}

// Numbers that are not finite are null, and lists are never null.
func TestJSONOfTroubledReports(t *testing.T) {
	r := fixture()
	r.Benchmarks[0].Objects, r.Benchmarks[0].Time.Lo = math.NaN(), math.Inf(-1)
	for _, r := range []*sites.Report{r, {}, static(), hostile(), many(500)} {
		var b bytes.Buffer
		if err := JSON(&b, r); err != nil || !json.Valid(b.Bytes()) {
			t.Fatalf("%v: %.300s", err, b.String())
		}
		var all map[string]any
		if err := json.Unmarshal(b.Bytes(), &all); err != nil {
			t.Fatal(err)
		}
		if all["schema"] != float64(Schema) || all["sites"] == nil {
			t.Errorf("schema %v, sites %v", all["schema"], all["sites"])
		}
	}
}

// Each field of the JSON stands in its section of docs/format.md.
func TestJSONIsDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "format.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(page), "\n## The report of `memcost why`")
	if !ok {
		t.Fatal("docs/format.md has no section on the report of memcost why")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	section = strings.ReplaceAll(section, "[]`", "`")
	keys := fieldsOf(reflect.TypeFor[sites.Report](), []string{"schema"})
	for _, key := range keys {
		if !strings.Contains(section, "`"+key+"`") {
			t.Errorf("docs/format.md does not name the field %q of the report", key)
		}
	}
	if len(keys) < 60 {
		t.Errorf("only %d fields are looked at: %q", len(keys), keys)
	}
}

// fieldsOf returns the JSON names of all fields of a type and of those in it, each once.
func fieldsOf(of reflect.Type, seen []string) []string {
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice:
		return fieldsOf(of.Elem(), seen)
	case reflect.Struct:
	default:
		return seen
	}
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if name != "" && !slices.Contains(seen, name) {
			seen = append(seen, name)
		}
		seen = fieldsOf(field.Type, seen)
	}
	return seen
}
