// Package whytext renders the report of memcost why: on a terminal, as Markdown and as JSON.
// It computes nothing, and reads no files but through the function that it is given.
package whytext

import (
	"memcost/internal/show/text"
	"memcost/internal/sites"
)

const (
	defaultWidth = 100
	leastWidth   = 80 // a narrower terminal has figures below names, and no limit of lines
	linesAtMost  = 45 // of the overview, which one reads at once
	sitesShown   = 10
	benchesShown = 6
)

// Options say what of a report is shown, and how.
type Options struct {
	text.Style        // Long: all benchmarks, all sites, and what was never executed
	Answer     string // one or two sentences that stand first: why.Answer
	All        bool   // what allocates inside of dependencies, below each site
	Site       string // a rank, an ID or file:line: everything that is known of this site
	Source     string // a file: its functions that have sites, with their costs in the margin
	Asked      string // the packages as the user named them, for what to type next; "" is the first one
	// Read returns the contents of a source file, by Site.Path. Without it, or where it
	// fails, there is no source context.
	Read func(path string) ([]byte, error)
}

// view is a report with how it is to be shown.
type view struct {
	r *sites.Report
	o Options
}

// The renderings of a report. They are types of their own so that each is read by itself.
type (
	overview  struct{ *view } // what one reads at once
	unrun     struct{ overview }
	comment   struct{ overview } // on a pull request
	detail    struct{ *view }    // everything about a site
	annotated struct{ *view }    // a file with its costs
)

func newView(r *sites.Report, o Options) *view {
	if o.Width <= 0 {
		o.Width = defaultWidth
	}
	return &view{r, o}
}

// narrow reports whether figures do not fit beside names.
func (v *view) narrow() bool { return v.o.Width < leastWidth }

// limited reports whether the overview has to fit a screen.
func (v *view) limited() bool { return !v.o.Long && !v.o.All && !v.narrow() }

// static reports whether nothing was run.
func (v *view) static() bool { return v.r.Mode == "static" }

// ranked returns the sites that allocated, which stand first in the report.
func (v *view) ranked() []*sites.Site {
	var out []*sites.Site
	for i := range v.r.Sites {
		if v.r.Sites[i].Rank > 0 {
			out = append(out, &v.r.Sites[i])
		}
	}
	return out
}

// unranked returns the sites that did not allocate.
func (v *view) unranked() []*sites.Site {
	var out []*sites.Site
	for i := range v.r.Sites {
		if v.r.Sites[i].Rank == 0 {
			out = append(out, &v.r.Sites[i])
		}
	}
	return out
}

// bench returns a benchmark by its index, nil where the report has none.
func (v *view) bench(i int) *sites.Benchmark {
	if i < 0 || i >= len(v.r.Benchmarks) {
		return nil
	}
	return &v.r.Benchmarks[i]
}
