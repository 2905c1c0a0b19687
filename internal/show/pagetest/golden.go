package pagetest

import (
	"os"
	"strings"
	"testing"
)

// Golden compares a page with a file, or writes that anew.
func Golden(t testing.TB, file, got string, update bool) {
	t.Helper()
	if update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	a, b := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Fatalf("%s differs (go test -update writes it anew) from line %d on; got:\n%s", file, i+1, a[i])
		}
	}
	if len(a) != len(b) {
		t.Errorf("%s has %d lines, the page %d", file, len(b), len(a))
	}
}
