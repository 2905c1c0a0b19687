package whypage

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"memcost/internal/sites"
)

// fixture returns the report that package whytext shows in its tests, with its source.
func fixture(t testing.TB) (*sites.Report, Options) {
	t.Helper()
	text, err := os.ReadFile("../whytext/testdata/report.json")
	if err != nil {
		t.Fatal(err)
	}
	r := &sites.Report{}
	if err := json.Unmarshal(text, r); err != nil {
		t.Fatal(err)
	}
	for i := range r.Sites {
		r.Sites[i].Path = filepath.Join("../whytext/testdata/codec", r.Sites[i].File)
	}
	return r, Options{Read: os.ReadFile, Invocation: "memcost why ./codec"}
}

func render(t testing.TB, r *sites.Report, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
