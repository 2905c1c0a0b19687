package language

// The kinds of pictures that a study may ask for.
const (
	Curve  = "curve"  // cost against a key whose values are numbers
	Forest = "forest" // ratios with their intervals, one line for each value of the key
	Dots   = "dots"   // figures with their intervals, one line for each value of the key
	Steps  = "steps"  // figures by ByToolchain, and where they change
)

// ByToolchain is the key of tables and pictures that set the toolchains beside each
// other: each column is one case.
const ByToolchain = "toolchain"

// pictureKinds lists the kinds of a Picture.
var pictureKinds = []string{Curve, Forest, Dots, Steps}

// A Picture shows the figures of a table, drawn.
type Picture struct {
	Kind string
	Table
	// Roofline is the header of the column that is drawn as the floor under the
	// others: what the machine's memory can do at all. "" is none.
	Roofline string
	Against  []string // IDs of the claims whose bounds are drawn into it
}

// A Column is one column of a Table: Num's figure, or Num / Den when Den is not zero.
type Column struct {
	Header   string
	Num, Den Selector
	Unit     string // tidied; "sec/op" unless the column names another
	PerKey   string // as in Claim
	// Floor reports that the column is a lower bound of the others: a row in which only
	// this column has a figure is not shown.
	Floor bool
	Pos   Pos
}

// A Table shows a study's answer, one row for each value of the key By.
type Table struct {
	Title   string
	By      string
	Columns []Column
	Pos     Pos
}
