package compare

import (
	"slices"
	"testing"
)

// Configurations that differ have names that differ, however little room there is.
func TestAllocatorNames(t *testing.T) {
	for _, c := range []struct{ names, want []string }{
		{[]string{"glibc", "jemalloc"}, []string{"glibc", "jemalloc"}},
		{[]string{"jemalloc MALLOC_CONF=background_thread:true", "jemalloc MALLOC_CONF=background_thread:false"},
			[]string{"jemalloc …background_thread:true", "jemalloc …background_thread:false"}},
		{[]string{"jemalloc MALLOC_CONF=background_thread:true,narenas:1", "jemalloc MALLOC_CONF=background_thread:true,narenas:2"},
			[]string{"jemalloc …narenas:1", "jemalloc …narenas:2"}},
		{[]string{"mimalloc MIMALLOC_PURGE_DELAY=0", "mimalloc MIMALLOC_PURGE_DELAY=100"},
			[]string{"mimalloc …MIMALLOC_PURGE_DELAY=0", "mimalloc …MIMALLOC_PURGE_DELAY=100"}},
		{[]string{"glibc M_TRIM_THRESHOLD=0,M_TOP_PAD=0"}, []string{"glibc M_TRIM_THRESHOLD=…"}},
	} {
		r := &AllocReport{}
		for _, n := range c.names {
			r.Allocators = append(r.Allocators, Allocator{Name: n})
		}
		if got := r.names(); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
