package result

import (
	"memcost/internal/gotool/exectrace"
	"memcost/internal/gotool/profile"
)

// A Recording is a CPU profile or an execution trace that a run took.
type Recording struct {
	Case, Side string
	File       string // in the run folder
	Tool       string // that shows more of it: go tool pprof
	What       string // Flame graph, Timeline

	Trace   *exectrace.Trace // nil: it is a profile
	Profile *profile.Profile // nil: it is a trace
}
