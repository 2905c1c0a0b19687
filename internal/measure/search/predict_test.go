package search

import (
	"fmt"
	"memcost/internal/study/language"
	"slices"
	"strings"
	"testing"
)

var debian = cliffFacts{Platform: "Linux, glibc 2.36", Library: "/lib/x86_64-linux-gnu/libc.so.6", Memlock: "8388608"}

func TestPredict(t *testing.T) {
	free := debian
	free.Memlock = "unlimited"
	jemalloc, musl := debian, debian
	jemalloc.Library, musl.Platform = "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2", "Linux, musl"
	for _, c := range []struct {
		set   string
		f     cliffFacts
		may   bool
		wants string
	}{
		{"", debian, false, "tcache 1033, first-mmap 131049, mmap 33550313"},
		{"-mM_TRIM_THRESHOLD=0", debian, false, "tcache 1033, mmap 131049"},
		{"-mM_TRIM_THRESHOLD=131072", debian, false, "tcache 1033, mmap 131049"}, // frozen by its default
		{"-mM_TRIM_THRESHOLD=0,M_TOP_PAD=0", debian, false, "tcache 1033, mmap 131049, trim 61424..69609"},
		{"-mM_MMAP_THRESHOLD=0", debian, false, "mmap 1"},
		{"-mM_MMAP_THRESHOLD=262144", debian, false,
			"tcache 1033, mmap 262121, trim 126960..135145"},
		{"-mM_MMAP_MAX=0", debian, false, "tcache 1033, trim 126960..135145"},
		{"-mM_ARENA_MAX=1", debian, false, "tcache 1033, first-mmap 131049, mmap 33550313"},
		{"GLIBC_TUNABLES=glibc.malloc.mmap_threshold=0x40000", debian, false,
			"tcache 1033, mmap 262121, trim 126960..135145"},
		{"GLIBC_TUNABLES=glibc.malloc.tcache_max=64:glibc.malloc.trim_threshold=0", debian, false, "tcache 73, mmap 131049"},
		{"GLIBC_TUNABLES=glibc.malloc.tcache_count=0", debian, false, "first-mmap 131049, mmap 33550313"},
		{"GLIBC_TUNABLES=glibc.malloc.hugetlb=1", debian, false, ""},
		{"-L", debian, false, "tcache 1033, first-mmap 131049, mmap 33550313, null 1..8388608"},
		{"-L", debian, true, "tcache 1033, first-mmap 131049, mmap 33550313"},
		{"-L", free, false, "tcache 1033, first-mmap 131049, mmap 33550313"},
		{"LD_PRELOAD=libjemalloc.so.2", jemalloc, false, ""},
		{"", musl, false, ""},
	} {
		var set language.Variant
		if strings.HasPrefix(c.set, "-") {
			set.Args = []string{c.set}
		} else {
			set.Env = []string{c.set}
		}
		var got []string
		for _, p := range predict(set, c.f, c.may) {
			if p.Low == p.High {
				got = append(got, fmt.Sprintf("%s %d", p.Cause, p.Low))
			} else {
				got = append(got, fmt.Sprintf("%s %d..%d", p.Cause, p.Low, p.High))
			}
		}
		if s := strings.Join(got, ", "); s != c.wants {
			t.Errorf("%s (malloc of %s, may lock %v): %s, want %s", c.set, c.f.Library, c.may, s, c.wants)
		}
	}
}

func TestJudge(t *testing.T) {
	f := Finding{Largest: 1 << 20, Cliffs: []Cliff{
		{Cause: causeTcache, Below: 1024, At: 1040}, {Cause: causeMmap, Below: 262112, At: 262128},
		{Cause: causeCost, Below: 1, At: 2},
	}}
	judge(&f, []Prediction{
		{Cause: causeTcache, Low: 1033, High: 1033}, {Cause: causeMmap, Low: 131049, High: 131049},
		{Cause: causeTrim, Low: 60000, High: 70000},
		{Cause: causeNull, Low: 1, High: 8 << 20}, // beyond what was tried
	}, 8)
	var got []string
	for _, c := range f.Cliffs {
		got = append(got, c.Verdict)
	}
	if want := []string{Agrees, Differs, NotPredicted}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if len(f.Absent) != 1 || f.Absent[0].Cause != causeTrim {
		t.Errorf("absent: %v", f.Absent)
	}
	f = Finding{Largest: 64 << 20, Cliffs: []Cliff{{Cause: causeNull, Below: 691472, At: 691488}}}
	judge(&f, []Prediction{{Cause: causeMmap, Low: 33550313, High: 33550313}}, 8)
	if len(f.Absent) != 0 {
		t.Errorf("expected where malloc fails: %v", f.Absent)
	}
	for _, edge := range []struct {
		below, at int64
		want      string
	}{{1032, 1040, Agrees}, {1017, 1033, Agrees}, {1033, 1049, Differs}, {1016, 1032, Differs}} {
		f := Finding{Cliffs: []Cliff{{Cause: causeTcache, Below: edge.below, At: edge.at}}}
		judge(&f, []Prediction{{Cause: causeTcache, Low: 1033, High: 1033}}, 8)
		if got := f.Cliffs[0].Verdict; got != edge.want {
			t.Errorf("1033 against %d..%d: %s, want %s", edge.below, edge.at, got, edge.want)
		}
	}
}
