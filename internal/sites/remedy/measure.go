package remedy

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"memcost/internal/gotool/toolchain"
	"memcost/internal/sites"
	"memcost/study"
)

// Options say how prices are measured. The zero value is ready.
type Options struct {
	Runs     int           // processes for each figure; at least 10
	Time     time.Duration // of each process, about; 0 is 5 ms
	Seed     uint64        // of the order
	Vars     []string      // variables of what is run: GOGC …
	Progress func(Progress)
}

// Progress is how far Measure is.
type Progress struct {
	What     string // "pricing objects of 48 bytes"
	Done, Of int    // processes
	Left     time.Duration
}

const (
	leastRuns = 10
	usualTime = 5 * time.Millisecond
)

//go:embed _objects
var objectFiles embed.FS

// Measure returns the seconds for one object of each of the classes (bytes of the runtime's
// size class, or of a large object), with its share of collecting, and the pairs of the study
// escape for the causes (see Pair). Each figure is the mean of Options.Runs processes, with its
// 95% interval by Student's t; one process of each figure in a random order is a round.
//
// Each class is measured, none is interpolated, and so are the classes of what the pairs make.
// Objects of 16 bytes and more hold no pointers; those of 8 are one pointer. Classes of more
// than 64 MiB, and causes without a pair, are left out.
func Measure(ctx context.Context, b *toolchain.Builder, tc toolchain.Toolchain, classes []int64, causes []string,
	o Options) (Prices, error) {
	o.Runs, o.Time = max(o.Runs, leastRuns), orUsual(o.Time)
	out := Prices{Go: tc.Version, Classes: map[int64]sites.Interval{}, Pairs: map[string]Pair{}}
	x := &measuring{builder: b, tc: tc, options: o}
	more, err := x.study(ctx, causes)
	if err != nil {
		return out, err
	}
	if err := x.objects(ctx, append(more, classes...)); err != nil {
		return out, err
	}
	if err := x.rounds(ctx); err != nil {
		return out, err
	}
	for _, c := range x.cases {
		c.fill(&out)
	}
	samePairs(out.Pairs, causes)
	return out, nil
}

func orUsual(d time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return usualTime
}

// measuring is one call of Measure.
type measuring struct {
	builder *toolchain.Builder
	tc      toolchain.Toolchain
	options Options
	cases   []*benchCase
}

// objects builds the benchmark of objects, and lists its cases.
func (x *measuring) objects(ctx context.Context, classes []int64) error {
	sizes := sizesOf(classes)
	if len(sizes) == 0 {
		return nil
	}
	tree, err := fs.Sub(objectFiles, "_objects")
	if err != nil {
		return err
	}
	path, err := x.build(ctx, tree, "objects")
	if err != nil {
		return err
	}
	for _, size := range sizes {
		x.cases = append(x.cases, objectCase(path, size))
	}
	return nil
}

// study builds the study escape, and lists the cases of the causes. It returns the classes of
// the objects that these make, which a first run of each shows: what the pair saves beside an
// object is known only if the object has a price.
func (x *measuring) study(ctx context.Context, causes []string) (classes []int64, err error) {
	named := pairsOf(causes)
	if len(named) == 0 {
		return nil, nil
	}
	path, err := x.build(ctx, study.FS, "escape")
	if err != nil {
		return nil, err
	}
	for _, pair := range named {
		look := pairCase(path, pair, escapes)
		if err := look.run(ctx, x.builder.Runner, x.env(), time.Millisecond); err != nil {
			return nil, err
		}
		if n := look.objects[0]; n >= 0.5 {
			classes = append(classes, roundedUp(look.bytes[0]/n))
		}
		x.cases = append(x.cases, pairCase(path, pair, escapes), pairCase(path, pair, fixed))
	}
	return classes, nil
}

// env is the environment of what is run.
func (x *measuring) env() []string {
	env := x.builder.Env
	if env == nil {
		env = os.Environ()
	}
	return append(slices.Clone(env), x.options.Vars...)
}

// build returns the test binary of a package of the tree, which the cache keeps.
func (x *measuring) build(ctx context.Context, tree fs.FS, pkg string) (path string, err error) {
	x.tell("building the benchmarks that prices are taken from", 0, 0, 0)
	dir, err := toolchain.PrepareStudies(tree, filepath.Join(x.builder.CacheDir, "studies"), x.tc)
	if err != nil {
		return "", err
	}
	built, err := x.builder.Build(ctx, toolchain.Build{Toolchain: x.tc, Dir: dir, Pkg: "./" + pkg, Quiet: true})
	if err != nil {
		return "", fmt.Errorf("building the benchmarks that prices are taken from: %w", err)
	}
	return built.Paths[0], nil
}

// rounds runs each case once a round, in a random order.
func (x *measuring) rounds(ctx context.Context) error {
	order := rand.New(rand.NewPCG(x.options.Seed, uint64(len(x.cases))))
	env := x.env()
	began, all := time.Now(), x.options.Runs*len(x.cases)
	done := 0
	for range x.options.Runs {
		for _, i := range order.Perm(len(x.cases)) {
			left := x.options.Time * 3 * time.Duration(all)
			if done > 0 {
				left = time.Since(began) / time.Duration(done) * time.Duration(all-done)
			}
			x.tell("pricing "+x.cases[i].what, done, all, left)
			if err := x.cases[i].run(ctx, x.builder.Runner, env, x.options.Time); err != nil {
				return err
			}
			done++
		}
	}
	return nil
}

func (x *measuring) tell(what string, done, all int, left time.Duration) {
	if x.options.Progress != nil {
		x.options.Progress(Progress{What: what, Done: done, Of: all, Left: left})
	}
}
