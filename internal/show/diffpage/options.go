package diffpage

// Options say what the page has besides the comparisons.
type Options struct {
	Invocation string // the command line that made the reports, "" if it is not known
	// Sites is where the page of the last report stands, relative to this one; "" of none.
	Sites string
}

const (
	benchesOpen = 6   // benchmarks in a table; further ones are closed
	barsMost    = 12  // sites in a picture
	drawnMost   = 12  // benchmarks with a picture
	rowsMost    = 800 // sites in a table
	costsMost   = 10  // benchmarks in the detail of a site
)
