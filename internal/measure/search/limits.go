// Package search finds figures one by one, by trying: the limits of stacks, and the sizes at which
// malloc changes its behaviour.
//
// The limits are what a Go compiler and its runtime keep on
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
	"bytes"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/proc"
	"memcost/internal/gotool/escape"
	"memcost/internal/gotool/toolchain"
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

// Find finds the rows of a version, in the order of Names. A row that cannot
// be found has the reason in Failed; the error is for work that was stopped.
func Find(ctx context.Context, o Options) error {
	b := &bench{Options: o, dir: filepath.Join(o.Dir, o.Go.Version), overflowDepths: map[int]overflowDepth{}}
	err := b.findSites(ctx)
	if err == nil {
		err = b.findTrials(ctx)
	}
	if err != nil {
		return fmt.Errorf("finding the limits of %s: %w", o.Go.Version, err)
	}
	return nil
}

// Options select what to try and how.
type Options struct {
	Go     toolchain.Toolchain
	Names  []string // the rows that are wanted
	Runner *proc.Runner
	Env    []string // complete environment for go commands and children, as toolchain.Environ makes it
	// Dir is for the generated programs: a lasting folder lets the build cache serve the
	// next run.
	Dir string

	// Memory returns how many bytes can be allocated now without harm to other
	// processes. A row that needs more is not tried; with !ok, the rows that need
	// much are not tried either.
	Memory func() (bytes int64, ok bool)

	// Found is called with each row as soon as it is there; an error ends the work.
	Found func(Row) error

	// Log is called with what is being done.
	Log func(string)
}

// A Row is one limit of one Go version.
type Row struct {
	Name    string  // of the case below "Limit/": "what=explicit", "what=depth/frame=1024"
	Version string  // "go1.25.4"
	Value   float64 // in Unit
	Unit    string  // "bytes"; "levels", "steps", "ratio"
	How     string  // by what evidence, in words
	Note    string  // a remark without which the value would be misread; may be ""

	// Failed is why there is no value; "" if there is one.
	Failed string
}

func (r *Row) note(text string) {
	if r.Note != "" && text != "" {
		r.Note += "; "
	}
	r.Note += text
}

// Keys of a record's configuration, beside "study" and "toolchain".
const (
	keyHow    = "how"
	keyNote   = "note"
	keyFailed = "failed"
)

// Study is the name of the study that the records belong to.
const Study = "limits"

// Result returns the row as a record in the Go benchmark format: a case
// BenchmarkLimit/what=… with one figure. A row without a value is a record with the unit
// "failed", as in a run folder.
func (r Row) Result() *benchfmt.Result {
	res := &benchfmt.Result{Name: benchfmt.Name("Limit/" + r.Name), Iters: 1}
	for _, kv := range [][2]string{{"study", Study}, {"toolchain", r.Version}, {keyHow, r.How}, {keyNote, r.Note},
		{keyFailed, r.Failed}} {
		set(res, kv[0], kv[1])
	}
	res.Values = []benchfmt.Value{{Value: r.Value, Unit: r.Unit}}
	if r.Failed != "" {
		res.Values = []benchfmt.Value{{Value: 1, Unit: keyFailed}}
	}
	return res
}

// FromResult returns the row of a record that Result made. Of a row that failed the unit
// is lost.
func FromResult(res *benchfmt.Result) (Row, error) {
	name, ok := strings.CutPrefix(string(res.Name), "Limit/")
	if !ok || len(res.Values) != 1 || res.GetConfig("toolchain") == "" {
		return Row{}, fmt.Errorf("reading a record of memcost limits: Benchmark%s with %d figures and toolchain %q "+
			"is not one", res.Name, len(res.Values), res.GetConfig("toolchain"))
	}
	r := Row{
		Name: name, Version: res.GetConfig("toolchain"), Value: res.Values[0].Value, Unit: res.Values[0].Unit,
		How: res.GetConfig(keyHow), Note: res.GetConfig(keyNote), Failed: res.GetConfig(keyFailed),
	}
	if r.Failed != "" {
		r.Value, r.Unit = 0, ""
	}
	return r, nil
}

// words holds the compiler's diagnostics on one line of a program.
type words struct {
	heap bool   // something of the line is put on the heap
	text string // the statement: "moved to heap: x", "make([]byte, n) does not escape"; "" for none
	why  string // "too large for stack"; "" for none
}

// reason matches the compiler's reason for putting something on the heap:
//
//	./main.go:9:6:     from x (too large for stack) at ./main.go:9:6     (Go 1.14 and newer)
//	./main.go:9:6: 	x (too large for stack) at ./main.go:9:6             (Go 1.13)
var reason = regexp.MustCompile(`^[^ ]*main\.go:(\d+):\d+:.*\((too large for stack|non-constant size)\) at `)

// readWords reads -m=2 output of a program that is one file, main.go: the diagnostics on
// each of its lines. A statement that a value goes to the heap takes precedence over one
// that a value stays.
func readWords(text []byte) (map[int]words, error) {
	log, err := escape.ReadLog(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("reading what the compiler says: %w", err)
	}
	said := map[int]words{}
	for _, d := range log.Diagnostics {
		if path.Base(d.File) != "main.go" || !d.Kind.Heap() && d.Kind != escape.DoesNotEscape {
			continue
		}
		if old := said[d.Line]; old.text == "" || d.Kind.Heap() && !old.heap {
			said[d.Line] = words{heap: d.Kind.Heap(), text: strings.TrimPrefix(d.Message, d.Func+" ")}
		}
	}
	for line := range bytes.Lines(text) {
		if m := reason.FindSubmatch(line); m != nil {
			n, _ := strconv.Atoi(string(m[1]))
			if w := said[n]; w.heap {
				w.why = string(m[2])
				said[n] = w
			}
		}
	}
	return said, nil
}

func (w words) String() string {
	switch {
	case w.text == "":
		return "nothing"
	case w.why == "":
		return strconv.Quote(w.text)
	}
	return strconv.Quote(w.text) + " (" + w.why + ")"
}

// answer is the result of one size of one site.
type answer struct {
	allocs int
	words  words
}

// readCounts reads the output of a generated program: lines "probe SITE n allocs".
func readCounts(out string) (map[string]map[int64]int, error) {
	counts := map[string]map[int64]int{}
	for line := range strings.Lines(out) {
		var name string
		var n int64
		var allocs int
		if !strings.HasPrefix(line, "probe ") {
			continue
		}
		if _, err := fmt.Sscanf(line, "probe %s %d %d", &name, &n, &allocs); err != nil || allocs < 0 {
			return nil, fmt.Errorf("reading the allocation counts: %q is not one", strings.TrimSpace(line))
		}
		if counts[name] == nil {
			counts[name] = map[int64]int{}
		}
		counts[name][n] = allocs
	}
	return counts, nil
}
