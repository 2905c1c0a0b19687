package toolchain

import (
	"go/version"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memcost/internal/testkit"
)

// The excerpts in testdata hold the changed functions of the oldest and the
// newest Go that the overlay is for.
func TestPatch(t *testing.T) {
	for _, v := range []string{"go1.16.15", "go1.27.4"} {
		source, err := os.ReadFile("testdata/benchmark-" + v + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		got, err := patch(string(source))
		if err != nil {
			t.Fatal(err)
		}
		got, added, _ := strings.Cut(got, exactSource)
		if added != "" || strings.Count(got, "\n") != strings.Count(string(source), "\n") {
			t.Errorf("%s: line numbers changed", v)
		}
		testkit.Golden(t, "testdata/benchmark-"+v+".golden", got)
		// A file in which a place is missing or doubled is not touched.
		for _, other := range []string{
			strings.Replace(string(source), "b.netAllocs = 0\n", "b.netAllocs = 00\n", 1),
			string(source) + "\nprettyPrint(buf, ns, \"ns/op\")\n",
		} {
			if _, err := patch(other); err == nil || !strings.Contains(err.Error(), " times, not ") {
				t.Errorf("%s: a source that is not as expected: %v", v, err)
			}
		}
	}
}

// Every toolchain that is here, not just those of the excerpts.
func TestPatchInstalled(t *testing.T) {
	tc := local(t)
	roots := []string{tc.GOROOT}
	s, err := finder(t).openSource(t.Context(), tc)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	for _, v := range s.cachedVersions() {
		if dir, err := s.cached(v); err == nil && version.Compare(v, "go1.16") >= 0 { // the first with -overlay
			roots = append(roots, dir)
		}
	}
	for _, root := range roots {
		source, err := os.ReadFile(filepath.Join(root, "src", "testing", "benchmark.go"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := patch(string(source)); err != nil {
			t.Errorf("%s: %v", root, err)
		}
	}
	t.Logf("%d toolchains", len(roots))
}
