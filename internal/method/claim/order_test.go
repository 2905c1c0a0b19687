package claim

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"memcost/internal/measure/plan"
	"memcost/internal/study/language"
	"memcost/study"
)

// The cases of claims come before those that are only shown, and these before the rest; none
// is lost, and both sides of a ratio are one batch.
func TestNeeds(t *testing.T) {
	studies, err := language.ReadAll(study.FS)
	if err != nil {
		t.Fatal(err)
	}
	st := studies[slices.IndexFunc(studies, func(s *language.Study) bool { return s.Name == "malloc" })]
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
	out := needs(st, 0, cases)
	seen := map[int]tier{}
	for t := range tiers {
		for _, i := range slices.Concat(out[t]...) {
			if _, known := seen[i]; !known {
				seen[i] = t
			}
		}
	}
	if len(seen) != len(cases) {
		t.Errorf("%d of %d cases", len(seen), len(cases))
	}
	want := func(setting, op string, size int, method string, is tier) {
		t.Helper()
		name := fmt.Sprintf("Malloc/allocator=glibc/setting=%s/op=%s/size=%d/method=%s", setting, op, size, method)
		i := slices.IndexFunc(cases, func(c plan.Case) bool { return c.Name == name })
		if seen[i] != is {
			t.Errorf("%s is in tier %d, want %d", name, seen[i], is)
		}
	}
	want("mmap0", "malloc_free", 1<<20, "published", ofClaims)
	want("default", "noop", 64<<20, "published", ofClaims) // the floor
	want("default", "malloc_free", 64<<20, "batch", shown)
	want("trim0", "walk", 64<<20, "published", shown)
	want("trim0", "free", 4096, "batch", rest)
	// The claim that answers the question is the first.
	for _, i := range out[ofClaims][0] {
		if !strings.Contains(cases[i].Name, "op=malloc_free") {
			t.Errorf("%s comes first", cases[i].Name)
		}
	}
	if n := len(out[ofClaims][0]); n != 2 {
		t.Errorf("the first batch has %d cases, want both sides of a ratio", n)
	}
}
