package search

import (
	"time"

	"memcost/internal/base/proc"
)

// Options select what to try and how.
type CliffOptions struct {
	Program  string // path of malloc_bench
	Settings []Setting
	Runner   *proc.Runner
	Env      []string // complete environment of the program; a setting's own is added

	// Smallest and Largest block to try, in bytes: at least 8. The program itself
	// leaves out sizes for which there is too little memory.
	Smallest, Largest int64

	// MayLock reports whether the process may lock more memory than RLIMIT_MEMLOCK
	// (CAP_IPC_LOCK).
	MayLock bool

	// Timeout ends a probe that hangs; 0 is 30 seconds.
	Timeout time.Duration

	// Found is called with each setting when its search is over, the failed ones
	// included; an error ends the work.
	Found func(Finding) error

	// Log is called with what is being tried, and roughly what share of the setting's
	// work is done (0 to 1); it may be nil.
	Log func(what string, share float64)
}
