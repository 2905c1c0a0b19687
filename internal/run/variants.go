package run

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memcost/internal/catalog"
	"memcost/internal/hint"
	"memcost/internal/store"
)

// libraryDirs returns the folders in which distributions install the allocators.
func libraryDirs() []string {
	return []string{
		"/usr/local/lib", "/usr/lib/*-linux-gnu*", "/lib/*-linux-gnu*", "/usr/lib64", "/usr/lib", "/lib64", "/lib",
		"/usr/lib/llvm-*/lib/clang/*/lib/*", "/usr/lib/clang/*/lib/*",
	}
}

// findLibrary returns the file of a shared library, whose name may be a pattern
// ("libclang_rt.scudo_standalone*.so"); of several the last one, which is the newest.
func findLibrary(name string) (string, bool) {
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

// variantsHere returns those of a study's variants that this machine can run: libraries
// to preload are looked up, and a variant without its library is left out. With
// published, only published variants are returned.
func (r *record) variantsHere(st *catalog.Study, published bool) []catalog.Variant {
	var out []catalog.Variant
	for _, v := range st.Variants {
		if published && !slices.Contains(st.Published, v.Keys) {
			continue
		}
		missing := ""
		v.Env = slices.Clone(v.Env)
		for i, kv := range v.Env {
			if name, ok := strings.CutPrefix(kv, "LD_PRELOAD="); ok {
				path, found := findLibrary(name)
				if !found {
					missing = name
				}
				v.Env[i] = "LD_PRELOAD=" + path
			}
		}
		if missing != "" {
			r.leftOut("%s with %s: there is no %s here (%s)", st.Name, v.Keys, missing, v.Hint)
			continue
		}
		out = append(out, v)
	}
	return out
}

const defaultVariant = "allocator=glibc/setting=default"

// ownVariants returns the default variant and those of the user's settings.
func ownVariants(vary []string) ([]catalog.Variant, error) {
	out := []catalog.Variant{{Keys: defaultVariant}}
	for _, text := range vary {
		v, err := ownVariant(text)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(o catalog.Variant) bool { return o.Keys == v.Keys }) {
			return nil, hint.Usage("name each setting once", "--vary %s: there is %s already", text, v.Keys)
		}
		out = append(out, v)
	}
	return out, nil
}

// ownVariant reads the setting of a --vary, of one word or several: mallopt parameters
// (M_TRIM_THRESHOLD=0 or several, with commas), an option of the program (-L), or a
// variable of the environment, of which LD_PRELOAD names the allocator.
func ownVariant(text string) (catalog.Variant, error) {
	v := catalog.Variant{}
	allocator, setting := "glibc", []string{}
	for word := range strings.FieldsSeq(text) {
		name, value, given := strings.Cut(word, "=")
		switch {
		case word == "-L" || strings.HasPrefix(word, "-mM_") || name == "--thp":
			v.Args = append(v.Args, word)
		case strings.HasPrefix(word, "M_"):
			v.Args = append(v.Args, "-m"+word)
		case name == "LD_PRELOAD":
			path, found := findLibrary(value)
			if _, err := os.Stat(path); !found || err != nil {
				return v, hint.Usage("name a file, or install the library", "--vary %s: there is no %s here", text,
					value)
			}
			allocator, _, _ = strings.Cut(filepath.Base(value), ".so")
			v.Env = append(v.Env, "LD_PRELOAD="+path)
			continue
		case given && ownVariable(name):
			v.Env = append(v.Env, word)
		default:
			advice := "a setting of malloc is M_TOP_PAD=0, LD_PRELOAD=FILE, GLIBC_TUNABLES=…, -L, --thp=never, or " +
				"several of them with spaces between"
			if near := catalog.Nearest(name, []string{"GLIBC_TUNABLES", "LD_PRELOAD", "-L", "--thp"}); near != "" {
				advice = "did you mean " + near + "? " + advice
			}
			return v, hint.Usage(advice, "--vary %s: %s is no setting of malloc", text, word)
		}
		setting = append(setting, word)
	}
	v.Keys = "allocator=" + store.FileName(allocator) + "/setting=" + store.FileName(cmp.Or(strings.Join(setting, "+"),
		"default"))
	return v, nil
}

// ownVariable reports whether an allocator may read a variable: glibc's are
// GLIBC_TUNABLES and MALLOC_…, those of the others end or begin with their names.
func ownVariable(name string) bool {
	for _, prefix := range []string{"MALLOC_", "MIMALLOC_", "TCMALLOC_", "TBB_", "SCUDO_", "JE_MALLOC_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return name == "GLIBC_TUNABLES"
}
