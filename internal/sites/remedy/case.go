package remedy

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"golang.org/x/perf/benchfmt"
	"gonum.org/v1/gonum/stat"

	"memcost/internal/base/proc"
	"memcost/internal/sites"
)

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
	var out []int64
	for _, c := range classes {
		if c >= 8 && c <= largest {
			out = append(out, c)
		}
	}
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

// fill puts the figures into prices, of pairs by the study's name.
func (c *benchCase) fill(p *Prices) {
	switch {
	case c.size > 0:
		p.Classes[c.size] = sites.Mean(c.seconds)
		if class := int64(math.Round(stat.Mean(c.bytes, nil)/stat.Mean(c.objects, nil)/8) * 8); class > c.size {
			if _, known := p.Classes[class]; !known { // it was asked for with another size
				p.Classes[class] = p.Classes[c.size]
			}
		}
	case c.form == escapes:
		pair := p.Pairs[c.pair]
		pair.Escapes = sites.Mean(c.seconds)
		pair.Objects, pair.Bytes = stat.Mean(c.objects, nil), stat.Mean(c.bytes, nil)
		p.Pairs[c.pair] = pair
	default:
		pair := p.Pairs[c.pair]
		pair.Fixed = sites.Mean(c.seconds)
		p.Pairs[c.pair] = pair
	}
}

// samePairs renames pairs from the study's names to the keys of the causes.
func samePairs(all map[string]Pair, causes []string) {
	named := map[string]Pair{}
	for _, c := range causes {
		if p, ok := pairs[c]; ok {
			named[c] = all[p]
		}
	}
	clear(all)
	for c, p := range named {
		all[c] = p
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
