package result

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/catalog"
	"memcost/internal/claim"
	"memcost/internal/exchange"
	"memcost/internal/plan"
	"memcost/internal/series"
	"memcost/internal/store"
	"memcost/internal/units"
)

// ReadFile computes the answer of a file of benchmark results that may be anyone's:
// in the Go benchmark format, or in one that package exchange reads, told by its
// content. name is the file's name; o.Evidence is of no use to it.
//
// Its samples were not taken in rounds, so that nothing is known of how the
// machine changed in between: figures are medians with the interval that
// benchstat shows, and claims are judged by the medians, as published figures are.
// There is one suite for each study: or pkg: of the file, and one arm for each
// toolchain: and arm:; what has neither is called after the file.
func ReadFile(name string, r io.Reader, o Options) (*Answer, error) {
	f := &file{base: filepath.Base(name), options: o, mixed: map[string]bool{}, Answer: &Answer{
		Format: Format, Kind: File, Dir: name, Command: []string{}, Options: plan.Options{Alpha: plan.Alpha},
		Arms: []plan.Arm{}, Voids: []series.Void{}, LoopShare: Number(math.NaN()), NoiseFloor: []Noise{},
		Suites: []Suite{}, Warnings: []string{},
	}}
	damage, err := readAny(r, name, f.add)
	switch {
	case errors.Is(err, exchange.ErrNoResults), err == nil && f.Samples == 0:
		return nil, noResults(name, damage)
	case err != nil:
		return nil, err
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
	return fmt.Errorf("reading %s: no benchmark results in it%s; what can be read: the Go benchmark format (UTF-8, as go test -bench prints it), "+
		"the JSON of Google Benchmark, of github-action-benchmark and of Bencher, and CSV with a column of names and columns headed by units", name, why)
}

// A file is one on its way to its answer.
type file struct {
	*Answer
	base    string
	options Options
	parts   []*filePart
	last    *filePart

	place    [len(placeKeys)][]byte // where the first result was measured
	mixed    map[string]bool        // keys with several values
	foreign  bool                   // some result is not memcost's
	unusable int                    // times that cannot be
	huge     int
}

// A filePart is the results of one study or package.
type filePart struct {
	name    string
	unnamed bool
	study   *catalog.Study
	set     *series.Set
}

// placeKeys tell where and of what a result was measured.
var placeKeys = [...]string{"goos", "goarch", "cpu", "machine", "commit"}

// longest is the longest time per op that is believed without a word, in seconds.
const longest = 1e7

func (f *file) add(r *benchfmt.Result) error {
	if len(r.GetConfig(series.KeyRole)) > 0 {
		return nil // the second copy of an arm, or a guard's sample
	}
	f.Samples++
	f.see(r)
	ours := slices.ContainsFunc(r.Values, func(v benchfmt.Value) bool {
		return v.Unit == series.UnitPadding || v.Unit == series.UnitFailed
	})
	f.foreign = f.foreign || !ours
	r.Values = slices.DeleteFunc(r.Values, func(v benchfmt.Value) bool {
		switch v.Unit {
		case "sec/op":
			if !(v.Value > 0) || math.IsInf(v.Value, 0) {
				f.unusable++
			} else if v.Value > longest {
				f.huge++
			}
		case "ns/op": // what 0 and infinity are left in by benchfmt.Reader, for scaling does not change them
			f.unusable++
			return true
		case series.UnitRound: // several runs may stand in one file: its samples are numbered as they come
			return true
		case series.UnitOrder, series.UnitLayout, series.UnitPadding:
			return ours
		}
		return false
	})
	if data := r.GetConfig("data"); data != "" && r.GetConfig(series.KeyArm) == "" && r.GetConfig(series.KeyToolchain) == "" {
		r.SetConfig(series.KeyArm, data) // an answer that memcost wrote as CSV
	}
	f.part(r).set.Add(r)
	return nil
}

// see notes where a result comes from.
func (f *file) see(r *benchfmt.Result) {
	for i, key := range placeKeys {
		at, ok := r.ConfigIndex(key)
		if !ok {
			continue
		}
		switch v := r.Config[at].Value; {
		case f.place[i] == nil:
			f.place[i] = slices.Clone(v)
		case !bytes.Equal(f.place[i], v):
			f.mixed[key] = true
		}
	}
}

// part is the one that a result belongs to.
func (f *file) part(r *benchfmt.Result) *filePart {
	name := cmp.Or(r.GetConfig(series.KeySuite), r.GetConfig(series.KeyPkg))
	unnamed := name == ""
	if unnamed {
		name = f.base
	}
	if f.last != nil && f.last.name == name {
		return f.last
	}
	at := slices.IndexFunc(f.parts, func(p *filePart) bool { return p.name == name })
	if at < 0 {
		at = len(f.parts)
		p := &filePart{name: name, unnamed: unnamed}
		if f.options.Studies != nil {
			p.study = f.options.Studies(name)
		}
		if p.study == nil {
			p.study = &catalog.Study{Name: name}
		}
		p.set = series.New(nil, claim.Units(p.study)...)
		f.parts = append(f.parts, p)
	}
	f.last = f.parts[at]
	return f.last
}

// conclude computes the answer from what was read.
func (f *file) conclude(damage []error) {
	m := &f.Machine
	m.OS, m.Arch, m.CPUModel, m.Hostname = string(f.place[0]), string(f.place[1]), string(f.place[2]), string(f.place[3])
	rounds := "the samples of %s were not taken in rounds: its"
	if !f.foreign {
		rounds = "the rounds of %s are not made use of, as they are when its run folder is named: its"
	}
	f.warn(rounds+" figures are medians with the interval that benchstat shows (95%%), and a machine that changed meanwhile is not told from a difference", f.base)
	for _, key := range placeKeys {
		if f.mixed[key] {
			f.warn("the file holds results with several values of %s (%s and others): those of one case are taken together", key, f.place[slices.Index(placeKeys[:], key)])
		}
	}
	if f.unusable > 0 {
		f.warn("%s left out: NaN, zero, negative or infinite", units.Plural(f.unusable, "time"))
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
	for _, p := range f.parts {
		f.Suites = append(f.Suites, f.suite(p))
	}
}

// arm returns the name of a series' arm, which the answer then lists.
func (f *file) arm(s *series.Series) string {
	name := cmp.Or(s.Arm, f.base)
	if !slices.ContainsFunc(f.Arms, func(a plan.Arm) bool { return a.Name == name }) {
		a := plan.Arm{Name: name}
		if t := s.Result.GetConfig(series.KeyToolchain); t != "" && strings.HasPrefix(name, t) {
			a.Toolchain = t
		}
		f.Arms = append(f.Arms, a)
	}
	return name
}
