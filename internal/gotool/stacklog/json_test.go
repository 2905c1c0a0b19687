package stacklog

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// A Log in JSON: its names are part of docs/stack.md.
func TestJSON(t *testing.T) {
	text, err := json.Marshal(readText(t, growth, Options{}))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), `"event":"grow","from":2048,"to":4096,"times":1,"bytes_copied":1136`) {
		t.Errorf("got %s", text)
	}
	page, err := os.ReadFile("../../../docs/stack.md")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	documented(t, string(page), all)
}

func documented(t *testing.T, page string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if !strings.Contains(page, "`"+k+"`") {
				t.Errorf("docs/stack.md does not name %s", k)
			}
			documented(t, page, x)
		}
	case []any:
		for _, x := range v {
			documented(t, page, x)
		}
	}
}
