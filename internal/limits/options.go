package limits

import "memcost/internal/proc"

// Options say what to try and how.
type Options struct {
	Gos    []Go
	Runner *proc.Runner
	Env    []string // complete environment for go commands and children, as toolchain.Environ makes it
	// Dir is for the generated programs: a lasting folder lets the build cache serve the
	// next run; "" is a temporary one.
	Dir string

	// Memory is how many bytes can be had now without harm to others. A row that
	// needs more is not tried; nil or !ok is not known, and the rows that need
	// much are not tried either.
	Memory func() (bytes int64, ok bool)

	// Only chooses rows by their names; nil is all of them.
	Only func(name string) bool

	// Known are rows that were found before: they are handed on as they are. Those
	// that failed are tried again.
	Known []Row

	// Found is called with each row as soon as it is there, known ones included; an
	// error ends the work. done and total count the rows of all versions.
	Found func(row Row, done, total int) error

	// Log is told what is being done; nil is silent.
	Log func(string)
}
