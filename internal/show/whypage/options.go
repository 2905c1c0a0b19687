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
	benchesOpen  = 6    // further ones are closed
	rowsMost     = 1000 // sites in a table
	neverMost    = 1000 // sites that allocated nothing
	costsMost    = 10   // benchmarks in the detail of a site
	leavesOpen   = 3    // what allocates inside of dependencies; further ones are closed
	leavesMost   = 12   // of a site, inside of dependencies
	contextLines = 4    // of source, before and after a site

	// A page holds about 2 MB: d3, the rows, and what they open to. Where the details of all
	// sites take more than is left, further ones have the command that shows theirs.
	allBytes = 1_500_000
	rowBytes = 1_200
)
