package search

import "memcost/internal/base/proc"

// Options select what to try and how.
type Options struct {
	Gos    []Go
	Runner *proc.Runner
	Env    []string // complete environment for go commands and children, as toolchain.Environ makes it
	// Dir is for the generated programs: a lasting folder lets the build cache serve the
	// next run; "" is a temporary one.
	Dir string

	// Memory returns how many bytes can be allocated now without harm to other
	// processes. A row that needs more is not tried; with nil or !ok, the rows that need
	// much are not tried either.
	Memory func() (bytes int64, ok bool)

	// Only chooses rows by their names; nil is all of them.
	Only func(name string) bool

	// Known holds rows that were found before: they are passed on unchanged. Those that
	// failed are tried a second time.
	Known []Row

	// Found is called with each row as soon as it is there, known ones included; an
	// error ends the work. done and total count the rows of all versions.
	Found func(row Row, done, total int) error

	// Log is called with what is being done; it may be nil.
	Log func(string)
}
