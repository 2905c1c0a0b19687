package store

import (
	"path"
	"strings"
)

// A Recording is a kind of file that a program of a study writes while it runs, and of
// which a run folder keeps the first of each case and configuration.
type Recording struct {
	Kind   string // in a program's arguments, in braces: {trace}
	dir    string
	ending string
}

// Recordings returns the kinds that there are.
func Recordings() []Recording {
	return []Recording{{"trace", "traces", ".trace"}, {"cpuprofile", "profiles", ".pprof"}}
}

// Word returns the placeholder for the file in a program's arguments.
func (r Recording) Word() string { return "{" + r.Kind + "}" }

// File returns the path of a recording inside the run folder.
func (r Recording) File(caseName, arm string) string {
	return path.Join(r.dir, FileName(caseName+"-"+arm)+r.ending)
}

// FileName makes of a name one that can be a file's on every system.
func FileName(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>| `, r) {
			return '_'
		}
		return r
	}, s)
}
