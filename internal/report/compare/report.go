package compare

import (
	"slices"

	"memcost/internal/measure/plan"
	"memcost/internal/method/claim"
	"memcost/internal/report/figures"
	"memcost/internal/report/result"
)

// ReportFormat is the version of the JSON form of a Report: see docs/format.md.
const ReportFormat = 1

// The verdicts of a Change.
const (
	Changed    = claim.Changed
	Equivalent = claim.Equivalent
	Undecided  = claim.Open
	Invalid    = claim.Incomparable
)

// A Report is what a comparison of sides says. The first side is the baseline, against which
// each further one stands.
type Report struct {
	Format int    `json:"format"`
	Label  string `json:"label,omitempty"`
	Dir    string `json:"run_folder,omitempty"`
	// Says is the answer in sentences, one for each side but the first, and one for each metric
	// beside time in which something changed.
	Says []string `json:"says"`
	// Interleaved reports whether the sides were measured in turns. Sides that were recorded
	// apart make a weaker statement: it holds for the machine as it was each time.
	Interleaved bool            `json:"interleaved"`
	Margin      float64         `json:"margin"` // the difference that is worth knowing, as a share
	Alpha       float64         `json:"alpha"`
	Sides       []Side          `json:"sides"`
	Benchmarks  []Benchmark     `json:"benchmarks"`
	Geomeans    []Geomean       `json:"geomeans"`
	OneSided    []plan.OneSided `json:"one_sided"`
	// Same are the packages that are the same program on all sides, and were not measured.
	Same []string `json:"same_program,omitempty"`
	// Differs says of packages what else differs than the code under test: it may be what changed a figure.
	Differs []plan.Difference `json:"differs,omitempty"`
	// Unreached are the functions that changed and of which no figure says anything.
	Unreached  []plan.Unreached `json:"unreached,omitempty"`
	NoiseFloor []result.Noise   `json:"noise_floor"`
	Warnings   []string         `json:"warnings"`
}

// A Side is one of the things that are compared.
type Side struct {
	Name   string       `json:"name"`
	Source *plan.Source `json:"source,omitempty"`
	// Kind is what the side is: "source", "command" or "configuration", "recorded" of one that
	// was not measured in turns with the others.
	Kind string `json:"kind"`
}

// The kinds of sides.
const (
	OfSource        = "source" // files of the user's: a revision, or the work tree
	OfCommand       = "command"
	OfConfiguration = "configuration"
	OfRecord        = "recorded"
)

// A Benchmark is one case, or one command, on all sides.
type Benchmark struct {
	Study   string   `json:"package"` // or study
	Name    string   `json:"name"`
	Metrics []Metric `json:"metrics"`           // time first
	Invalid []string `json:"invalid,omitempty"` // why it does not count, with the side
	Flags   []string `json:"flags,omitempty"`   // what is to be known of it all the same
	Failed  []string `json:"failed,omitempty"`  // the sides on which it gave no result, with the reason
}

// A Metric is one figure of a benchmark on all sides.
type Metric struct {
	Unit           string           `json:"unit"`
	HigherIsBetter bool             `json:"higher_is_better,omitempty"`
	NoDirection    bool             `json:"no_direction,omitempty"` // whether more is better is not known
	Exact          bool             `json:"exact,omitempty"`        // a count that did not vary: no statistics
	Values         []figures.Figure `json:"values"`                 // by side
	Changes        []Change         `json:"changes"`                // by side but the first
}

// A Change is one side against the first one.
type Change struct {
	Ratio   figures.Figure   `json:"ratio"` // this side over the first
	Verdict claim.Difference `json:"verdict"`
	// Alone reports whether it would have changed by itself: its interval lies outside of the
	// margin, but it does not stand when all comparisons of the metric are counted together.
	Alone bool   `json:"alone,omitempty"`
	Doubt string `json:"doubt,omitempty"` // why it is undecided, whatever its interval says
	// LimitedBy is "links" of what is undecided where they make more of the interval's width than all else, and there
	// are no further ones: a longer budget does not decide it.
	LimitedBy string `json:"limited_by,omitempty"`
	// Stands reports whether the sides differ, by however little, when all comparisons of the
	// metric are counted together.
	Stands     bool `json:"stands,omitempty"`
	Regression bool `json:"regression,omitempty"` // it changed, for the worse
	Rounds     int  `json:"rounds"`

	margin float64 // of the report
}

// A Geomean is the geometric mean over the benchmarks that all sides have of one unit.
type Geomean struct {
	Unit    string           `json:"unit"`
	Values  []figures.Figure `json:"values"`
	Changes []Change         `json:"changes"`
}

// Metric returns the metric of a unit, nil where the benchmark has none.
func (b *Benchmark) Metric(unit string) *Metric {
	for i := range b.Metrics {
		if b.Metrics[i].Unit == unit {
			return &b.Metrics[i]
		}
	}
	return nil
}

// Geomean returns the geometric mean of a unit, nil where there is none.
func (r *Report) Geomean(unit string) *Geomean {
	for i := range r.Geomeans {
		if r.Geomeans[i].Unit == unit {
			return &r.Geomeans[i]
		}
	}
	return nil
}

// Studies returns the packages and studies of the benchmarks, each once.
func (r *Report) Studies() []string {
	var out []string
	for _, b := range r.Benchmarks {
		if !slices.Contains(out, b.Study) {
			out = append(out, b.Study)
		}
	}
	return out
}
