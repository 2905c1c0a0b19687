// Package limits finds out, by trying, what a Go compiler and its runtime keep on
// the goroutine stack: how large a variable may be, which slices and strings stay
// there, how deep a recursion goes before the program dies, how stacks start, grow
// and shrink.
//
// Nothing is taken from a table or from the runtime's sources. What the compiler
// decides is found by compiling functions with many sizes, reading its own words
// (-gcflags=-m=2) and running them under an allocation count; where the two
// disagree, the count wins and the row says so. What the runtime decides is found
// by child processes, some of which die of what they try.
//
// It is built on the facts proc, which runs the compiler and the children, and
// escape, which understands the compiler.
package limits

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"memcost/internal/proc"
)

// Go is a toolchain to try.
type Go struct {
	Version string // "go1.25.4"
	GOROOT  string
	GoCmd   string // path of its go command
}

// A Row is one limit of one Go version.
type Row struct {
	Name    string  // of the case below "Limit/": "what=explicit", "what=depth/frame=1024"
	Version string  // "go1.25.4"
	Value   float64 // in Unit
	Unit    string  // "bytes"; "levels", "steps", "ratio"
	How     string  // by what evidence, in words
	Note    string  // what a reader must know to use the value; "" if nothing

	// Failed says why there is no value; "" if there is one.
	Failed string
}

// Options say what to try and how.
type Options struct {
	Gos    []Go
	Runner *proc.Runner
	Env    []string // complete environment for go commands and children, as toolchain.Environ makes it
	Dir    string   // for the generated programs; a lasting folder lets the build cache serve the next run; "" is a temporary one

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

// Times after which a process is ended. Compiling the standard library for a cold
// cache takes a slow machine minutes; a child that has not ended by then hangs.
const (
	buildTime = 10 * time.Minute
	childTime = 2 * time.Minute
)

// Names are the names of all rows, in the order in which they are found.
func Names() []string {
	var names []string
	for _, s := range sites {
		names = append(names, s.row())
	}
	for _, t := range trials() {
		names = append(names, t.name)
	}
	return names
}

// Find finds the rows of each version, in the order of Gos and Names. A row that
// cannot be found says so in Failed; the error is for work that was stopped, and
// comes with the rows found until then.
func Find(ctx context.Context, o Options) ([]Row, error) {
	if o.Dir == "" {
		dir, err := os.MkdirTemp("", "memcost-limits-")
		if err != nil {
			return nil, fmt.Errorf("making a folder for the programs of memcost limits: %w", err)
		}
		defer os.RemoveAll(dir)
		o.Dir = dir
	}
	f := &finder{Options: o, wanted: map[string]bool{}}
	for _, name := range Names() {
		if o.Only == nil || o.Only(name) {
			f.wanted[name] = true
		}
	}
	for _, g := range o.Gos {
		b := &bench{finder: f, g: g, dir: filepath.Join(o.Dir, g.Version), known: map[string]Row{}}
		for _, r := range o.Known {
			if r.Version == g.Version && r.Failed == "" {
				b.known[r.Name] = r
			}
		}
		if err := b.findAll(ctx); err != nil {
			return f.rows, fmt.Errorf("finding the limits of %s: %w", g.Version, err)
		}
	}
	return f.rows, nil
}

// finder is one call of Find.
type finder struct {
	Options
	wanted map[string]bool
	rows   []Row
}

// bench tries one toolchain.
type bench struct {
	*finder
	g     Go
	dir   string
	known map[string]Row
	stack string       // the built program of the run-time rows; "" before
	falls map[int]fall // by frame
}

func (b *bench) findAll(ctx context.Context) error {
	if err := b.findSites(ctx); err != nil {
		return err
	}
	return b.findTrials(ctx)
}

// open is whether a row is wanted and has still to be found.
func (b *bench) open(name string) bool {
	_, known := b.known[name]
	return b.wanted[name] && !known
}

// add hands a row on.
func (b *bench) add(r Row) error {
	if known, ok := b.known[r.Name]; ok {
		r = known
	}
	r.Version = b.g.Version
	b.rows = append(b.rows, r)
	if b.Found == nil {
		return nil
	}
	return b.Found(r, len(b.rows), len(b.wanted)*len(b.Gos))
}

func (b *bench) log(format string, args ...any) {
	if b.Log != nil {
		b.Log(b.g.Version + ": " + fmt.Sprintf(format, args...))
	}
}
