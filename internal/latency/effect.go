package latency

import (
	"encoding/json"
	"fmt"

	"memcost/internal/catalog"
)

// WithoutEffect returns which setting has none, by what malloc_bench --check printed.
func WithoutEffect(v catalog.Variant, stdout []byte) (string, error) {
	var x struct {
		Checks []struct{ Name, Value, Status, Detail string } `json:"checks"`
	}
	if err := json.Unmarshal(stdout, &x); err != nil {
		return "", fmt.Errorf("reading what malloc_bench --check says of %s: %w", v.Keys, err)
	}
	for _, c := range x.Checks {
		if c.Status == "no effect" {
			return fmt.Sprintf("%s=%s did not take effect: %s", c.Name, c.Value, c.Detail), nil
		}
	}
	return "a setting did not take effect (malloc_bench --check)", nil
}
