package settings

import (
	"path/filepath"
	"slices"
	"strings"

	"memcost/internal/malloc/allocator"
)

// ofGlibc are the variables that the GNU C library reads besides GLIBC_TUNABLES: mallopt(3),
// mtrace(3).
func ofGlibc() []string {
	return []string{"MALLOC_ARENA_MAX", "MALLOC_ARENA_TEST", "MALLOC_CHECK_", "MALLOC_MMAP_MAX_",
		"MALLOC_MMAP_THRESHOLD_", "MALLOC_PERTURB_", "MALLOC_TOP_PAD_", "MALLOC_TRACE", "MALLOC_TRIM_THRESHOLD_"}
}

// unread finds a variable that another allocator reads than the one that is loaded. Of a library
// that is not known it is not known what it reads.
func unread(env []string) (f Finding) {
	runs := allocatorOf(libraryOf(env))
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		reader := allocator.ReaderOf(name)
		switch {
		case reader == "" || runs == "":
		case runs != reader:
			f.Dead = runs + " ignores " + name + ": it is for " + reader
			f.Advice = "load the allocator with it: --vary 'LD_PRELOAD=libjemalloc.so.2 MALLOC_CONF=narenas:1'"
			if reader == allocator.GLIBC {
				f.Advice = "leave one of the two out"
			}
			return f
		case reader == allocator.GLIBC && name != "GLIBC_TUNABLES" && !slices.Contains(ofGlibc(), name):
			// Of use where settings that differ in nothing are compared.
			f.Notes = append(f.Notes, "glibc does not read "+name+": it reads "+strings.Join(ofGlibc(), ", ")+
				" and GLIBC_TUNABLES")
		}
	}
	return f
}

// allocatorOf returns the known allocator that a library is, glibc where none is loaded.
func allocatorOf(library string) string {
	if library == "" {
		return allocator.GLIBC
	}
	for _, k := range allocator.AllKnown() {
		if slices.ContainsFunc(k.Libraries, func(pattern string) bool {
			short, _, _ := strings.Cut(pattern, ".so")
			match, _ := filepath.Match(strings.TrimRight(short, "*")+"*", filepath.Base(library))
			return match
		}) {
			return k.Name
		}
	}
	return ""
}
