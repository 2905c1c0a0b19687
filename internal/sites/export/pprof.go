package export

import (
	"fmt"
	"io"

	"github.com/google/pprof/profile"

	"memcost/internal/base/hint"
	"memcost/internal/sites"
)

// The labels of each sample.
const (
	labelCause     = "cause"
	labelSite      = "site"
	labelClass     = "class"
	labelBenchmark = "benchmark"
	labelSize      = "size_class" // in bytes
)

// otherCause is the cause of samples that are charged to no site: the runtime's own, and those
// of package testing.
const otherCause = "outside"

// Pprof writes the heap profiles of a report as one, in which each sample has labels: the
// cause, the site, its class, the benchmark, and the size class in bytes. go tool pprof -tags
// shows them, and -tagfocus and -tagroot choose by them.
func Pprof(w io.Writer, r *sites.Report) error {
	var labelled []*profile.Profile
	for _, p := range r.Profiles {
		if p.Memory == nil || len(p.Memory.Sample) == 0 {
			continue
		}
		l, err := label(r, p)
		if err != nil {
			return err
		}
		labelled = append(labelled, l)
	}
	if len(labelled) == 0 {
		return hint.New("name benchmarks with -b, tests with --test, or a profile with --profile",
			"writing a profile with labels: nothing was counted")
	}
	merged, err := profile.Merge(labelled)
	if err != nil {
		return fmt.Errorf("writing a profile with labels: the profiles of the benchmarks do not fit together: %w", err)
	}
	return merged.Write(w)
}

// label returns a copy of a profile with labels.
func label(r *sites.Report, p sites.Profiled) (*profile.Profile, error) {
	if len(p.Sites) != len(p.Memory.Sample) {
		return nil, fmt.Errorf("writing a profile with labels: %d samples are charged to %d sites",
			len(p.Memory.Sample),
			len(p.Sites))
	}
	out := p.Memory.Copy()
	objects, bytes := sites.Column(out, "alloc_objects"), sites.Column(out, "alloc_space")
	for i, s := range out.Sample {
		if s.Label == nil {
			s.Label = map[string][]string{}
		}
		s.Label[labelCause] = []string{otherCause}
		if n := p.Sites[i]; n >= 0 && n < len(r.Sites) {
			site := &r.Sites[n]
			s.Label[labelCause] = []string{causeKey(site.Root())}
			s.Label[labelSite] = []string{site.ID}
			s.Label[labelClass] = []string{string(site.Class)}
		}
		if p.Benchmark >= 0 && p.Benchmark < len(r.Benchmarks) {
			s.Label[labelBenchmark] = []string{benchmarkName(r, p.Benchmark)}
		}
		if size := sizeOf(s, objects, bytes); size > 0 {
			if s.NumLabel == nil {
				s.NumLabel, s.NumUnit = map[string][]int64{}, map[string][]string{}
			}
			s.NumLabel[labelSize] = []int64{size}
			if s.NumUnit == nil {
				s.NumUnit = map[string][]string{}
			}
			s.NumUnit[labelSize] = []string{"bytes"}
		}
	}
	return out, nil
}

// sizeOf returns the size of a sample's objects: the runtime counts each with the whole of its
// size class.
func sizeOf(s *profile.Sample, objects, bytes int) int64 {
	if objects >= 0 && bytes >= 0 && s.Value[objects] > 0 {
		return s.Value[bytes] / s.Value[objects]
	}
	if size := s.NumLabel["bytes"]; len(size) == 1 {
		return size[0]
	}
	return 0
}
