// Package board knows the results of a study's program that was run by hand, on a machine where
// memcost itself does not run: a Raspberry Pi, a target board with QNX.
//
// The program names a case "Malloc/op=walk/size=4096/method=batch/setting=trim0", without the
// allocator, which stands in the file's context. A run of memcost names the same case
// "Malloc/allocator=glibc/setting=trim0/op=walk/size=4096/method=batch": by that name the study's
// tables, pictures and claims know it.
package result

import (
	"path"
	"strings"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/method/series"
)

// Study is the study whose program can be run by hand.
const Study = "malloc"

// own are the keys of every case of the program.
var own = []string{"op", "size", "method", "setting"}

// Adopt gives a result of the program the study, and the name that it has in a run. It reports
// whether it was one; others stay as they are.
func Adopt(r *benchfmt.Result) bool {
	if r.GetConfig(series.KeySuite) != "" || r.GetConfig("malloc_library") == "" {
		return false
	}
	base, rest, _ := strings.Cut(string(r.Name), "/")
	values := map[string]string{}
	var others []string
	for part := range strings.SplitSeq(rest, "/") {
		key, value, _ := strings.Cut(part, "=")
		if values[key] = value; key != "setting" && part != "manual_time" {
			others = append(others, part)
		}
	}
	for _, key := range own {
		if values[key] == "" {
			return false
		}
	}
	if base != "Malloc" || values["allocator"] != "" {
		return false
	}
	allocator := Allocator(r.GetConfig("malloc_library"), r.GetConfig("platform"))
	r.Name = benchfmt.Name("Malloc/allocator=" + allocator + "/setting=" + setting(values["setting"]) + "/" +
		strings.Join(others, "/"))
	r.SetConfig(series.KeySuite, Study)
	if system, _, _ := strings.Cut(r.GetConfig("platform"), ","); system != "" && r.GetConfig("goos") == "" {
		r.SetConfig("goos", strings.ToLower(system))
	}
	return true
}

// Origin tells two machines apart as far as their results do: those of one machine can stand
// in several files, one for each setting.
func Origin(r *benchfmt.Result) string {
	var all []string
	for _, key := range []string{"machine", "platform", "num_cpus", "page_bytes"} {
		all = append(all, r.GetConfig(key))
	}
	return strings.Join(all, "\n")
}

// setting is the study's name for a setting: the program shortens its options by itself, and
// says "mlock" for what the study calls "lock".
func setting(name string) string {
	if rest, ok := strings.CutPrefix(name, "mlock"); ok && (rest == "" || rest[0] == '-') {
		return "lock" + rest
	}
	return name
}

// libraries are the allocators by what their libraries are named.
var libraries = []struct{ part, allocator string }{
	{"jemalloc", "jemalloc"}, {"mimalloc", "mimalloc"}, {"tcmalloc", "tcmalloc"}, {"tbbmalloc", "tbb"},
	{"scudo", "scudo"},
}

// Allocator returns the study's name for the allocator in a library: the file that malloc is
// in, or "static (…)". An allocator that the study does not know is named by its system.
func Allocator(library, platform string) string {
	file := path.Base(library)
	for _, l := range libraries {
		if strings.Contains(file, l.part) {
			return l.allocator
		}
	}
	of := platform
	if strings.HasPrefix(library, "static") {
		of = library
	}
	for _, libc := range []string{"glibc", "musl"} {
		if strings.Contains(of, libc) || strings.Contains(file, libc) {
			return libc
		}
	}
	name, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(platform)), ",")
	if name = strings.Join(strings.Fields(name), "-"); name == "" {
		return "libc"
	}
	return name
}

// Bare returns a name that Adopt gave without allocator and setting: files that differ in these
// alone have the same cases by it.
func Bare(name benchfmt.Name) benchfmt.Name {
	v := Variant(string(name))
	if v == "" {
		return name
	}
	return benchfmt.Name(strings.Replace(string(name), "/"+v, "", 1))
}

// Variant returns the part of a case's name that tells allocator and setting,
// "allocator=glibc/setting=trim0"; "" for a case that has none.
func Variant(name string) string {
	parts := strings.SplitN(name, "/", 4)
	if len(parts) < 4 || !strings.HasPrefix(parts[1], "allocator=") || !strings.HasPrefix(parts[2], "setting=") {
		return ""
	}
	return parts[1] + "/" + parts[2]
}
