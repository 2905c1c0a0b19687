// Package allocator reads settings of malloc as people write them (M_TOP_PAD=0,
// LD_PRELOAD=libjemalloc.so.2), finds the libraries that take malloc's
// place, and reads what an ELF file says of malloc.
package allocator

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/measure/store"
	"memcost/internal/study/language"
)

// libraryDirs are the folders in which distributions install the allocators.
var libraryDirs = []string{
	"/usr/local/lib", "/usr/lib/*-linux-gnu*", "/lib/*-linux-gnu*", "/usr/lib64", "/usr/lib", "/lib64", "/lib",
	"/usr/lib/llvm-*/lib/clang/*/lib/*", "/usr/lib/clang/*/lib/*",
}

// Library returns the file of a shared library, whose name may be a pattern
// ("libclang_rt.scudo_standalone*.so"); of several the last one, which is the newest.
func Library(name string) (string, bool) {
	if strings.Contains(name, "/") {
		return name, true
	}
	for _, dir := range libraryDirs {
		found, _ := filepath.Glob(filepath.Join(dir, name))
		if len(found) > 0 {
			return found[len(found)-1], true
		}
	}
	return "", false
}

// Libraries parts what LD_PRELOAD names.
func Libraries(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ':' || r == ' ' })
}

// Preload returns the setting LD_PRELOAD with the files of its libraries, which are looked up, by
// their whole paths: programs run in folders of their own. missing is the first that is not there.
func Preload(libraries string) (setting, missing string) {
	var files []string
	for _, name := range Libraries(libraries) {
		file, found := Library(name)
		if _, err := os.Stat(file); !found || err != nil {
			return "", name
		}
		if whole, err := filepath.Abs(file); err == nil {
			file = whole
		}
		files = append(files, file)
	}
	return "LD_PRELOAD=" + strings.Join(files, ":"), ""
}

// Default are the keys of the variant of the study malloc that sets nothing.
const Default = "allocator=glibc/setting=default"

// Variants returns the default variant of the study malloc and those of the user's settings.
func Variants(settings []string) ([]language.Variant, error) {
	out := []language.Variant{{Keys: Default}}
	for _, text := range settings {
		v, err := Variant("--vary "+text, text)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(o language.Variant) bool { return o.Keys == v.Keys }) {
			return nil, hint.Usage("name each setting once", "--vary %s: there is %s already", text, v.Keys)
		}
		out = append(out, v)
	}
	return out, nil
}

// Variant reads a setting, of one word or several: mallopt parameters (M_TRIM_THRESHOLD=0 or
// several, with commas), an option of the study's program (-L), or a variable of the
// environment, of which LD_PRELOAD names the allocator. Errors call it as the user does.
func Variant(called, text string) (language.Variant, error) {
	v := language.Variant{}
	allocator, setting := "glibc", []string{}
	for word := range strings.FieldsSeq(text) {
		name, value, given := strings.Cut(word, "=")
		switch {
		case word == "-L" || strings.HasPrefix(word, "-mM_") || name == "--thp" ||
			name == "--prefault":
			v.Args = append(v.Args, word)
		case strings.HasPrefix(word, "M_"):
			v.Args = append(v.Args, "-m"+word)
		case name == "LD_PRELOAD":
			preload, missing := Preload(value)
			if missing != "" || value == "" {
				return v, hint.Usage("name a file, or install the library", "%s: there is no %s here", called,
					cmp.Or(missing, "library without a name"))
			}
			allocator, _, _ = strings.Cut(filepath.Base(value), ".so")
			v.Env = append(v.Env, preload)
			continue
		case given && variable(name):
			v.Env = append(v.Env, word)
		default:
			const advice = "a setting of malloc is M_TOP_PAD=0, LD_PRELOAD=FILE, GLIBC_TUNABLES=…, -L, --thp=never, " +
				"--prefault=256MiB, or several of them with spaces between"
			known := []string{"GLIBC_TUNABLES", "LD_PRELOAD", "-L", "--thp", "--prefault"}
			return v, hint.Usage(hint.Meant(name, known, advice), "%s: %s is no setting of malloc", called, word)
		}
		setting = append(setting, word)
	}
	v.Keys = "allocator=" + store.FileName(allocator) + "/setting=" + store.FileName(cmp.Or(strings.Join(setting, "+"),
		"default"))
	return v, nil
}

// variable reports whether an allocator may read a variable: glibc's are
// GLIBC_TUNABLES and MALLOC_…, those of the others end or begin with their names.
func variable(name string) bool {
	for _, prefix := range []string{"MALLOC_", "MIMALLOC_", "TCMALLOC_", "TBB_", "SCUDO_", "JE_MALLOC_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return name == "GLIBC_TUNABLES"
}

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
	return Choice{}, hint.Usage(hint.Meant(name, names, advice), "there is no allocator %q", name)
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

// Returning returns the settings of an allocator that may have it give memory back sooner, as --vary takes them; none
// of an allocator of which no such setting is known.
//
// Glibc: fewer arenas have fewer free ends that stay; without fastbins (M_MXFAST=0) small blocks that are free are joined
// at once; M_TRIM_THRESHOLD is how much may be free at the top before it is
// given back, and setting it keeps it from growing with what is freed; from M_MMAP_THRESHOLD on a block is a mapping
// of its own (mallopt(3)). Without tcache a thread keeps no blocks, and with transparent huge pages it is to be seen
// what they keep (tunables of the GNU C library's manual). Jemalloc: how long pages stay after their last use
// (dirty_decay_ms of jemalloc(3)), and a thread that gives them back while the program is idle, without
// which nobody does. Mimalloc: purge_delay, in ms. Gperftools' tcmalloc: TCMALLOC_RELEASE_RATE, from 0 to 10.
func Returning(name string) []string {
	switch name {
	case GLIBC:
		return []string{"M_ARENA_MAX=1", "M_MXFAST=0", "M_TRIM_THRESHOLD=131072", "M_MMAP_THRESHOLD=65536",
			"GLIBC_TUNABLES=glibc.malloc.tcache_count=0", "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"}
	case "jemalloc":
		return []string{"MALLOC_CONF=dirty_decay_ms:0", "MALLOC_CONF=dirty_decay_ms:1000",
			"MALLOC_CONF=background_thread:true", "MALLOC_CONF=background_thread:true,dirty_decay_ms:1000"}
	case "mimalloc":
		return []string{"MIMALLOC_PURGE_DELAY=0", "MIMALLOC_PURGE_DELAY=100"}
	case "tcmalloc":
		return []string{"TCMALLOC_RELEASE_RATE=10", "TCMALLOC_AGGRESSIVE_DECOMMIT=1"}
	}
	return nil
}
