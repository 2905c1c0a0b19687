package diffpage

import (
	"html/template"

	"memcost/internal/show/page"
)

// A view is what the template shows.
type view struct {
	page.Shared
	Own    template.CSS
	Script template.JS
	Policy string
	Data   template.JS

	Title string
	Parts []part // a comparison each
	Asked string // the command line
	Sites string // the page of the last report
}

// A part is one comparison.
type part struct {
	Anchor, Heading string
	Old, New        string // what the sides are called
	Answer          string
	Further         []string // sentences below it

	Pictures     []picture // the first is open
	PicturesMore string    // how many are left out, "" of none
	Benches      []bench
	BenchesMore  []bench // closed
	Static       bool    // nothing was measured on both sides

	Rows     []row // gone, new, changed
	RowsMore string
	Kinds    []choice // of Rows
	Causes   []choice
	Closed   []closed
	Notes    []string // what limits the comparison
	Asides   []string
	Facts    []fact
}

// A picture is how a benchmark changed, by site.
type picture struct {
	Bench    string
	Name     string // of the switch
	Measures []measure
}

// A measure is what the bars are of.
type measure struct {
	Key, Name, Title string // "bytes", "bytes", "Decode: bytes per operation 480 B → 96 B (-384 B)"
	Bars             []bar
}

// A bar is the change that a site makes. Start and Width are of the drawing's width, in percent,
// for CSS.
type bar struct {
	Anchor       string // of the site's row, "" where it has none
	Name, Place  string
	Kind, Words  string
	Figure       string
	Start, Width string
}

type bench struct{ Name, Objects, Bytes, Time string }

type fact struct{ Name, Value string }

// A choice is what a form offers.
type choice struct {
	Key, Words string
	Sites      int
}

// A row is a site that is gone, new or changed.
type row struct {
	Anchor              string
	Kind, Words         string
	Name, Place, Text   string
	Objects, Bytes, CPU string // in the benchmark that it changed most
	In                  string // that benchmark, where there are several
	Cause, Class, Fix   string
	Probably            string
	Sides               []side
	Costs               []cost
	CostsMore           int
	Shares              bool // of the CPU time are known
}

// A side is a site as it is on one side.
type side struct{ Name, Function, Place, Text, Class, Cause, ID string }

// A cost is what a site costs in a benchmark, on both sides.
type cost struct{ Name, ObjectsOld, ObjectsNew, BytesOld, BytesNew, CPUOld, CPUNew string }

// A closed is a table of sites that did not change.
type closed struct {
	Title string // "moved, at the same cost: 3"
	Rows  []row
	More  string
}

// A dataSite is what the script reads of a row.
type dataSite struct {
	Anchor string     `json:"id"`
	Kind   string     `json:"kind"`
	Cause  string     `json:"cause"`
	Name   string     `json:"name"`
	Sort   [3]float64 `json:"sort"` // change of objects, of bytes, of the share of CPU time
}
