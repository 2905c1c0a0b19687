// Package limits determines, by experiment, what a Go compiler and its runtime keep on
// the goroutine stack: how large a variable may be, which slices and strings stay there,
// how deep a recursion goes before the program dies, how stacks start, grow and shrink.
//
// No value is taken from a table or from the runtime's sources. The compiler's decisions
// are found by compiling functions with many sizes, reading its diagnostics
// (-gcflags=-m=2) and running them under an allocation count; where the two disagree,
// the count is used and the row has a note. The runtime's decisions are found by child
// processes, some of which die in the experiment.
//
// It is built on proc, which runs the compiler and the children, and escape, which reads
// the compiler's output.
package search

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Names returns the names of all rows, in the order in which they are found.
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

// Find finds the rows of each version, in the order of Gos and Names. A row that cannot
// be found has the reason in Failed; the error is for work that was stopped, and comes
// with the rows found until then.
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

func (b *bench) findAll(ctx context.Context) error {
	if err := b.findSites(ctx); err != nil {
		return err
	}
	return b.findTrials(ctx)
}
