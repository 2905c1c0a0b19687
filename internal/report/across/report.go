// Package across says what several machines have to say together: every claim by machine, the claims
// about machines, and by how much kinds of machines, boards of one kind and the samples of one board differ. It
// is computed from answers of package result, and pure.
package across

import "memcost/internal/report/figures"

// A Report is of at least two machines.
type Report struct {
	// Machines are the columns: the boards of one kind next to each other, kinds and boards in the order of the
	// answers. A machine with several answers has as many.
	Machines []Machine `json:"machines"`
	Kinds    int       `json:"kinds"`
	Boards   int       `json:"boards"`
	Says     string    `json:"says"` // "5 machines of 3 kinds"
	Studies  []Study   `json:"studies"`
}

// A Machine is one data set of one machine.
type Machine struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`  // the model of its processor, else of its board
	Board string `json:"board"` // which of that kind
	Run   int    `json:"run"`   // index of the answer
	Busy  bool   `json:"busy,omitempty"`
	// CopyRate is what a plain copy of 16 KiB moved a second, in bytes: a measure of the machine's strength that
	// every run takes.
	CopyRate figures.Number `json:"copy_bytes_per_sec"`
}

// A Study is one that at least two machines have.
type Study struct {
	Name    string   `json:"name"`
	Claims  []Claim  `json:"claims"`
	Cost    *Line    `json:"cost,omitempty"` // of one case, by the machines' strength
	Spreads []Spread `json:"spreads"`        // of the cases that all of its machines have
}

// A Claim is a row of the matrix, with a cell for each machine.
type Claim struct {
	ID     string `json:"id"`
	Prose  string `json:"prose"`
	Cells  []Cell `json:"cells"`
	Says   string `json:"says"`             // "holds on 4 of 5 machines", or what the line says
	Status string `json:"status,omitempty"` // of a claim about machines
	Line   *Line  `json:"line,omitempty"`   // likewise
}

// A Cell is the verdict of one machine.
type Cell struct {
	Status string `json:"status"` // holds, fails, undecided, not tested, INVALID; "": the machine lacks the study
	Says   string `json:"says"`
}

// A Line is a figure of each machine by its strength, and the line through the kinds of machines.
type Line struct {
	Title    string         `json:"title"`
	Strength string         `json:"strength"` // what it is
	Figure   string         `json:"figure"`   // what is drawn over it
	Points   []Point        `json:"points"`
	Kinds    int            `json:"kinds"`
	Boards   int            `json:"boards"`
	Exponent figures.Figure `json:"exponent"` // of the figure in the strength, with its interval
	P        figures.Number `json:"p"`        // of a line as steep in the same direction, by permutation of the kinds
	Says     string         `json:"says"`
	Fitted   []Fitted       `json:"fitted"` // none: fewer than four kinds
}

// A Point is a machine, or what someone published of one.
type Point struct {
	Name      string         `json:"name"`
	Kind      string         `json:"kind"`
	Published bool           `json:"published,omitempty"`
	Strength  figures.Number `json:"strength"` // bytes a second
	Figure    figures.Figure `json:"figure"`
}

// Fitted is the line at a strength, with its band.
type Fitted struct {
	Strength figures.Number `json:"strength"`
	Value    figures.Number `json:"value"`
	Lo       figures.Number `json:"lo"`
	Hi       figures.Number `json:"hi"`
}

// A Spread says by how much the times of a case differ: standard deviations of their logarithms, as shares. Null is
// what cannot be known: with one kind, or one board of each.
type Spread struct {
	Case    string         `json:"case"`
	Kinds   figures.Number `json:"between_kinds"`
	Boards  figures.Number `json:"between_boards"` // of one kind
	Samples figures.Number `json:"within_board"`   // of one board's samples, in the middle of the boards
}
