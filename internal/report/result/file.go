package result

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/units"
	"memcost/internal/exchange"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
)

// ReadFile computes the answer of a file of benchmark results that may be anyone's:
// in the Go benchmark format, or in one that package exchange reads, told by its
// content. name is the file's name; o.Evidence is of no use to it.
//
// Its samples were not taken in rounds, so that nothing is known of how the
// machine changed in between: figures are medians with the interval that
// benchstat shows, and claims are judged by the medians, as published figures are.
// There is one study for each study: or pkg: of the file, and one side for each
// toolchain: and arm:; what has neither is called after the file.
func ReadFile(name string, r io.Reader, o Options) (*Answer, error) {
	return ReadFiles([]Named{{name, r}}, o)
}

// ReadFiles is ReadFile for files that are one answer; see Joins.
func ReadFiles(files []Named, o Options) (*Answer, error) {
	name := joinedName(files)
	f := &file{base: filepath.Base(name), options: o, mixed: map[string]bool{}, Answer: answerOf(&plan.Question{Command: []string{}, Plan: plan.Plan{Options: plan.Options{Alpha: plan.Alpha}, Sides: []plan.Side{}}},
		name, File)}
	f.CertificateSays = "" // it is a machine of someone else's
	var damage []error
	for _, x := range files {
		before := f.Samples
		more, err := readAny(x, x.Name, f.add)
		switch {
		case errors.Is(err, exchange.ErrNoResults), err == nil && f.Samples == before:
			return nil, noResults(x.Name, more)
		case err != nil:
			return nil, err
		}
		damage = append(damage, more...)
	}
	f.conclude(damage)
	return f.Answer, nil
}

// readAny streams the results of a file in any known format to fn, which may
// change a Result but not keep it.
func readAny(r io.Reader, name string, fn func(*benchfmt.Result) error) (warnings []error, err error) {
	br := bufio.NewReaderSize(r, 64<<10)
	prefix, err := br.Peek(4 << 10)
	if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	if f := exchange.Sniff(prefix); f != exchange.Go {
		return exchange.Read(br, name, f, fn)
	}
	if bytes.HasPrefix(prefix, []byte("\ufeff")) {
		br.Discard(len("\ufeff"))
	}
	return store.Read(br, name, fn)
}

func noResults(name string, damage []error) error {
	why := ""
	if len(damage) > 0 {
		why = fmt.Sprintf(" (%v)", damage[0])
	}
	return fmt.Errorf("reading %s: no benchmark results in it%s; what can be read: the Go benchmark format (UTF-8, "+
		"as go test -bench prints it), "+
		"the JSON of Google Benchmark, of github-action-benchmark and of Bencher, and CSV with a column of names "+
		"and columns headed by units", name, why)
}

// conclude computes the answer from what was read.
func (f *file) conclude(damage []error) {
	m := &f.Machine
	m.OS, m.Arch, m.CPUModel, m.Hostname = string(f.place[0]), string(f.place[1]), string(f.place[2]),
		string(f.place[3])
	rounds := "the samples of %s were not taken in rounds, so its"
	if !f.foreign {
		rounds = "the rounds of %s are used only when its run folder is named, so its"
	}
	f.warn(rounds+" figures are medians with the 95%% interval that benchstat shows, and a difference may be "+
		"a change of the machine", f.base)
	for _, key := range placeKeys {
		if f.mixed[key] {
			f.warn("the file holds results with several values of %s (%s and others): those of one case are "+
				"pooled", key, f.place[slices.Index(placeKeys[:], key)])
		}
	}
	if f.unusable > 0 {
		f.warn("%s ignored: NaN, zero, negative or infinite", units.Plural(f.unusable, "time"))
	}
	if f.huge > 0 {
		f.warn("%s of more than %g s per op: is the unit right?", units.Plural(f.huge, "time"), float64(longest))
	}
	const most = 3
	for i, w := range damage {
		if i == most {
			f.warn("%d more lines like that", len(damage)-most)
			break
		}
		f.warn("%v", w)
	}
	f.Answer.origin = f.origin
	for _, p := range f.parts {
		if err := p.ownVariants(); f.origin != "" && err != nil {
			f.warn("%v", err)
		}
		f.Studies = append(f.Studies, f.study(p))
	}
	if f.origin != "" && single(f.Studies) {
		f.warn("each case of %s has one sample: no figure has an interval, and claims are tested on the figures as "+
			"they stand; --benchmark_repetitions=6 gives intervals", f.base)
	}
}
