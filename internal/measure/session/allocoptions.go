// Package alloc does what memcost alloc does, without the command line: it finds the allocators
// and settings that a program can run under, tries each of them once, and begins the comparison of
// those that take effect and have the program do what it does by itself.
package session

import (
	"time"
)

// Options say what is compared and how. Numbers and times that are zero have a default.
type AllocOptions struct {
	Origin  Origin
	Program []string // with its arguments
	With    []string // allocators, by their names or files; none: all that are installed
	Vary    []string // settings, each a configuration of its own
	Until   string   // command that is the load of a server; "": the program ends by itself
	Ready   string   // command that asks whether the server answers
	Stdin   string   // file that each process reads
	Results string   // the folder in which the run folder is made
	Label   string
	DryRun  bool

	Margin  float64
	Alpha   float64
	Budget  time.Duration
	Timeout time.Duration
	Rounds  int
	Seed    *uint64
}

// Timeout is how long a process may take unless somebody says otherwise.
const Timeout = 5 * time.Minute

// Margin is the difference that is worth knowing unless somebody says otherwise, as a share: the
// times of whole programs scatter by several percent from one process to the next.
const Margin = 0.03
