package allocator

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memcost/internal/base/hint"
)

// A Known is an allocator that takes malloc's place in a program that it is loaded into.
type Known struct {
	Name      string
	Libraries []string // patterns of its file, the better one first
	Package   string   // of Debian, that has it
	Variables []string // beginnings of the variables that it alone reads
}

// GLIBC is the name of the allocator of the GNU C library.
const GLIBC = "glibc"

// AllKnown returns the allocators that are looked for.
func AllKnown() []Known {
	return []Known{
		{"jemalloc", []string{"libjemalloc.so.2", "libjemalloc.so*"}, "libjemalloc2", []string{"MALLOC_CONF",
			"JE_MALLOC_"}},
		{"mimalloc", []string{"libmimalloc.so.[0-9]", "libmimalloc.so*"}, "libmimalloc2.0", []string{"MIMALLOC_"}},
		{"tcmalloc", []string{"libtcmalloc_minimal.so.4", "libtcmalloc.so.4", "libtcmalloc*.so"},
			"libtcmalloc-minimal4", []string{"TCMALLOC_"}},
		{"tbb", []string{"libtbbmalloc_proxy.so.2", "libtbbmalloc_proxy.so*"}, "libtbbmalloc2", []string{"TBB_"}},
		{"scudo", []string{"libclang_rt.scudo_standalone-" + machineName() + ".so", "libscudo.so"},
			"libclang-rt-19-dev", []string{"SCUDO_"}},
		{"snmalloc", []string{"libsnmallocshim.so*"}, "", []string{"SNMALLOC_"}},
		{"rpmalloc", []string{"librpmalloc*.so*"}, "", []string{"RPMALLOC_"}},
		{"hoard", []string{"libhoard.so*"}, "", nil},
	}
}

// file returns the library of the allocator, as it is installed here.
func (k Known) file() (string, bool) {
	for _, pattern := range k.Libraries {
		if file, found := Library(pattern); found {
			return file, true
		}
	}
	return "", false
}

// A Choice is an allocator that a program can run under.
type Choice struct {
	Name    string // "jemalloc"
	Library string // its file; "" of the allocator that the program has by itself
}

// Installed returns the allocators that are installed here.
func Installed() []Choice {
	var out []Choice
	for _, k := range AllKnown() {
		if file, found := k.file(); found {
			out = append(out, Choice{k.Name, file})
		}
	}
	return out
}

// Choose returns the allocator that somebody calls by its name or by its library's file.
func Choose(name string) (Choice, error) {
	if name == GLIBC {
		return Choice{Name: GLIBC}, nil
	}
	if strings.Contains(name, "/") || strings.Contains(name, ".so") {
		file, found := Library(name)
		if _, err := os.Stat(file); err != nil || !found {
			return Choice{}, hint.Usage("name an allocator that is installed, or the file of a library",
				"there is no library %s here", name)
		}
		abs, err := filepath.Abs(file)
		short, _, _ := strings.Cut(filepath.Base(file), ".so")
		return Choice{strings.TrimPrefix(short, "lib"), abs}, err
	}
	names := []string{GLIBC}
	for _, k := range AllKnown() {
		names = append(names, k.Name)
		if k.Name != name {
			continue
		}
		if file, found := k.file(); found {
			return Choice{k.Name, file}, nil
		}
		advice := "name the file of its library"
		if k.Package != "" {
			advice = "apt-get install " + k.Package + ", or name the file of its library"
		}
		return Choice{}, hint.Usage(advice, "the allocator %s is not installed", name)
	}
	advice := "memcost knows " + strings.Join(names, ", ") + "; of any other name the file of its library"
	if near := hint.Nearest(name, names); near != "" {
		advice = "did you mean " + near + "? " + advice
	}
	return Choice{}, hint.Usage(advice, "there is no allocator %q", name)
}

// ReaderOf returns the allocator that alone reads a variable, "" where it is for the program or
// for several of them.
func ReaderOf(variable string) string {
	if variable == "GLIBC_TUNABLES" || strings.HasPrefix(variable, "MALLOC_") && variable != "MALLOC_CONF" {
		return GLIBC
	}
	for _, k := range AllKnown() {
		if slices.ContainsFunc(k.Variables, func(prefix string) bool { return strings.HasPrefix(variable, prefix) }) {
			return k.Name
		}
	}
	return ""
}

// Tunables returns what the GNU C library reads instead of parameters of mallopt, which no program
// reads from its environment: of M_TRIM_THRESHOLD=0,M_TOP_PAD=0
// "glibc.malloc.trim_threshold=0:glibc.malloc.top_pad=0".
func Tunables(parameters string) (string, error) {
	var out []string
	for one := range strings.SplitSeq(parameters, ",") {
		name, value, given := strings.Cut(one, "=")
		short, is := strings.CutPrefix(name, "M_")
		if !is || !given || value == "" {
			return "", fmt.Errorf("%q is no parameter of mallopt with its value, like M_ARENA_MAX=1", one)
		}
		out = append(out, "glibc.malloc."+strings.ToLower(short)+"="+value)
	}
	return strings.Join(out, ":"), nil
}
