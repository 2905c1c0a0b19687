package toolchain

import (
	"strconv"
	"strings"
)

// flags returns the build flags with the overlay and the layout.
func (j *job) flags(seed uint64) []string {
	var flags []string
	if j.overlay != "" {
		flags = append(flags, "-overlay="+j.overlay)
	}
	flags = append(flags, j.spec.Flags...)
	if seed &^= 1 << 63; seed != 0 {
		link := "-randlayout=" + strconv.FormatUint(seed, 10)
		if j.spec.Fresh != "" {
			link = "-w " + link // without what debuggers read, a link takes half the time; the code lies the same
		}
		flags = addToFlag(flags, "ldflags", j.spec.Pkg, link)
	}
	return flags
}

// isFlag reports whether a word is the flag, with or without a value: -name=… or
// --name=….
func isFlag(word, name string) bool {
	_, ok := flagValue(word, name)
	return ok
}

func flagValue(word, name string) (value string, ok bool) {
	word, dashed := strings.CutPrefix(word, "-")
	if !dashed {
		return "", false
	}
	key, value, _ := strings.Cut(strings.TrimPrefix(word, "-"), "=")
	return value, key == name
}

// addToFlag adds an argument to a flag like -gcflags or -ldflags, whose value is
// [pattern=]arguments. For each package the last flag that matches it counts
// and the ones before are forgotten, so the flag added last repeats the
// arguments that the package had.
func addToFlag(flags []string, name, pkg, arg string) []string {
	had := ""
	for i, word := range flags {
		value, ok := flagValue(word, name)
		if ok && !strings.Contains(word, "=") && i+1 < len(flags) {
			value = flags[i+1] // "-gcflags", "-N -l"
		}
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		if value == "" || strings.HasPrefix(value, "-") {
			had = value
			continue
		}
		if pattern, args, _ := strings.Cut(value, "="); matches(pattern, pkg) {
			had = args
		}
	}
	return append(flags[:len(flags):len(flags)], "-"+name+"="+strings.TrimSpace(had+" "+arg))
}

// matches reports whether a pattern of the go command covers the package that is
// named on its command line.
func matches(pattern, pkg string) bool {
	stem, tree := strings.CutSuffix(pattern, "...")
	return pattern == "all" || pattern == pkg || tree && strings.HasPrefix(pkg, stem)
}
