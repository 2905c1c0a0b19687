package whypage

// Options say what the page has besides the report.
type Options struct {
	// Read returns the contents of a source file, by Site.Path. Without it, or where it
	// fails, a site has its own line of source alone.
	Read       func(path string) ([]byte, error)
	Invocation string // the command line that made the report, "" if it is not known
}

// scripts are the page's own, in the order in which they run, after d3.
var scripts = []string{"table.js", "treemap.js", "why.js"}

const (
	benchesOpen  = 6         // further ones are closed
	rowsMost     = 2000      // sites in a table
	neverMost    = 1000      // sites that allocated nothing
	costsMost    = 10        // benchmarks in the detail of a site
	leavesOpen   = 3         // what allocates inside of dependencies; further ones are closed
	leavesMost   = 12        // of a site, inside of dependencies
	contextLines = 4         // of source, before and after a site
	detailBytes  = 1_100_000 // for all details; sites beyond have the command that shows theirs
)
