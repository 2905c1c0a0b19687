package session

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/gotool/source"
	"memcost/internal/measure/plan"
	"memcost/internal/method/claim"
)

// An Origin records who started a run; nothing is derived from it later.
type Origin struct {
	Version string   // of memcost
	Command []string // what the user typed
}

// The profiles of a run.
const (
	Quick = "quick" // the default
	Full  = "full"
)

// Options select what is measured and how. Numbers and times that are zero take the
// profile's value, or, of a session that is gone on with, stay as they were. Errors about them name
// the flag of memcost run that sets them, as the documentation does.
//
// What has a key in JSON stands in a plan file, by which machines of other kinds are calibrated as
// the first was; its hash is of these fields in their order.
type Options struct {
	// Args are names of shipped studies, and patterns of the user's packages, relative to
	// the current folder; without any, every shipped study that has benchmarks. Of a program under
	// several allocators they are its command line.
	Args []string `json:"args"`
	Go   string   `json:"go,omitempty"`   // versions: 1.25.4,1.27 · local · published · all
	Vary []string `json:"vary,omitempty"` // further configurations: NAME=VALUE, a build flag, or a setting of malloc
	// Only is "published" (malloc only): it leaves our own settings and the other allocators out.
	Only  string `json:"only,omitempty"`
	Tags  string `json:"tags,omitempty"`  // build tags of all configurations, as of go build
	Label string `json:"label,omitempty"` // what the user calls the run
	// Claims are further ones, for the studies and packages that they are about.
	Claims []string `json:"claims,omitempty"`

	Profile   string        `json:"profile"`             // Quick or Full
	Bench     string        `json:"bench,omitempty"`     // regular expression, as of go test -bench
	CPU       []int         `json:"cpu,omitempty"`       // GOMAXPROCS values; none is this machine's
	Load      []string      `json:"load,omitempty"`      // busy cores beside each sample: "0", "1", "all"; none is as the studies ask
	Seed      *uint64       `json:"seed"`                // of every random choice; nil draws one
	Rounds    int           `json:"rounds,omitempty"`    // exactly this many, if more than 0
	Precision float64       `json:"precision,omitempty"` // relative half-width asked of ratios and costs: 0.01 is 1%
	Budget    time.Duration `json:"budget_ns,omitempty"` // of measuring
	Sample    time.Duration `json:"sample_ns,omitempty"` // least loop time of one sample
	Timeout   time.Duration `json:"timeout_ns,omitempty"`
	Alpha     float64       `json:"alpha,omitempty"`   // error rate of a verdict
	Layouts   int           `json:"layouts,omitempty"` // random links of each binary to draw from; 0: as many as are worth it
	Slices    *int          `json:"slices,omitempty"`  // most slices of a sample of configurations that take turns; nil is the default, 0 none
	// StopWhenDecided stops also when ratios and costs are not yet known to Precision.
	StopWhenDecided *bool `json:"stop_when_decided,omitempty"`
	// NoGuards leaves out the samples that check the instrument (A′, a quarter of N).
	NoGuards bool `json:"no_guards,omitempty"`

	Origin        Origin `json:"-"`
	Results       string `json:"-"` // the folder in which the run folder is made
	DryRun        bool   `json:"-"` // prepares, and makes no run folder
	Shard, Shards int    `json:"-"` // takes part Shard of Shards, from 1 on; 0 takes all

	// Of memcost compare: the sides, the first of which is the baseline, in place of Go and
	// Vary; build flags of all of them, and arguments of their test binaries.
	Sides      []source.Side `json:"-"`
	BuildFlags []string      `json:"-"`
	TestArgs   []string      `json:"-"`
	Margin     float64       `json:"-"` // the difference of two configurations that is worth knowing, as a share
	// MeasureSame measures packages, too, of which all sides are the same program.
	MeasureSame bool `json:"-"`

	// Of a comparison of sides that need no building, in place of what is built: the sides; the file
	// that each command reads, "" for empty input; the command before each sample; and what is known
	// of a program under several allocators.
	Ready   Sides       `json:"-"`
	Stdin   string      `json:"-"`
	Prepare string      `json:"-"`
	Alloc   *plan.Alloc `json:"-"`
}

// Check reports options that make no sense beside each other, before anything is built for them. What
// each says by itself was checked where it was given.
func (o Options) Check() error {
	if o.Shards > 0 && o.Seed == nil {
		return hint.Usage("give every shard the same seed: --seed 1",
			"--shard needs --seed: the shards must draw the same plan")
	}
	if err := claim.Check(o.Claims); err != nil {
		return err
	}
	return checkPlan(o.plan(), o.Ready != nil)
}

// common returns the build flags of all configurations.
func (o Options) common() []string {
	if o.Tags == "" {
		return slices.Clone(o.BuildFlags)
	}
	return append([]string{"-tags=" + o.Tags}, o.BuildFlags...)
}

// CheckBench reports a pattern of benchmarks that go test would refuse.
func CheckBench(bench string) error {
	if err := plan.Check(bench); err != nil {
		return hint.Usage("regular expressions as in go test -bench: https://pkg.go.dev/regexp/syntax", "%w", err)
	}
	return nil
}

// plan returns what the plan records of the options, with the profile's values in place of
// those that were not given.
func (o Options) plan() plan.Options {
	p := plan.Options{Profile: Quick, Precision: plan.QuickPrecision, Budget: plan.QuickBudget,
		Sample: plan.QuickSample, Layouts: o.Layouts, FreshLayouts: true, Together: plan.Together,
		Slices: plan.MostSlices, Timeout: time.Minute, Seed: rand.Uint64N(1e9), Alpha: cmp.Or(o.Alpha, plan.Alpha),
		Bench: o.Bench, CPU: o.CPU, Load: o.Load, Shard: o.Shard, Shards: o.Shards, NoGuards: o.NoGuards,
		Margin: o.Margin}
	if o.Profile == Full {
		p.Profile, p.Precision, p.Budget = Full, plan.FullPrecision, plan.FullBudget
		p.Sample = plan.FullSample
	}
	if o.Seed != nil {
		p.Seed = *o.Seed
	}
	if o.Slices != nil {
		p.Slices = *o.Slices
	}
	p.Sample = cmp.Or(o.Sample, p.Sample)
	if o.Ready != nil {
		p.Layouts, p.Slices, p.Longest, p.StopWhenDecided = 1, 0, plan.QuickLongest, o.Rounds == 0
	}
	if o.Alloc != nil {
		p.Even, p.Together, p.Precision = true, 0, allocPrecision
	}
	if lines, is := o.Ready.(Lines); is && len(lines.Sides) == 1 { // nothing is to be decided: the figures are to be known
		p.StopWhenDecided = false
	}
	return o.change(p)
}

// allocPrecision is the half-width that the ratio of each allocator shall have, also where it is
// decided before: it is what somebody weighs against memory.
const allocPrecision = 0.05

// change returns what a plan records with what may change when it is gone on with.
func (o Options) change(p plan.Options) plan.Options {
	p.Precision, p.Budget = cmp.Or(o.Precision, p.Precision), cmp.Or(o.Budget, p.Budget)
	p.Rounds, p.Timeout = cmp.Or(o.Rounds, p.Rounds), cmp.Or(o.Timeout, p.Timeout)
	if o.StopWhenDecided != nil {
		p.StopWhenDecided = *o.StopWhenDecided
	}
	return p
}

// apply changes what a recorded question asks for.
func (o Options) apply(q *plan.Question) error {
	p := o.change(q.Plan.Options)
	if q.Comparison != nil && o.Rounds > 0 {
		p.StopWhenDecided = false
	}
	if err := checkPlan(p, IsReady(q)); err != nil {
		return err
	}
	q.Plan.Options = p
	return nil
}

// checkPlan reports numbers that make no sense. A process of sides that need no building may take
// less than a sample of what is built.
func checkPlan(o plan.Options, ready bool) error {
	switch {
	case o.Timeout <= o.Sample && !ready:
		return hint.Usage("--help lists the flags", "--timeout must be longer than a sample (%v)", o.Sample)
	case o.Rounds > 0 && o.StopWhenDecided:
		return hint.Usage("--rounds takes exactly so many", "--stop-when-decided and --rounds exclude each other")
	}
	return nil
}
