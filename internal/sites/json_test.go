package sites

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"memcost/internal/testkit"
)

// The JSON of a report is what it was, and nothing is lost in it.
func TestJSON(t *testing.T) {
	r := fixture()
	r.Sites[9].Costs[0].Share.Value = 0 // JSON has no NaN
	text, err := json.MarshalIndent(r.Versioned(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	testkit.Golden(t, "testdata/report.json", string(text)+"\n")
	var again Report
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	for i := range again.Sites { // what JSON does not have
		again.Sites[i].Path = r.Sites[i].Path
	}
	again.Packages[0].Dir = r.Packages[0].Dir
	if !reflect.DeepEqual(&again, r) {
		t.Errorf("what is read back differs: %+v", again)
	}
}

// Lists are never null.
func TestJSONHasNoNull(t *testing.T) {
	for _, r := range []*Report{{}, static(), {Sites: []Site{{}}, Packages: []Package{{}}}} {
		text, err := json.Marshal(r.Versioned())
		if err != nil {
			t.Fatal(err)
		}
		for _, list := range []string{"sites", "packages", "benchmarks", "warnings", "costs", "flow", "unmatched", "partial"} {
			if strings.Contains(string(text), `"`+list+`":null`) {
				t.Errorf("%s is null", list)
			}
		}
	}
}

// Each field of the JSON stands in its section of docs/format.md.
func TestJSONIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/format.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(page), "\n## The report of `memcost why`")
	if !ok {
		t.Fatal("docs/format.md has no section on the report of memcost why")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	section = strings.ReplaceAll(section, "[]`", "`")
	keys := fieldsOf(reflect.TypeFor[Versioned](), nil)
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
