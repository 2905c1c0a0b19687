package claim

import "fmt"

// A Scope says over how much of what a claim speaks of it was judged.
type Scope struct {
	Noun   string // of a place: size, cause, place
	Judged int    // places
	Places int    // that there are
	// Those that were not judged: left to --full, INVALID, failed.
	Full, Invalid, Failed int
	Selected              bool // -b left cases out
}

// Says returns the verdict in words, with its scope.
func (v Verdict) Says() string {
	switch {
	case v.Busy:
		return "undecided: the machine was busy"
	case v.Scope.Judged < v.Scope.Places:
		return fmt.Sprintf("%s at %d of %d %ss", v.Status, v.Scope.Judged, v.Scope.Places, v.Scope.Noun)
	}
	return string(v.Status)
}
