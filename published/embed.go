// Package published carries figures that other people published, one data set a
// file, in the Go benchmark format. The keys source, study, machine and
// toolchain at the head of each file say where it is from.
package published

import "embed"

// FS holds the data sets.
//
//go:embed *.txt
var FS embed.FS
