// This part of the package says what a profile of malloc means: how a program uses malloc, in a
// sentence, and which parts of the study malloc say something about this program, with the
// reasons. It is pure.

package mallocprofile

import (
	"time"
)

// A Use is how a program uses malloc.
type Use struct {
	Command []string `json:"command"`
	Ended   string   `json:"ended,omitempty"` // how, unless with status 0: "exit status 1", "killed by SIGSEGV"

	Wall   time.Duration `json:"wall_ns"`
	CPU    time.Duration `json:"cpu_ns"`
	Faults int64         `json:"faults"`
	Calls  uint64        `json:"calls"`                // of all processes
	Rate   float64       `json:"calls_per_cpu_second"` // of all processes

	Processes int     `json:"processes"` // that were counted
	Missing   int     `json:"missing"`   // that were not: there were too many
	Share     float64 `json:"share"`     // of the calls that the process below made

	*Profile `json:"process"`

	Overhead Overhead  `json:"overhead"`
	Headline string    `json:"headline"`
	Findings []Finding `json:"findings"`
}

// A Run is what is known of the run of the program that was profiled.
type Run struct {
	Command   []string
	Ended     string
	Wall, CPU time.Duration
	Faults    int64
	Cores     int
	Pool      string // the sentence that it has a pool between itself and malloc; ""
}

// A Finding says whether a part of the study malloc applies to the program.
type Finding struct {
	Part    string  `json:"part"`
	Applies Applies `json:"applies"`
	Says    string  `json:"says"`              // why, in whole sentences
	Command string  `json:"command,omitempty"` // that measures it
}

// Applies is how much a part of the study matters to a program.
type Applies string

// The answers, most first.
const (
	Yes    Applies = "yes"
	Little Applies = "little"
	No     Applies = "no"
)
