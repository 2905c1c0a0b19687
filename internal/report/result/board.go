package result

import (
	"io"
	"path"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/units"
	"memcost/internal/method/series"
	"memcost/internal/study/language"
)

// Joins reports whether two files of a program run by hand are of one machine, with no case in both.
func (a *Answer) Joins(b *Answer) bool {
	if a.origin == "" || a.origin != b.origin || a.Dir == stdin || b.Dir == stdin {
		return false
	}
	for _, s := range a.Studies {
		for _, c := range s.Cases {
			if hasCase(b.Studies, s.Name, c.Name) {
				return false
			}
		}
	}
	return true
}

// stdin is what standard input is called.
const stdin = "standard input"

func hasCase(studies []Study, study, name string) bool {
	return slices.ContainsFunc(studies, func(s Study) bool {
		return s.Name == study && slices.ContainsFunc(s.Cases, func(c Case) bool { return c.Name == name })
	})
}

// A Named is a file of results and its name.
type Named struct {
	Name string
	io.Reader
}

// joinedName names several files that are one answer.
func joinedName(files []Named) string {
	if len(files) == 1 {
		return files[0].Name
	}
	return files[0].Name + " and " + units.Plural(len(files)-1, "more file")
}

// ownVariants shows a part by the settings that it has, when the study knows none of its
// allocators: its tables would be empty.
func (p *filePart) ownVariants() error {
	var here []language.Variant
	for _, s := range p.set.All() {
		keys := Variant(s.Case)
		same := func(v language.Variant) bool { return v.Keys == keys }
		if keys == "" || slices.ContainsFunc(p.study.Variants, same) {
			return nil
		}
		if !slices.ContainsFunc(here, same) {
			here = append(here, language.Variant{Keys: keys})
		}
	}
	ds, show := language.WithVariants(p.study.Directives, p.study.Show, here)
	st, err := language.Parse(p.study.Name, ds, show)
	if err == nil {
		st.Question = p.study.Question
		p.study = st
	}
	return err
}

// single reports whether no case has more than one sample.
func single(studies []Study) bool {
	return !slices.ContainsFunc(studies, func(s Study) bool {
		return slices.ContainsFunc(s.Cases, func(c Case) bool { return c.Time.N > 1 })
	})
}

// boardStudy is the study whose program can be run by hand.
const boardStudy = "malloc"

// own are the keys of every case of the program.
var own = []string{"op", "size", "method", "setting"}

// Adopt gives a result of the program the study, and the name that it has in a run. It reports
// whether it was one; others stay as they are.
func Adopt(r *benchfmt.Result) bool {
	if r.GetConfig(series.KeyStudy) != "" || r.GetConfig("malloc_library") == "" {
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
	r.SetConfig(series.KeyStudy, boardStudy)
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
