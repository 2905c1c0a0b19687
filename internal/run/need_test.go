package run

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"memcost/internal/claim"
	"memcost/internal/plan"
	"memcost/internal/sample"
)

// The cases of claims come before those that are only shown, and these before the rest; none
// is lost, and both sides of a ratio are one batch.
func TestNeeds(t *testing.T) {
	st, err := Study("malloc")
	if err != nil {
		t.Fatal(err)
	}
	var cases []plan.Case
	for _, setting := range []string{"default", "trim0", "mmap0"} {
		for _, op := range []string{"free", "malloc_free", "walk", "noop"} {
			for size := 4096; size <= 64<<20; size *= 4 {
				for _, method := range []string{"published", "batch"} {
					cases = append(cases, plan.Case{Name: fmt.Sprintf(
						"Malloc/allocator=glibc/setting=%s/op=%s/size=%d/method=%s", setting, op, size, method)})
				}
			}
		}
	}
	at, n := map[string]int{}, 0
	batches := sample.Needs([]claim.Suite{{Study: st}}, cases)
	for _, i := range slices.Concat(batches...) {
		if _, known := at[cases[i].Name]; !known {
			at[cases[i].Name], n = n, n+1
		}
	}
	if len(at) != len(cases) {
		t.Errorf("%d of %d cases", len(at), len(cases))
	}
	place := func(setting, op string, size int, method string) int {
		return at[fmt.Sprintf("Malloc/allocator=glibc/setting=%s/op=%s/size=%d/method=%s", setting, op, size, method)]
	}
	claims := []int{place("mmap0", "malloc_free", 1<<20, "published"), place("default", "noop", 64<<20, "published")}
	shown := []int{place("default", "malloc_free", 64<<20, "batch"), place("trim0", "walk", 64<<20, "published")}
	rest := place("trim0", "free", 4096, "batch")
	if slices.Max(claims) > slices.Min(shown) || slices.Max(shown) > rest {
		t.Errorf("of claims %v, shown %v, the rest %v", claims, shown, rest)
	}
	// The claim that answers the question is the first.
	for _, i := range batches[0] {
		if !strings.Contains(cases[i].Name, "op=malloc_free") {
			t.Errorf("%s comes first", cases[i].Name)
		}
	}
	if n := len(batches[0]); n != 2 {
		t.Errorf("the first batch has %d cases, want both sides of a ratio", n)
	}
}
