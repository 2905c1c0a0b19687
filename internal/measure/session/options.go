package session

import (
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
// profile's value. Errors about them name the flag of memcost run that sets them, as the
// documentation does.
type Options struct {
	Origin Origin
	// Args are names of shipped studies, and patterns of the user's packages, relative to
	// the current folder; without any, every shipped study that has benchmarks.
	Args    []string
	Go      string   // versions: 1.25.4,1.27 · local · published · all
	Vary    []string // further configurations: NAME=VALUE, a build flag, or a setting of malloc
	Only    string   // "published" (malloc only): leaves our own settings and the other allocators out
	Results string   // the folder in which the run folder is made
	DryRun  bool     // prepares, and makes no run folder

	Tags  string // build tags of all configurations, as of go build
	Label string // what the user calls the run

	// Of memcost compare: the sides, the first of which is the baseline, in place of Go and
	// Vary; build flags of all of them, and arguments of their test binaries.
	Sides      []source.Side
	BuildFlags []string
	TestArgs   []string
	Margin     float64 // the difference of two configurations that is worth knowing, as a share

	// Of a comparison of sides that need no building, in place of what is built: the sides; the file
	// that each command reads, "" for empty input; the command before each sample; and what is known
	// of a program under several allocators.
	Ready   Sides
	Stdin   string
	Prepare string
	Alloc   *plan.Alloc

	Profile   string        // Quick or Full
	Bench     string        // regular expression, as of go test -bench
	CPU       []int         // GOMAXPROCS values; none is this machine's
	Load      []string      // busy cores beside each sample: "0", "1", "all"; none is as the studies ask
	Seed      *uint64       // of every random choice; nil draws one
	Rounds    int           // exactly this many, if more than 0
	Precision float64       // relative half-width asked of ratios and costs: 0.01 is 1%
	Budget    time.Duration // of measuring
	Sample    time.Duration // least loop time of one sample
	Timeout   time.Duration // of one process
	Alpha     float64       // error rate of a verdict
	Layouts   int           // random links of each binary to draw from

	Claims          []string // further ones, for the studies and packages that they are about
	StopWhenDecided bool     // also when ratios and costs are not yet known to Precision

	Shard, Shards int  // takes part Shard of Shards, from 1 on; 0 takes all
	Slices        *int // most slices of a sample of configurations that take turns; nil is the default, 0 none
	NoGuards      bool // leaves out the samples that check the instrument (A′, a quarter of N)
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
	p := plan.Options{Profile: Quick, Alpha: plan.Alpha, Precision: plan.QuickPrecision, Budget: plan.QuickBudget,
		Sample: plan.QuickSample, Layouts: plan.QuickLayouts, FreshLayouts: true, Together: plan.Together,
		Slices: plan.MostSlices, Timeout: time.Minute,
		Rounds: o.Rounds, Bench: o.Bench, CPU: o.CPU, Load: o.Load, Shard: o.Shard, Shards: o.Shards,
		NoGuards: o.NoGuards, StopWhenDecided: o.StopWhenDecided, Margin: o.Margin}
	if o.Profile == Full {
		p.Profile, p.Precision, p.Budget = Full, plan.FullPrecision, plan.FullBudget
		p.Sample, p.Layouts = plan.FullSample, plan.FullLayouts
	}
	p.Seed = rand.Uint64N(1e9)
	if o.Seed != nil {
		p.Seed = *o.Seed
	}
	if o.Slices != nil {
		p.Slices = *o.Slices
	}
	if o.Alpha != 0 {
		p.Alpha = o.Alpha
	}
	if o.Sample != 0 {
		p.Sample = o.Sample
	}
	if o.Layouts != 0 {
		p.Layouts = o.Layouts
	}
	if o.Ready != nil {
		p.Layouts, p.Slices, p.Longest, p.StopWhenDecided = 1, 0, plan.QuickLongest, o.Rounds == 0
	}
	if o.Alloc != nil {
		p.Even, p.Together, p.Precision = true, 0, allocPrecision
	}
	return Changes{Precision: o.Precision, Budget: o.Budget, Timeout: o.Timeout}.to(p)
}

// allocPrecision is the half-width that the ratio of each allocator shall have, also where it is
// decided before: it is what somebody weighs against memory.
const allocPrecision = 0.05

// Changes holds the options that may change when a run is resumed; zero values change
// nothing.
type Changes struct {
	Precision float64
	Budget    time.Duration
	Rounds    int
	Timeout   time.Duration
	// StopWhenDecided sets the option of that name; nil leaves it.
	StopWhenDecided *bool
}

// apply changes what a recorded question asks for.
func (c Changes) apply(q *plan.Question) error {
	o := c.to(q.Plan.Options)
	if q.Comparison != nil && c.Rounds > 0 {
		o.StopWhenDecided = false
	}
	if err := checkPlan(o, IsReady(q)); err != nil {
		return err
	}
	q.Plan.Options = o
	return nil
}

func (c Changes) to(p plan.Options) plan.Options {
	if c.Precision != 0 {
		p.Precision = c.Precision
	}
	if c.Budget != 0 {
		p.Budget = c.Budget
	}
	if c.Rounds != 0 {
		p.Rounds = c.Rounds
	}
	if c.Timeout != 0 {
		p.Timeout = c.Timeout
	}
	if c.StopWhenDecided != nil {
		p.StopWhenDecided = *c.StopWhenDecided
	}
	return p
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
