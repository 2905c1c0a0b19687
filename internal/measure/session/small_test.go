package session

import "testing"

func TestSeveral(t *testing.T) {
	for want, names := range map[string][]string{
		"a takes":              {"a"},
		"a and b take":         {"a", "b"},
		"a, b and c take":      {"a", "b", "c"},
		"a, b and 3 more take": {"a", "b", "c", "d", "e"},
		"a, b and 2 more take": {"a", "b", "c", "d"},
	} {
		if got := several(names, "takes", "take"); got != want {
			t.Errorf("%v: %q, want %q", names, got, want)
		}
	}
}
