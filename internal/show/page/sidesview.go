package page

// A sidesView is a comparison of the sides of a run.
type sidesView struct {
	Versus   string
	Heading  string // what the page asks; "": whether the change mattered
	Index    int    // among the studies, for the choices
	Says     []string
	Sides    []fact
	Tables   []sidesTable
	Pictures [][]pictureView
	Notes    []string
}

// A sidesTable is one metric of one side against the first.
type sidesTable struct {
	Caption string
	Header  []string
	Rows    []sidesRow
	Count   string
	Folded  bool // nothing in it changed
}

type sidesRow struct {
	Name           string
	Cells          []string
	Class, Verdict string
}
