// Package allocator reads settings of malloc as people write them (M_TOP_PAD=0,
// LD_PRELOAD=libjemalloc.so.2), finds the libraries that take malloc's
// place, and reads what an ELF file says of malloc.
package allocator

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/measure/store"
	"memcost/internal/study/language"
)

// libraryDirs returns the folders in which distributions install the allocators.
func libraryDirs() []string {
	return []string{
		"/usr/local/lib", "/usr/lib/*-linux-gnu*", "/lib/*-linux-gnu*", "/usr/lib64", "/usr/lib", "/lib64", "/lib",
		"/usr/lib/llvm-*/lib/clang/*/lib/*", "/usr/lib/clang/*/lib/*",
	}
}

// Library returns the file of a shared library, whose name may be a pattern
// ("libclang_rt.scudo_standalone*.so"); of several the last one, which is the newest.
func Library(name string) (string, bool) {
	if strings.Contains(name, "/") {
		return name, true
	}
	for _, dir := range libraryDirs() {
		found, _ := filepath.Glob(filepath.Join(dir, name))
		if len(found) > 0 {
			return found[len(found)-1], true
		}
	}
	return "", false
}

// Preload returns the setting LD_PRELOAD with the files of its libraries, which are looked up, by
// their whole paths: programs run in folders of their own. missing is the first that is not there.
func Preload(libraries string) (setting, missing string) {
	var files []string
	for _, name := range strings.FieldsFunc(libraries, func(r rune) bool { return r == ':' || r == ' ' }) {
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
			advice := "a setting of malloc is M_TOP_PAD=0, LD_PRELOAD=FILE, GLIBC_TUNABLES=…, -L, --thp=never, " +
				"--prefault=256MiB, or several of them with spaces between"
			known := []string{"GLIBC_TUNABLES", "LD_PRELOAD", "-L", "--thp", "--prefault"}
			if near := hint.Nearest(name, known); near != "" {
				advice = "did you mean " + near + "? " + advice
			}
			return v, hint.Usage(advice, "%s: %s is no setting of malloc", called, word)
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
