package whypage

import (
	"html/template"

	"memcost/internal/show/page"
	"memcost/internal/show/whytext"
	"memcost/internal/sites"
)

// A view is what the template shows.
type view struct {
	page.Shared
	Own     template.CSS // style of this page alone
	Scripts []template.JS
	Policy  string
	Data    template.JS

	Title, Answer string
	Static        bool
	Per, Ran      string // "/op", "benchmark"
	Packages      []string
	Warnings      []string

	Benches   []bench // the first
	Further   []bench // closed
	Failed    []string
	Rows      []row
	RowsMore  string // how many sites the table leaves out, "" of none
	Priced    bool   // some site has a price or a gain
	Causes    []cause
	Others    string // what causes without a colour of their own are called
	Classes   []string
	Choices   []string // names of the benchmarks that ran
	Picture   string   // what it shows, "" where nothing can be drawn
	Measures  []measure
	Never     []row
	NeverMore int
	Agreement []string
	Against   []row // sites at which the binary contradicts the compiler
	Unmatched []unmatched
	Facts     []fact
	Asked     string // the command line
}

type bench struct{ Name, Objects, Bytes, Time, Malloc, Assist, GC string }

// A cause of sites, with the number of its colour.
type cause struct {
	Key, Words string
	Color      int
	Sites      int
}

// A measure is what the areas of the picture may be.
type measure struct{ Key, Name string }

type fact struct{ Name, Value string }

type unmatched struct{ Function, Place, Call, Objects, Bytes string }

// A row is a site in a table.
type row struct {
	Anchor, Rank        string
	Name, Place, Text   string
	Objects, Bytes, CPU string // in the benchmark in which it allocates most bytes
	In                  string // that benchmark, where there are several
	Price, Gain         string
	Class, Cause, Fix   string
	Says, Named         string
	Key                 string // of the cause
	Color               int
	Detail              template.HTML
}

// A detail is everything else that is known of a site.
type detail struct {
	ID, Position, Package string
	Generated             bool
	Says, Named, Expr     string
	Steps                 []step
	Calls                 []string
	Chain                 []step
	Context               []sourceLine
	Costs                 []costRow
	MoreCosts             int
	Estimated             bool
	Sizes                 []sizeBar
	Leaves                []leaf
	Smaller               []leaf // closed
	MoreLeaves            int
	Fix, Price, Gain      string
	Edit                  *edit
	Per, Ran              string
	Full                  bool // the page has no room for more of it
}

// A step is a line of text with a place in the source.
type step struct{ Says, Place string }

type sourceLine struct {
	Number int
	Code   string
	Marked bool
}

type costRow struct{ Name, Objects, Bytes, CPU, Malloc, Assist, GC string }

// A sizeBar is the share of a site's objects that have one size.
type sizeBar struct {
	Size, Share string
	Percent     string // of the bar's width, for CSS
}

type leaf struct {
	Objects, Bytes, Function, Place, Called, Class, Cause, Says string
	Steps                                                       []string
}

type edit struct {
	Title, Check string
	Lines        []diffLine
}

type diffLine struct {
	Class string
	Text  kept
}

// kept is a text that is clean already, and has tabs.
type kept string

// A maker makes the view of a report.
type maker struct {
	r     *sites.Report
	o     Options
	cells whytext.Cells
	files map[string][]string // that were read: their lines
}
