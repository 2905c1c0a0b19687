package result

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/measure/plan"
	"memcost/internal/method/claim"
	"memcost/internal/method/series"
	"memcost/internal/study/language"
)

// A file is one on its way to its answer.
type file struct {
	*Answer
	base    string
	options Options
	origin  string // of results of a study's program that was run by hand
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
	study   *language.Study
	set     *series.Set
}

// placeKeys tell where and of what a result was measured.
var placeKeys = [...]string{"goos", "goarch", "cpu", "machine", "commit"}

// longest is the longest time per op that is believed without a word, in seconds.
const longest = 1e7

func (f *file) add(r *benchfmt.Result) error {
	if len(r.GetConfig(series.KeyRole)) > 0 {
		return nil // the second copy of a side, or a guard's sample
	}
	f.Samples++
	f.adopt(r)
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
		case series.UnitOrder, series.UnitLayout, series.UnitPadding, series.UnitLink:
			return ours
		}
		return false
	})
	if data := r.GetConfig("data"); data != "" && r.GetConfig(series.KeySide) == "" &&
		r.GetConfig(series.KeyToolchain) == "" {
		r.SetConfig(series.KeySide, data) // an answer that memcost wrote as CSV
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

// part returns the one that a result belongs to.
func (f *file) part(r *benchfmt.Result) *filePart {
	name := cmp.Or(r.GetConfig(series.KeyStudy), r.GetConfig(series.KeyPkg))
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
			p.study = &language.Study{Name: name}
		}
		p.set = series.New(nil, claim.Units(p.study)...)
		if f.options.Samples {
			p.set.KeepReported()
		}
		f.parts = append(f.parts, p)
	}
	f.last = f.parts[at]
	return f.last
}

// side returns the name of a series' side, which the answer then lists.
func (f *file) side(s *series.Series) string {
	name := cmp.Or(s.Side, f.base)
	if !slices.ContainsFunc(f.Sides, func(a plan.Side) bool { return a.Name == name }) {
		a := plan.Side{Name: name}
		if t := s.Result.GetConfig(series.KeyToolchain); t != "" && strings.HasPrefix(name, t) {
			a.Toolchain = t
		}
		f.Sides = append(f.Sides, a)
	}
	return name
}

// adopt recognises a result of a study's program that was run by hand.
func (f *file) adopt(r *benchfmt.Result) {
	if f.options.Studies == nil || !Adopt(r) {
		return
	}
	if f.origin == "" {
		f.origin = Origin(r)
	}
	if f.options.Bare {
		r.Name = Bare(r.Name)
	}
}
