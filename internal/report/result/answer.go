package result

import (
	"slices"
	"strings"
	"time"

	"memcost/internal/base/units"
	"memcost/internal/machine"
	"memcost/internal/malloc/latency"
	"memcost/internal/measure/certificate"
	"memcost/internal/measure/plan"
	"memcost/internal/method/claim"
	"memcost/internal/method/series"
	"memcost/internal/report/figures"
	"memcost/internal/study/language"
)

// Format is the version of the JSON form of an Answer: see docs/format.md.
const Format = 1

// The kinds of answers: of a run folder with samples, of one with records that were
// found by trying, and of a file of someone else's.
const (
	Run     = "run"
	Records = "records"
	File    = "file"
)

// An Answer is all that a run has to say.
type Answer struct {
	Format  int                 `json:"format"`
	Kind    string              `json:"kind"` // Run, Records or File
	Tool    string              `json:"tool"`
	Dir     string              `json:"run_folder"` // or the file
	Created time.Time           `json:"created,omitzero"`
	Command []string            `json:"command"`
	Machine machine.Fingerprint `json:"machine"`
	Options plan.Options        `json:"options"`
	Sides   []plan.Side         `json:"arms"`

	// Source is the state of the user's code, nil where that is not known; Label is what the user calls the run.
	Source *plan.Source `json:"source,omitempty"`
	Label  string       `json:"label,omitempty"`

	// Busy says that the machine was, and that is the first that a reader must know; "": it was not.
	Busy string `json:"busy,omitempty"`

	// Missing is how many of the Planned cases are in shards that are not here, of a plan whose shards were joined.
	Missing int `json:"missing_cases,omitempty"`
	Planned int `json:"planned_cases,omitempty"`

	// Certificate is what memcost certify had proved of the machine when the run began, nil if nothing;
	// CertificateSays says it in a sentence.
	Certificate     *certificate.Quote `json:"certificate,omitempty"`
	CertificateSays string             `json:"certificate_says,omitempty"`

	Rounds    int            `json:"rounds"`
	Least     int            `json:"rounds_least"` // of a case: what is decided is not measured again
	Samples   int            `json:"samples"`
	Disturbed figures.Number `json:"disturbed_share"` // of the rounds of all comparisons
	Unfit     bool           `json:"unfit"`           // so many that none is excluded: see Busy
	Voids     []series.Void  `json:"disturbed"`
	// ComparisonRounds counts the rounds of all comparisons together.
	ComparisonRounds int `json:"-"`
	Took
	NoiseFloor []Noise   `json:"noise_floor"`
	Together   *Together `json:"counted_together,omitempty"`

	Studies  []Study           `json:"suites"`
	RealTime *latency.RealTime `json:"real_time,omitempty"`
	Warnings []string          `json:"warnings"`

	Question *plan.Question `json:"-"` // of a run folder
	Set      *series.Set    `json:"-"` // its samples
	origin   string         // of a file by a study's program that was run by hand: see Joins
}

// Noise is the difference that was measured between two copies of one side.
type Noise struct {
	Study  string         `json:"package,omitempty"`
	Case   string         `json:"case"`
	Ratio  figures.Figure `json:"ratio"`  // A′ over A; the truth is 1
	Spread figures.Number `json:"spread"` // median |ln ratio| of single rounds
	Alarm  bool           `json:"alarm"`  // the interval excludes 1: a false alarm
}

// A Study is the answer of one study or package.
type Study struct {
	Name     string          `json:"name"`
	Question string          `json:"question,omitempty"`
	Answer   []Headline      `json:"answer"` // one for each side that has one
	Tables   []figures.Table `json:"tables"`
	Claims   []Claim         `json:"claims"`
	Cases    []Case          `json:"cases"`
	Failures []plan.Failure  `json:"failures"`

	Judged []*claim.Judged `json:"-"` // by the sides that it ran on; of a run folder with samples
	Study  *language.Study `json:"-"` // what it claims and shows
	Others []*claim.Judged `json:"-"` // what others published of it

	Unnamed bool `json:"-"` // it is called after its file, which names neither study nor package

	Pictures   []figures.Picture `json:"-"` // the tables again, as they are drawn
	Evidence   *Evidence         `json:"-"` // nil unless it was asked for
	Recordings []Recording       `json:"-"` // likewise

	Sample time.Duration `json:"-"` // least loop time of one of its samples; 0 is that of the options
	// LoopShare is the share of its processes' time that went into benchmark loops; NaN where
	// that is not known.
	LoopShare figures.Number `json:"-"`
}

// A Claim is a claim with one verdict for each side of the run and for each
// published data set.
type Claim struct {
	ID        string    `json:"id"`
	Prose     string    `json:"prose,omitempty"`
	Own       bool      `json:"own,omitempty"`               // of no publication
	Published string    `json:"published_figures,omitempty"` // that someone printed for it
	Text      string    `json:"claim"`
	Pos       string    `json:"position"`
	Verdicts  []Verdict `json:"verdicts"`
}

// A Verdict is one data set's word on a claim.
type Verdict struct {
	Data      string       `json:"data"`
	Published bool         `json:"published"`
	Status    claim.Status `json:"status"`          // holds, fails, undecided, not tested
	Says      string       `json:"says"`            // the same in words, with the scope
	Scope     *claim.Scope `json:"scope,omitempty"` // nil: of one that was not tested
	// Counted says that the verdict rests on an interval, Selected that it also stands when everything
	// that the run reports is counted together.
	Counted  bool      `json:"counted,omitempty"`
	Selected bool      `json:"selected,omitempty"`
	Busy     bool      `json:"busy,omitempty"` // undecided, for the machine was busy
	Deciding *Element  `json:"deciding,omitempty"`
	Elements []Element `json:"elements"`
	Notes    []string  `json:"notes,omitempty"`
	Why      string    `json:"-"` // of one that was not tested: the reason in a few words
	ratio    string    // what a ratio is of: "heap/stack"
}

// An Element is one place (size) of a claim.
type Element struct {
	Label  string         `json:"label"`
	Cases  []string       `json:"cases"`
	Status claim.Status   `json:"status"`
	Figure figures.Figure `json:"figure"`
	// Chosen is the figure of the least or the greatest of several places with the interval for whoever picks it because it is.
	Chosen *figures.Figure `json:"chosen,omitempty"`
	CPU    *CPU            `json:"cpu,omitempty"` // where only one side of a ratio allocates
	Rests  *Rests          `json:"rests_on,omitempty"`
}

// AsChosen returns the figure of a place that is picked out of several.
func (e *Element) AsChosen() figures.Figure {
	if e.Chosen != nil {
		return *e.Chosen
	}
	return e.Figure
}

// A Comparison is a side against the first one.
type Comparison struct {
	figures.Figure                  // this side over the first
	Difference     claim.Difference `json:"difference"` // changed, equivalent (both by 1%), undecided
	Discovery      bool             `json:"discovery"`  // selected among all that the run reports
	Rests          *Rests           `json:"rests_on,omitempty"`
}

// A Case is one case on one side.
type Case struct {
	Name       string                    `json:"name"`
	Side       string                    `json:"arm"`
	Time       figures.Figure            `json:"time"`
	Rests      *Rests                    `json:"rests_on,omitempty"` // its time
	VsFirst    *Comparison               `json:"vs_first_arm,omitempty"`
	Metrics    map[string]figures.Number `json:"metrics"` // means per sample, other than sec/op
	Iterations int                       `json:"iterations"`
	Invalid    []string                  `json:"invalid,omitempty"`
	Flags      []string                  `json:"flags,omitempty"`
	Failed     string                    `json:"failed,omitempty"`
	Notes      []string                  `json:"notes,omitempty"`   // what a record rests on
	Reasons    []plan.Reason             `json:"reasons,omitempty"` // the compiler's; not nil: it was asked

	Times []float64 `json:"-"` // sec/op of each sample that counts, for comparing with another answer
	// Samples are the other figures of each sample that counts, by unit; nil unless Options.Samples.
	Samples map[string][]float64 `json:"-"`
	foreign bool                 // nothing among its metrics is memcost's own
}

// MachineName returns what a file says of its machine.
func (a *Answer) MachineName() string {
	m := a.Machine
	parts := []string{m.Hostname, m.CPUModel, strings.Trim(m.OS+"/"+m.Arch, "/")}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// Here names a side among what others published.
func (a *Answer) Here(side string) string {
	if a.Kind == File {
		return side
	}
	return "here, " + side
}

// Metric returns a metric of the case in words, "" if it has none of that unit.
func (c *Case) Metric(unit string) string {
	v, ok := c.Metrics[unit]
	if !ok {
		return ""
	}
	return units.Quantity(float64(v), unit)
}
