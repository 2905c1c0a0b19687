package documenttest

import (
	"testing"

	"memcost/internal/testkit"
)

// Golden compares a text with the file of testdata of that name.
func Golden(t testing.TB, name, got string) {
	t.Helper()
	testkit.Golden(t, "testdata/"+name, got)
}
