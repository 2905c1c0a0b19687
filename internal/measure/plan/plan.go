// Package plan determines what a run will do, before anything is measured: which cases,
// in which configurations, in which order, from which seed.
//
// A plan is data. It is written to run.json, printed by -n, cut into shards, and gives
// the same order on every machine that reads it, so that an interrupted run goes on
// exactly where it stopped.
package plan

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"memcost/internal/method/stat"
	"memcost/internal/study/language"
)

// Defaults of the two profiles.
const (
	// QuickSample and FullSample are the least loop time of one sample. A second tells most
	// with short ones (decision 10), until what a fresh process takes before and after its loop
	// outweighs the loop: 6 to 16 ms on a shared virtual machine, for its start, the case's own
	// buffers, the testing package's run with N = 1 and its collections.
	QuickSample = 60 * time.Millisecond
	FullSample  = 250 * time.Millisecond
	// QuickLongest is the loop time of a sample that allocates where a shorter one would have
	// less than MinCollections.
	QuickLongest = 235 * time.Millisecond

	// QuickBudget leaves room for 30 rounds of a large study on two slow cores, and for 12 of
	// the longest samples: what a claim over 11 sizes needs to be refuted (α/11). AllBudget is
	// for several studies together, which with building shall take no more than five minutes;
	// their samples are short, so that more of the time goes into starting processes. The
	// budgets hold listing and calibration.
	QuickBudget = 150 * time.Second
	AllBudget   = 280 * time.Second
	// GoogleBudget is for a C++ study alone, with a hundred cells and more.
	GoogleBudget = 95 * time.Second
	// BesideBudget is for studies in Go and C++ alone: with building they take less than 90 s.
	BesideBudget = 72 * time.Second
	AllSample    = 30 * time.Millisecond
	FullBudget   = 30 * time.Minute

	QuickPrecision = 0.03
	FullPrecision  = 0.01

	// Alpha is the error rate of every verdict unless the user asks otherwise.
	Alpha = 0.05
)

// MinCollections is the number of garbage collections from which on one more or less in a
// sample changes its time by less than other noise does.
const MinCollections = 8

// GuardRounds is the number of rounds before which an interval at α = 0.05 bounds nothing.
const GuardRounds = 8

// QuarterRounds is the number of leading rounds in which the suspects are also run with a
// quarter of their iterations, beside the full sample: up to the fourth look, which is enough to decide
// whether the cost per op depends on N.
const QuarterRounds = 17

// FirstRounds is the number of rounds that every case gets, whatever asks for it: what fills a
// table alone has a figure early, and a median of three is not that of one odd sample.
const FirstRounds = 3

// FirstOf returns how many rounds every case of a plan gets. The sides of memcost compare, which
// alone say which difference is worth knowing, get those that counts of allocations are decided
// by: the comparisons of time would take the time otherwise.
func FirstOf(p *Plan) int {
	if p.Options.Margin > 0 {
		return GuardRounds
	}
	return FirstRounds
}

// SieveRounds is the number of leading rounds in which a case is run with a quarter of its
// iterations on every side that calibration did not try. Where both seem to depend on N, the
// rounds up to QuarterRounds find out.
const SieveRounds = 2

// MostSpinning is the largest number of cores that can be kept busy beside a sample.
const MostSpinning = 1024

// Options are the settings of a run that decide what is measured and when it
// stops. All of them are recorded in run.json.
type Options struct {
	Profile   string        `json:"profile"`          // "quick" or "full"
	Seed      uint64        `json:"seed"`             // of every random choice
	Alpha     float64       `json:"alpha"`            // error rate of a verdict
	Precision float64       `json:"precision"`        // relative half-width asked of estimates (0.01 = 1%)
	Budget    time.Duration `json:"budget_ns"`        // wall time of the rounds
	Rounds    int           `json:"rounds,omitempty"` // exactly this many rounds when > 0
	Sample    time.Duration `json:"sample_ns"`        // least loop time per sample
	// Longest is the loop time of a sample that allocates, where a shorter one would have less
	// than MinCollections; 0 is Sample.
	Longest time.Duration `json:"longest_ns,omitempty"`
	Timeout time.Duration `json:"timeout_ns"` // of one process
	// Layouts is the size of each configuration's pool of random links; 0: links are drawn as the run
	// needs them (see NextLink).
	Layouts int `json:"layouts"`
	// Slices is how many slices a sample has at most where the processes of a case's
	// configurations take turns; 0 where each runs alone, as in runs from before.
	Slices int `json:"slices,omitempty"`
	// FreshLayouts reports that the links are the run's own (LinkSeed). Runs from before
	// drew, for all configurations, from one pool that was the same in every run.
	FreshLayouts bool `json:"fresh_layouts,omitempty"`
	Shard        int  `json:"shard,omitempty"`  // 1-based; 0 when not sharded
	Shards       int  `json:"shards,omitempty"` // number of shards
	// Draw is the seed of the order of rounds where it is not Seed: the attempts of a plan file
	// have the same links, and each an order of its own.
	Draw  uint64   `json:"draw,omitempty"`
	Bench string   `json:"bench,omitempty"` // regular expression of -bench
	CPU   []int    `json:"cpu,omitempty"`   // GOMAXPROCS values; none means the default
	Load  []string `json:"load,omitempty"`  // busy cores beside a sample: "0", "1", "all"
	// Together is the number of sides that a round measures, of more of them: see Turns. 0 is all.
	Together int `json:"together,omitempty"`
	// Even reports that each round measures every side, as long as anything is undecided or less
	// precise than asked for: the sides are alternatives, and each has a figure.
	Even bool `json:"even,omitempty"`
	// Margin is the difference of two configurations that is worth knowing, as a share; 0 is 1%.
	Margin   float64 `json:"margin,omitempty"`
	NoGuards bool    `json:"no_guards,omitempty"` // leave out the quarter-N and A′ samples
	// StopWhenDecided ends the run when every claim is decided, and every comparison of two
	// configurations, however wide the intervals in tables are then.
	StopWhenDecided bool `json:"stop_when_decided,omitempty"`
}

// A Side is a configuration that a case is run with.
type Side struct {
	Name      string   `json:"name"`      // "go1.26.8"
	Toolchain string   `json:"toolchain"` // "go1.26.8"
	Flags     []string `json:"flags,omitempty"`
	Env       []string `json:"env,omitempty"`
	// The following are of the sides of memcost compare.
	Args    []string `json:"args,omitempty"`    // of the program: "-mM_TOP_PAD=0"
	Source  *Source  `json:"source,omitempty"`  // of the user's packages; nil: as they lie in Question.Dir
	Command string   `json:"command,omitempty"` // a command line
	Program string   `json:"program,omitempty"` // a binary of benchmarks that the user built
}

// A Study is one package of benchmarks: a shipped study or a user's package.
type Study struct {
	Name       string               `json:"name"` // study name, or import path
	Pkg        string               `json:"pkg"`
	Shipped    bool                 `json:"shipped"`
	Directives []language.Directive `json:"directives,omitempty"`
	// Show holds what is shown of it; nil in a run folder from before study.toml, whose
	// directives hold it.
	Show *language.Show `json:"show,omitempty"`
	// Sides are the indices of the configurations that the study or package runs with;
	// nil is all. A toolchain may be too old for it, or fail to compile it.
	Sides []int `json:"arms,omitempty"`
	// Google reports that its binary is a C++ program on Google Benchmark, which runs in
	// each of the Variants.
	Google   bool               `json:"google,omitempty"`
	Variants []language.Variant `json:"variants,omitempty"`
	// Beside is the C++ program that gives cases beside those in Go, in each of the Variants; nil
	// where there is none.
	Beside *Beside `json:"beside,omitempty"`
	// Harness says what gives the samples of sides that were not built here: HarnessCommand,
	// HarnessTimed, HarnessCounted; "" for what Google says.
	Harness string `json:"harness,omitempty"`
	// Programs give further cases, each in one run.
	Programs []language.Program `json:"programs,omitempty"`
	// Sample is the least loop time of one sample; 0 is Options.Sample.
	Sample time.Duration `json:"sample_ns,omitempty"`
	// Tick is what a tick of the processor's counter is worth, in nanoseconds, as the first
	// process of a C++ program measured it; 0 where each process measures it for itself.
	Tick float64 `json:"tick_ns,omitempty"`
}

// A Beside is a C++ program on Google Benchmark, built once for all configurations of a study
// in Go. Its cases are measured on each of them, in the same rounds as those in Go.
type Beside struct {
	Dir      string `json:"dir"`      // its folder below the study's
	Compiler string `json:"compiler"` // "g++ 12.2.0"
	Hash     string `json:"hash"`     // of the binary
}

// TickVariable is the environment variable by which a C++ program is told Study.Tick.
const TickVariable = "MEMCOST_TICK_NS"

// TickEnv returns the environment that tells a program Study.Tick.
func (s Study) TickEnv() []string {
	if s.Tick == 0 {
		return nil
	}
	return []string{TickVariable + "=" + strconv.FormatFloat(s.Tick, 'g', -1, 64)}
}

// A Kind is a kind of program that gives samples.
type Kind int

// The kinds of programs.
const (
	GoTest          Kind = iota // a Go test binary
	GoogleBenchmark             // a C++ program on Google Benchmark
	Program                     // a program of a study's, which is one case
	Command                     // a command line, which is one case
	GoogleTimed                 // a program of the user's on Google Benchmark before 1.8: it finds N itself
	GoogleCounted               // the same of a newer one: it runs so many iterations as it is told
)

// Values of Study.Harness.
const (
	HarnessCommand = "command"
	HarnessTimed   = "google benchmark by time"
	HarnessCounted = "google benchmark by iterations"
)

// Kind returns the kind of the study's binary.
func (s Study) Kind() Kind {
	switch {
	case s.Harness == HarnessCommand:
		return Command
	case s.Harness == HarnessTimed:
		return GoogleTimed
	case s.Harness == HarnessCounted:
		return GoogleCounted
	case s.Google:
		return GoogleBenchmark
	}
	return GoTest
}

// Kind returns the kind of the program that runs a case.
func (p *Plan) Kind(c Case) Kind {
	if c.Program != "" {
		return Program
	}
	if c.CPP {
		return GoogleBenchmark
	}
	return p.Studies[c.Study].Kind()
}

// Has reports whether a study of the plan is of a kind.
func (p *Plan) Has(k Kind) bool {
	return slices.ContainsFunc(p.Studies, func(s Study) bool { return s.Kind() == k })
}

// GroupOf returns a function that finds the comparison of a case by its study and name;
// it returns −1 where the plan has no such case.
func (p *Plan) GroupOf() func(study, name string) int {
	groups := map[[2]string]int{}
	for _, c := range p.Cases {
		groups[[2]string{p.Studies[c.Study].Name, c.Name}] = c.Group
	}
	return func(study, name string) int {
		if g, ok := groups[[2]string{study, name}]; ok {
			return g
		}
		return -1
	}
}

// A Case is one benchmark with its parameters, of one study.
type Case struct {
	Study int    `json:"suite"` // index into Plan.Studies
	Name  string `json:"name"`  // as printed, without "Benchmark": "Smaug/place=stack/size=1024-2"
	Base  string `json:"base"`  // without the GOMAXPROCS suffix and the key busy
	Procs int    `json:"procs"` // GOMAXPROCS
	// N is the iterations of a full sample, the same on every side; 0 before calibration, as in
	// a plan that is only printed.
	N     int64 `json:"n"`
	Group int   `json:"group"`
	// Estimate is the cost that calibration found, in seconds per op. Short is that at an
	// eighth of N, of runs from before, whose calibration took two samples and knew which cases
	// are suspect; with 0 the first rounds find out.
	Estimate float64 `json:"estimate_sec"`
	Short    float64 `json:"short_sec,omitempty"`
	// Shown says that no claim is about the case, and tables and pictures alone show it: it has
	// few rounds, and is tried with a quarter of its iterations when it gets more.
	Shown bool `json:"shown,omitempty"`

	// StartUp is what a sample's process took beside its loop, in calibration, in seconds: its
	// start, the case's own buffers. 0 is not known.
	StartUp float64 `json:"start_up_sec,omitempty"`

	// Busy is what was asked for beside the case's samples: "0", "1", "all", or "" where
	// nothing was. The name then has the key busy behind its first part.
	Busy string `json:"busy,omitempty"`
	// Spinning is the number of processes that keep a core busy each while a sample runs.
	Spinning int `json:"spinning,omitempty"`

	// Program is the folder of the program that gives the case, "" for a benchmark.
	Program string `json:"program,omitempty"`
	// CPP reports that the C++ program beside the study's benchmarks gives the case.
	CPP bool `json:"cpp,omitempty"`
	// Of a C++ program: what it calls the case itself, and what the case's variant
	// runs it with.
	Call string   `json:"call,omitempty"`
	Env  []string `json:"env,omitempty"`
	Args []string `json:"args,omitempty"`
	// Preset is the preset of CMake that builds its program, "" for the default.
	Preset string `json:"preset,omitempty"`
}

// A Failure is a benchmark that could not be brought to run.
type Failure struct {
	Study  int    `json:"suite"`
	Name   string `json:"name"`
	Side   string `json:"arm"`
	Reason string `json:"reason"`
	Log    string `json:"log,omitempty"` // path inside the run folder
	// Skipped reports that the benchmark skipped itself, which is no failure.
	Skipped bool `json:"skipped,omitempty"`
}

// Left names a case of a study that the run does not measure, or not yet.
type Left struct {
	Study int    `json:"suite"`
	Name  string `json:"name"`
}

// A Plan is everything that a run will do.
type Plan struct {
	Options Options `json:"options"`
	// Looks are the rounds at which comparisons are looked at; nil in runs from before they were planned.
	Looks    *stat.Looks `json:"looks,omitempty"`
	Sides    []Side      `json:"arms"`
	Studies  []Study     `json:"suites"`
	Cases    []Case      `json:"cases"`
	Failures []Failure   `json:"failures,omitempty"` // found before the rounds began
	// Pairs are the cases that some ratio compares, as indices into Cases. Runs from before
	// measured the cases of a group in any order.
	Pairs [][2]int `json:"pairs,omitempty"`
	// ToFull are the cases that the quick profile leaves to the full one.
	ToFull []Left `json:"to_full,omitempty"`
	// NotReached are the cases that were not calibrated, for the budget has no room for their
	// rounds. A run that is gone on with adds them as far as its budget goes.
	NotReached []Left `json:"not_reached,omitempty"`
	// Prepared is how long the cases were listed and calibrated, which the budget counts. Runs
	// from before did not count it.
	Prepared time.Duration `json:"prepared_ns,omitempty"`
	// Doubles are the cases of which a second copy (A′) rides along.
	Doubles []int `json:"doubles,omitempty"`
	// Suspects are the cases whose cost per op seemed, in calibration, to
	// depend on N; the first rounds find out.
	Suspects []int `json:"suspects,omitempty"`
	// Sieve reports that the first rounds look for such cases on the sides that calibration
	// did not try. Runs from before judged the first side alone.
	Sieve bool `json:"sieve,omitempty"`
	// Parts is the shard of each comparison, from 1 on; nil, as in runs without a plan file: they
	// go round.
	Parts []int `json:"parts,omitempty"`
	// Missing are the comparisons that no shard was found of, where shards were joined.
	Missing []int `json:"missing_groups,omitempty"`
}

// Groups returns the case indices of each group, in case order.
func (p *Plan) Groups() [][]int {
	n := 0
	for _, c := range p.Cases {
		n = max(n, c.Group+1)
	}
	gs := make([][]int, n)
	for i, c := range p.Cases {
		gs[c.Group] = append(gs[c.Group], i)
	}
	return gs
}

// SampleOf returns the least loop time of one sample of a study.
func (p *Plan) SampleOf(study int) time.Duration {
	return cmp.Or(p.Studies[study].Sample, p.Options.Sample)
}

// LongestOf returns the longest loop time of one sample of a study.
func (p *Plan) LongestOf(study int) time.Duration {
	if s := p.Studies[study].Sample; s != 0 {
		return s // its author's own
	}
	return max(p.Options.Sample, p.Options.Longest)
}

// SidesOf returns the indices of the sides that a study runs on.
func (p *Plan) SidesOf(study int) []int {
	if sides := p.Studies[study].Sides; sides != nil {
		return sides
	}
	all := make([]int, len(p.Sides))
	for i := range all {
		all[i] = i
	}
	return all
}

// sieves reports whether the first rounds are to find out if a case's cost seems to depend
// on N on an arm: calibration tried it on the first side alone, and with one N alone in C++.
func sieves(p *Plan, c, side int) bool {
	x := p.Cases[c]
	return p.Sieve && (x.N >= 4 || x.N == 0) && (x.Short == 0 || side != p.SidesOf(x.Study)[0])
}

// Mine reports whether a group belongs to this plan's shard, or to the shards that were joined.
func (p *Plan) Mine(group int) bool {
	switch {
	case slices.Contains(p.Missing, group):
		return false
	case p.Options.Shards <= 1:
		return true
	case p.Parts != nil:
		return p.Parts[group] == p.Options.Shard
	}
	return group%p.Options.Shards == p.Options.Shard-1
}

// JudgedAt returns the looks at which comparisons are judged: of a run that planned none, the usual ones.
func (p *Plan) JudgedAt() stat.Looks {
	if p.Looks == nil {
		return stat.Looks{}
	}
	return *p.Looks
}

// LeastRounds returns the number of rounds before which no interval bounds anything.
func (p *Plan) LeastRounds() int { return p.JudgedAt().MinRounds(p.Options.Alpha) }

// Check returns an error for the first value in p that no run could have written, so
// that a damaged run.json gives a message and not a panic.
func (p *Plan) Check() error {
	if len(p.Sides) == 0 {
		return fmt.Errorf("the plan has no configuration")
	}
	if p.Options.Alpha <= 0 || p.Options.Alpha >= 1 {
		return fmt.Errorf("the plan's alpha is %v, outside (0, 1)", p.Options.Alpha)
	}
	for i, c := range p.Cases {
		switch {
		case c.Study < 0 || c.Study >= len(p.Studies):
			return fmt.Errorf("case %d (%s) names study or package %d of %d", i, c.Name, c.Study, len(p.Studies))
		case c.Group < 0 || c.Group >= len(p.Cases):
			return fmt.Errorf("case %d (%s) has group %d of at most %d", i, c.Name, c.Group, len(p.Cases))
		case c.N < 1:
			return fmt.Errorf("case %d (%s) has %d iterations", i, c.Name, c.N)
		case c.Spinning < 0 || c.Spinning > MostSpinning:
			return fmt.Errorf("case %d (%s) has %d busy cores beside it, and from 0 to %d are possible", i, c.Name,
				c.Spinning, MostSpinning)
		}
	}
	for i, s := range p.Studies {
		for _, a := range s.Sides {
			if a < 0 || a >= len(p.Sides) {
				return fmt.Errorf("study or package %d (%s) names configuration %d of %d", i, s.Name, a, len(p.Sides))
			}
		}
		if s.Sides != nil && len(s.Sides) == 0 {
			return fmt.Errorf("study or package %d (%s) has no configuration", i, s.Name)
		}
	}
	for _, l := range p.ToFull {
		if l.Study < 0 || l.Study >= len(p.Studies) {
			return fmt.Errorf("the case %s left to --full names study or package %d of %d", l.Name, l.Study,
				len(p.Studies))
		}
	}
	for _, pr := range p.Pairs {
		if min(pr[0], pr[1]) < 0 || max(pr[0], pr[1]) >= len(p.Cases) ||
			p.Cases[pr[0]].Group != p.Cases[pr[1]].Group {
			return fmt.Errorf("the ratio of cases %d and %d of %d is none within a group", pr[0], pr[1], len(p.Cases))
		}
	}
	for _, l := range p.NotReached {
		if l.Study < 0 || l.Study >= len(p.Studies) {
			return fmt.Errorf("the case %s that was not reached names study or package %d of %d", l.Name, l.Study,
				len(p.Studies))
		}
	}
	if groups := len(p.Groups()); p.Parts != nil && len(p.Parts) != groups {
		return fmt.Errorf("%d comparisons are given to shards, and there are %d", len(p.Parts), groups)
	}
	for _, d := range slices.Concat(p.Doubles, p.Suspects) {
		if d < 0 || d >= len(p.Cases) {
			return fmt.Errorf("a copy for the noise floor, or a guard, names case %d of %d", d, len(p.Cases))
		}
	}
	return nil
}

// stream returns a random stream of its own per purpose and round, so that a round can be
// drawn without drawing those before it.
func stream(seed uint64, purpose string, round int) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(purpose))
	return rand.New(rand.NewPCG(seed, h.Sum64()+uint64(round)))
}

// VariantName puts a variant's keys behind the first part of a name, in place of those
// that the program itself put into it.
func VariantName(call, keys string) string {
	parts := strings.Split(call, "/")
	var own []string
	if keys != "" {
		own = strings.Split(keys, "/")
	}
	rest := slices.DeleteFunc(slices.Clone(parts[1:]), func(part string) bool {
		key, _, ok := strings.Cut(part, "=")
		return ok && slices.ContainsFunc(own, func(o string) bool { return strings.HasPrefix(o, key+"=") })
	})
	return strings.Join(slices.Concat(parts[:1], own, rest), "/")
}
