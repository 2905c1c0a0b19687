package remedy

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/proc"
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
	Progress func(sites.Progress)
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
	o.Runs, o.Time = max(o.Runs, leastRuns), cmp.Or(o.Time, usualTime)
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
		if c.size > 0 {
			c.price(out.Classes)
		}
	}
	for _, cause := range causes {
		if name, ok := pairs[cause]; ok {
			e, f := x.form(name, escapes), x.form(name, fixed)
			out.Pairs[cause] = Pair{Escapes: sites.Mean(e.seconds), Fixed: sites.Mean(f.seconds),
				Objects: sites.Mean(e.objects).Value, Bytes: sites.Mean(e.bytes).Value}
		}
	}
	return out, nil
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
		x.options.Progress(sites.Progress{What: what, Done: done, Of: all, Left: left})
	}
}

const timeout = time.Minute // of one process

// largest is the size from which objects are not priced: a few of them fill the memory of a
// small machine.
const largest = 64 << 20

// The forms of a pair, as the study names them.
const (
	escapes = "escapes"
	fixed   = "fixed"
)

// A benchCase is one figure and what its processes printed.
type benchCase struct {
	what    string // "objects of 48 bytes"
	program string
	bench   string // for -test.bench
	vars    []string

	size       int64  // of an object, or
	pair, form string // of the study

	seconds, objects, bytes []float64 // per operation, of each run
}

func objectCase(program string, size int64) *benchCase {
	text := strconv.FormatInt(size, 10)
	return &benchCase{what: "objects of " + text + " bytes", program: program, size: size,
		bench: "^BenchmarkObject$/^size=" + text + "$", vars: []string{"MEMCOST_SIZES=" + text}}
}

func pairCase(program, pair, form string) *benchCase {
	return &benchCase{what: "cause=" + pair + "/form=" + form, program: program, pair: pair, form: form,
		bench: "^BenchmarkCause$/^cause=" + pair + "$/^form=" + form + "$"}
}

// sizesOf returns the sizes that are measured of the classes, each once.
func sizesOf(classes []int64) []int64 {
	out := slices.DeleteFunc(slices.Clone(classes), func(c int64) bool { return c < 8 || c > largest })
	slices.Sort(out)
	return slices.Compact(out)
}

// pairsOf returns the pairs of the causes, each once.
func pairsOf(causes []string) []string {
	var out []string
	for _, c := range causes {
		if p, ok := pairs[c]; ok {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// run runs the case in a process, for about the given time.
func (c *benchCase) run(ctx context.Context, runner *proc.Runner, env []string, length time.Duration) error {
	res, err := runner.Run(ctx, proc.Cmd{Path: c.program, Env: append(slices.Clone(env), c.vars...), Timeout: timeout,
		Args: []string{"-test.run=^$", "-test.bench=" + c.bench, "-test.benchtime=" + length.String()}})
	if err != nil {
		return fmt.Errorf("pricing %s: %w", c.what, err)
	}
	if err := res.Err("pricing " + c.what); err != nil {
		return err
	}
	return c.read(res.Stdout)
}

// read takes the figures from what a process printed.
func (c *benchCase) read(stdout []byte) error {
	r := benchfmt.NewReader(bytes.NewReader(stdout), c.what)
	for r.Scan() {
		res, ok := r.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		sec, known := res.Value("sec/op")
		objects, counted := res.Value("allocs/op")
		size, sized := res.Value("B/op")
		if known && counted && sized {
			c.seconds = append(c.seconds, sec)
			c.objects, c.bytes = append(c.objects, objects), append(c.bytes, size)
			return nil
		}
	}
	return fmt.Errorf("pricing %s: the benchmark printed nothing that can be read:\n%s", c.what, stdout)
}

// form returns the case of a form of a pair.
func (x *measuring) form(pair, form string) *benchCase {
	return x.cases[slices.IndexFunc(x.cases, func(c *benchCase) bool { return c.pair == pair && c.form == form })]
}

// price puts the price of an object into those of classes.
func (c *benchCase) price(classes map[int64]sites.Interval) {
	classes[c.size] = sites.Mean(c.seconds)
	class := int64(math.Round(sites.Mean(c.bytes).Value/sites.Mean(c.objects).Value/8) * 8)
	if _, known := classes[class]; !known && class > c.size { // it was asked for with another size
		classes[class] = classes[c.size]
	}
}

// roundedUp returns a multiple of 8, 16, 32 or 128 bytes for the mean size of objects. Up to
// 512 bytes it is a size class (internal/runtime/gc/sizeclasses.go, Go 1.26); above, the
// runtime may make the object larger, which fill sees.
func roundedUp(size float64) int64 {
	step := 128.0
	switch {
	case size <= 32.5:
		step = 8
	case size <= 256.5:
		step = 16
	case size <= 512.5:
		step = 32
	}
	return int64(math.Ceil((size-0.5)/step) * step)
}
