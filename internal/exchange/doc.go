// Package exchange reads and writes benchmark results in the formats of other tools.
//
// Reading yields benchfmt.Result in base units, one at a time: a file need not fit in
// memory. Writing takes either the answers ([Row], for trackers that keep one number a
// benchmark) or the samples (for tools that do their own statistics).
//
// What a foreign format cannot express is lost, and each format's file names what that
// is. No value is made up to fill a gap.
package exchange

import "slices"

// A Format is a format of a file of benchmark results.
type Format string

const (
	// Go is the Go benchmark format, https://golang.org/design/14313-benchmark-format.
	// It is only written here: reading it is the samples' own reader's business.
	Go Format = "go"
	// Google is Google Benchmark's --benchmark_format=json.
	Google Format = "gbench"
	// Action is the array of github-action-benchmark's customSmallerIsBetter
	// and customBiggerIsBetter; its history file data.js is read as well.
	Action Format = "github"
	// Bencher is the Bencher Metric Format.
	Bencher Format = "bencher"
	// CSV is a table: memcost's own, or any with a column of names and columns headed by
	// units.
	CSV Format = "csv"
)

// Formats lists the formats, in the order in which they are documented.
func Formats() []Format { return slices.Clone(formats) }

var formats = []Format{Go, Google, Action, Bencher, CSV}
