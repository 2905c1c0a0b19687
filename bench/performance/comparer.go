package main

import (
	"context"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"memcost/internal/machine"
)

//go:embed testdata/known/known_test.go
var knownFS embed.FS

// How long each method samples for a true change, and what benchstat is given: samples of
// a fixed length, so that every version of memcost stands beside the same benchstat, and
// the ten of them that its documentation asks for.
const (
	fullSpan         = 60.0 // seconds, at scale 1
	interleavedTime  = "235ms"
	sequentialCount  = 10
	sequentialTime   = "150ms"
	sequentialsOfAA  = 3  // comparisons of identical sides: about as long as the other methods
	preparationGuess = 12 // seconds; until a step has been timed
)

// A comparer measures the methods beside each other.
type comparer struct {
	sampler
	pkg, binary string // the benchmarks, and their test binary
	linked      float64
	span        float64 // seconds of each sampling
	steps       *stepStore
}

// prepare writes the benchmarks, links them and finds what is done already.
func (x *comparer) prepare(ctx context.Context) error {
	x.pkg = filepath.Join(x.dir, "known")
	source, err := knownFS.ReadFile("testdata/known/known_test.go")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(x.pkg, 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(x.pkg, "known_test.go"), source, 0o666); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(x.pkg, "go.mod"), []byte("module known\n\ngo 1.22\n"), 0o666); err != nil {
		return err
	}
	began := time.Now()
	if x.binary, err = x.build(ctx, x.pkg, "known.test", "test", "-c", "."); err != nil {
		return err
	}
	x.linked = time.Since(began).Seconds()
	setting, err := x.hash()
	if err != nil {
		return err
	}
	x.steps, err = openSteps(filepath.Join(x.dir, "methods", setting), setting)
	if err == nil && len(x.steps.done) > 0 {
		x.logf("methods: %d steps are done already (%s)", len(x.steps.done), x.steps.dir)
	}
	return err
}

// hash returns a short hash of everything that a step depends on.
func (x *comparer) hash() (string, error) {
	fp, err := machine.ReadFingerprint("")
	if err != nil {
		return "", fmt.Errorf("reading what this machine is: %w", err)
	}
	return hashOf([]string{x.memcost, x.binary}, x.span, interleavedTime, sequentialCount, sequentialTime, fp.ID())
}

// seconds are those for which the methods are compared.
func (x *comparer) seconds() []float64 {
	all := []float64{5, 10, 20, 30, 40, x.span}
	slices.Sort(all)
	return slices.Compact(slices.DeleteFunc(all, func(t float64) bool { return t > x.span }))
}
