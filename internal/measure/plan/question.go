package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"memcost/internal/machine"
	"memcost/internal/measure/certificate"
	"memcost/internal/study/language"
)

// Format is the version of run.json and of samples.txt: see docs/format.md.
const Format = 1

// A Question is the content of run.json: everything about a run but its samples.
type Question struct {
	Format   int                 `json:"format"`
	Tool     string              `json:"tool"`             // version of memcost
	Method   int                 `json:"method,omitempty"` // stat.Method: of how samples are taken and judged
	Created  time.Time           `json:"created"`
	Command  []string            `json:"command"`
	Machine  machine.Fingerprint `json:"machine"`
	Plan     Plan                `json:"plan"`
	Builds   []Build             `json:"builds"`
	Warnings []string            `json:"warnings,omitempty"` // of the preparation
	LeftOut  []string            `json:"left_out,omitempty"` // what was asked for and could not be had
	// Recorded is the command ("limits") that finds figures one by one, each once
	// for each side; "" for samples, which are taken in rounds.
	Recorded string       `json:"recorded,omitempty"`
	Search   Search       `json:"search,omitzero"`
	Old      *oldRealTime `json:"real_time,omitempty"`
	// Certificate is what memcost certify had found on the machine when the run began; nil
	// for nothing.
	Certificate *certificate.Quote `json:"certificate,omitempty"`
	// Source is the state of the user's code in Dir, nil where that is not known; Label is what
	// the user calls the run.
	Source *Source `json:"source,omitempty"`
	Label  string  `json:"label,omitempty"`
	// Comparison is what memcost compare was asked, nil in runs of other commands.
	Comparison *Comparison `json:"comparison,omitempty"`
	// Packages are the arguments of memcost run that name packages, and Dir the folder
	// they were given in: what --resume builds a second time.
	Packages []string `json:"packages,omitempty"`
	Dir      string   `json:"dir,omitempty"`
	// Attempt says which part of a plan file the run measures, nil for a run of its own.
	Attempt *Attempt `json:"attempt,omitempty"`
	// Joined is the place whose shards were joined to this run; "" for one that was measured as it is.
	Joined string `json:"joined,omitempty"`
}

// A Build holds the binaries of one study on one side.
type Build struct {
	Study int `json:"suite"`
	Side  int `json:"arm"`
	// Layouts are the seeds of the random links by their numbers in the samples, 0 for the default
	// layout. Of links that are drawn as the run needs them those of odd numbers are of the second copy (A′); of
	// a pool they stand behind it.
	Layouts     []uint64 `json:"layouts"`
	Hash        string   `json:"hash"` // of what was built
	FloatAllocs bool     `json:"float_allocs"`
	Diagnostics string   `json:"diagnostics,omitempty"` // path inside the run folder
	// Heap is, for each function that an expectation names, what the compiler
	// put on the heap in it.
	Heap     map[string][]string `json:"heap,omitempty"`
	Warnings []string            `json:"warnings,omitempty"`
	// Reasons holds, for each case that the study explains, the compiler's diagnostics
	// on its functions.
	Reasons map[string][]Reason `json:"reasons,omitempty"`
}

// A Reason is why a value is, or may be, allocated on the heap.
type Reason struct {
	Where string   `json:"where"`           // "stackit_test.go:17"
	Says  string   `json:"says"`            // the compiler: "moved to heap: x"
	Heap  bool     `json:"heap"`            // else it depends on the run
	Cause string   `json:"cause,omitempty"` // in plain words
	Fix   string   `json:"fix,omitempty"`   // the usual advice
	Flow  []string `json:"flow,omitempty"`  // how it gets there, in the compiler's words
}

// Check reports what makes a question that was read from a file unusable.
func (q *Question) Check() error {
	if q.Format == 0 {
		return errors.New("it has no format: it is damaged, or none that memcost wrote")
	}
	if q.Format != Format {
		return fmt.Errorf("it has format %d and this memcost reads format %d", q.Format, Format)
	}
	for i, b := range q.Builds {
		if b.Study < 0 || b.Study >= len(q.Plan.Studies) || b.Side < 0 || b.Side >= len(q.Plan.Sides) {
			return fmt.Errorf("build %d names study or package %d and configuration %d, which the plan does not have",
				i, b.Study, b.Side)
		}
	}
	if q.Recorded != "" && len(q.Plan.Studies) == 0 {
		return fmt.Errorf("it holds records of memcost %s and no study", q.Recorded)
	}
	return q.Plan.Check()
}

// Header returns the file configuration that every sample has.
func (q *Question) Header() [][2]string {
	return [][2]string{
		{"memcost", strings.TrimPrefix(q.Tool, "memcost ")},
		{"goos", q.Machine.OS}, {"goarch", q.Machine.Arch}, {"cpu", q.Machine.CPUModel},
		{"machine", q.Machine.Hostname},
	}
}

// Build returns the build of a study on a side, or nil.
func (q *Question) Build(study, side int) *Build {
	for i := range q.Builds {
		if b := &q.Builds[i]; b.Study == study && b.Side == side {
			return b
		}
	}
	return nil
}

// DrawsLinks reports whether further links of a study can be made, on some side: not from a pool of one size, nor of what
// takes no seed.
func (q *Question) DrawsLinks(study int) bool {
	return q.Plan.Options.DrawsLinks() && slices.ContainsFunc(q.Builds, func(b Build) bool {
		return b.Study == study && len(b.Layouts) > 0 && b.Layouts[0] != 0
	})
}

// A Search holds what a run was asked for, beside its options, whose figures are found
// one by one.
type Search struct {
	// Limit is the longest permitted time of one call of malloc or free, for the
	// real-time verdict; with 0 no verdict was asked for.
	Limit time.Duration `json:"limit_ns,omitempty"`
	// of blocks, in bytes, at each of which a setting is judged
	Sizes     []int64 `json:"sizes,omitempty"`
	Smallest  int64   `json:"smallest_bytes,omitempty"` // block to try
	Largest   int64   `json:"largest_bytes,omitempty"`
	Published bool    `json:"published,omitempty"` // the published settings alone
	// Use says how blocks are used while settings are judged; nil where no verdict was asked for,
	// and in searches of before, which knew one use.
	Use *Use `json:"use,omitempty"`
	// Beside is the setting that was measured beside those that were asked for.
	Beside string `json:"beside,omitempty"`
}

// A Use says how blocks are used while settings of malloc are judged for real time.
type Use struct {
	Live       int64    `json:"live_bytes"` // of blocks alive at a time
	Threads    int      `json:"threads"`    // in the situation of several threads
	Warmup     int64    `json:"warmup"`     // untimed calls of one block; −1: as the program chooses
	Situations []string `json:"situations"`
}

// An oldRealTime is the verdict that memcost before version 0.2 stored. Only its question is
// read: the verdict is computed from the samples.
type oldRealTime struct {
	Limit    time.Duration `json:"limit_ns"`
	Settings []struct {
		Allocator string `json:"allocator"`
		Setting   string `json:"setting"`
	} `json:"settings"`
}

// RealTimeLimit returns the longest permitted time of one call, for the real-time
// verdict, and which settings are judged; 0 where no verdict was asked for.
func (q *Question) RealTimeLimit() (limit time.Duration, settings []language.Variant) {
	if q.Old != nil {
		for _, s := range q.Old.Settings {
			settings = append(settings, language.Variant{Keys: "allocator=" + s.Allocator + "/setting=" + s.Setting})
		}
		return q.Old.Limit, settings
	}
	for _, s := range q.Plan.Studies {
		settings = append(settings, s.Variants...)
	}
	return q.Search.Limit, settings
}

// WorkTree is what the side is called that is the files as they lie.
const WorkTree = "work tree"

// A Source is a state of the user's code.
type Source struct {
	// Revision is what the user called it ("main~1", "v1.2.0"), "." for the files as they lie
	// in the work tree, "" where nobody named one.
	Revision string    `json:"revision,omitempty"`
	Commit   string    `json:"commit,omitempty"`   // in full; "" outside of a repository
	Modified bool      `json:"modified,omitempty"` // the files differ from the commit
	Subject  string    `json:"subject,omitempty"`  // first line of the commit's message
	Date     time.Time `json:"date,omitzero"`      // of the commit
	// State is a hash of what differs from the commit, by which --resume knows the files.
	State string `json:"state,omitempty"`
}

// Name returns what the state of the code is called: the revision as someone named it, else
// "commit abc1234", with "+modified" where files differ from it; "" where neither is known.
func (s *Source) Name() string {
	if s == nil {
		return ""
	}
	name := s.Revision
	if name == "" || name == "." {
		if s.Commit == "" {
			return ""
		}
		name = "commit " + s.Short()
	}
	if s.Modified {
		name += "+modified"
	}
	return name
}

// shortCommit is how many digits of a commit are shown.
const shortCommit = 7

// Short returns the first digits of the commit.
func (s *Source) Short() string { return s.Commit[:min(shortCommit, len(s.Commit))] }

// A Comparison is what memcost compare was asked, beside the plan's options. The sides are the
// plan's sides, the first of them the baseline.
type Comparison struct {
	TestArgs []string `json:"test_args,omitempty"` // of the test binaries on all sides: "-size=100"
	Stdin    string   `json:"stdin,omitempty"`     // file that each command reads
	Prepare  string   `json:"prepare,omitempty"`   // command before each sample, which is not timed
	// Shell is what starting a shell takes, in seconds, where it runs commands: it is part of
	// their times.
	Shell float64 `json:"shell_sec,omitempty"`
	// OneSided are the benchmarks that some sides do not have: they are not measured.
	OneSided []OneSided `json:"one_sided,omitempty"`
	// Differs says of packages what differs between the sides beside the code under test. Those of which
	// all sides are the same program are not measured.
	Differs []Difference `json:"differs,omitempty"`
	// Unreached names, of each further side, the functions that changed and that none of the benchmarks reaches.
	Unreached []Unreached `json:"unreached,omitempty"`
	// Alloc is what memcost alloc was asked and found before it measured, nil in comparisons of
	// other commands.
	Alloc *Alloc `json:"alloc,omitempty"`
}

// An Alloc is a program under several allocators, as it was found before anything was measured.
type Alloc struct {
	Program string `json:"program"`       // its file
	Own     string `json:"own_allocator"` // the one that it has by itself: "glibc"
	// Ends is how the program ends under its own allocator, which all others are held to: "exit
	// status 1", "SIGTERM".
	Ends   string `json:"ends"`
	Status int    `json:"-"` // the exit status of its success
	// Varies reports that what the program prints differs between two runs under its own
	// allocator: then only how it ends is compared.
	Varies bool   `json:"output_varies,omitempty"`
	Until  string `json:"until,omitempty"` // command that is the load of a server
	Ready  string `json:"ready,omitempty"` // command that asks whether the server answers
	// CallsPerSec is how many calls of malloc and free the program makes in a second of CPU time,
	// under its own allocator; 0 is not known.
	CallsPerSec float64 `json:"calls_per_cpu_sec,omitempty"`
	// Left are the configurations that are not measured.
	Left  []NotMeasured `json:"not_measured,omitempty"`
	Notes []string      `json:"notes,omitempty"` // what else is to be known of the program
	// Held is what memcost held was asked beside that: its memory over time. nil in runs of memcost alloc.
	Held *Held `json:"held,omitempty"`
}

// A Held says how a program's memory is looked at.
type Held struct {
	Idle time.Duration `json:"idle_ns"` // how long it is looked on after the work
	// Plain reports that the second copy (A′) is not looked at: what looking costs is the ratio of the two.
	Plain bool `json:"plain_copy,omitempty"`
	// Process is the process that ran already, of --pid; 0 where memcost starts the program.
	Process int `json:"process,omitempty"`
	// Arenas is what malloc of the GNU C library had after the work in a run of its own; nil where it was not asked.
	Arenas *Arenas `json:"arenas,omitempty"`
}

// Arenas are what malloc of the GNU C library has, of all processes of a program, in bytes: see malloc_info(3).
type Arenas struct {
	Processes int   `json:"processes"`
	Arenas    int   `json:"arenas"`
	System    int64 `json:"system"` // what the arenas took from the system
	Free      int64 `json:"free"`   // of it, what is free inside of them, with what is at their tops
	Fast      int64 `json:"fast"`   // of it, what is free in fastbins
	Mapped    int64 `json:"mapped"` // blocks that are mappings of their own
	// Before and After are what was resident before malloc_trim(0) was called and after it, and Took how long it took.
	Before int64         `json:"resident_before_trim"`
	After  int64         `json:"resident_after_trim"`
	Took   time.Duration `json:"trim_ns"`
}

// InUse is what the program uses, and what the caches of its threads (tcache) hold, which malloc counts as in use.
func (a *Arenas) InUse() int64 { return a.System - a.Free - a.Fast + a.Mapped }

// OfHeld returns what memcost held was asked, nil in runs of other commands.
func (q *Question) OfHeld() *Held {
	if q == nil || q.Comparison == nil || q.Comparison.Alloc == nil {
		return nil
	}
	return q.Comparison.Alloc.Held
}

// NotMeasured names a configuration and why it is not measured.
type NotMeasured struct {
	Name string `json:"name"`
	// Invalid reports that it was tried and did something else than the program's own allocator
	// does; otherwise it did not take effect.
	Invalid bool   `json:"invalid,omitempty"`
	Why     string `json:"why"`
}

// OneSided names a benchmark that some sides do not have.
type OneSided struct {
	Study string   `json:"package"`
	Name  string   `json:"name"` // "" is the package itself
	On    []string `json:"on"`   // the names of the sides that have it
}

// NotMeasuredSays says it in a sentence for all configurations of one reason: "jemalloc is INVALID:
// it died of SIGSEGV", "tbb, scudo take no effect: …".
func NotMeasuredSays(all []NotMeasured) []string {
	var out []string
	for i, n := range all {
		var names []string
		for j, x := range all {
			if x.Why != n.Why || x.Invalid != n.Invalid {
				continue
			}
			if j < i {
				names = nil
				break
			}
			names = append(names, x.Name)
		}
		if len(names) == 0 {
			continue
		}
		how := " takes no effect: "
		switch {
		case n.Invalid && len(names) == 1:
			how = " is INVALID: "
		case n.Invalid:
			how = " are INVALID: "
		case len(names) > 1:
			how = " take no effect: "
		}
		out = append(out, strings.Join(names, ", ")+how+n.Why)
	}
	return out
}

// A Difference is how the test binary of a package on a side differs from that on the first one.
type Difference struct {
	Study string `json:"package"`
	Side  string `json:"side"`
	// Same reports that both are the same program: its code, what it is built with, its test data, arguments
	// and environment.
	Same  bool     `json:"same_program,omitempty"`
	Tests []string `json:"tests,omitempty"` // files of the package's tests that differ in what its benchmarks reach, from the root of the repository
	Data  []string `json:"data,omitempty"`  // test data and embedded files that differ
}

// Unreached are the functions of a side that changed and that no benchmark reaches.
type Unreached struct {
	Side      string   `json:"side"`
	Functions []string `json:"functions"` // "codec.Reader.skip": with the last element of their folder, in their order
}

// NothingDiffers reports whether a comparison needs no sample: its sides are the same program in all packages.
func (q *Question) NothingDiffers() bool {
	return q.Comparison != nil && len(q.Plan.Studies) == 0 && len(q.Comparison.SamePrograms(&q.Plan)) > 0
}

// SamePrograms returns the packages that are the same program on all sides, and are not in the plan.
func (c *Comparison) SamePrograms(p *Plan) (out []string) {
	for _, d := range c.Differs {
		same := !slices.ContainsFunc(c.Differs, func(o Difference) bool { return o.Study == d.Study && !o.Same })
		if same && !slices.Contains(out, d.Study) &&
			!slices.ContainsFunc(p.Studies, func(s Study) bool { return s.Name == d.Study }) {
			out = append(out, d.Study)
		}
	}
	return out
}

// AddOneSided notes benchmarks, each once, that some sides do not have.
func (c *Comparison) AddOneSided(more []OneSided) {
	for _, x := range more {
		if !slices.ContainsFunc(c.OneSided, func(o OneSided) bool { return o.Study == x.Study && o.Name == x.Name }) {
			c.OneSided = append(c.OneSided, x)
		}
	}
}
