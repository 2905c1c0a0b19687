package cli

import (
	"time"

	"github.com/spf13/cobra"

	"memcost/internal/measure/plan"
	"memcost/internal/report/compare"
)

// compareFlags are the flags of memcost compare as they were given.
type compareFlags struct {
	command  bool
	each     string
	goList   string
	bench    string
	cpu      string
	tags     string
	build    []string // build flags
	testArgs []string // behind --
	stdin    string
	prepare  string
	margin   string
	alpha    float64
	budget   time.Duration
	timeout  time.Duration
	sample   time.Duration
	layouts  int
	rounds   int
	seed     uint64
	gate     string
	format   string
	json     bool
	out      string
	open     bool
	long     bool
	label    string
	results  string
	resume   string
	dryRun   bool
	verbose  bool
}

func (f *compareFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.BoolVar(&f.command, "command", false, "the arguments are command lines, and settings for them")
	fl.StringVar(&f.each, "each", "", "find the commits of `REV..REV` that changed something")
	fl.StringVar(&f.goList, "go", "", "find the releases of these Go `versions` that changed something: all, or a list")
	fl.StringVarP(&f.bench, "bench", "b", "", "only benchmarks that match the regular expression, as go test -bench")
	fl.StringVar(&f.cpu, "cpu", "", "GOMAXPROCS `values`, as go test -cpu: 1,2,4")
	fl.StringVar(&f.tags, "tags", "", "build `tags` of all sides, as of go build")
	fl.StringArrayVar(&f.build, "build-flag", nil, "build `flag` of all sides: -race=false, -pgo=off (repeatable)")
	fl.StringVar(&f.stdin, "stdin", "", "`FILE` that each command reads")
	fl.StringVar(&f.prepare, "prepare", "", "`command` before each sample, which is not timed")
	fl.StringVar(&f.margin, "margin", "1%", "the `difference` that is worth knowing")
	fl.Float64Var(&f.alpha, "alpha", plan.Alpha, "error rate of a verdict")
	fl.DurationVar(&f.budget, "budget", 0, "stop after this time of calibrating and measuring, "+
		"of a run that is resumed in all (default: 60s a "+
		"benchmark, at most 30m)")
	fl.DurationVar(&f.timeout, "timeout", time.Minute, "a process that takes longer is killed, and its sample failed")
	fl.DurationVar(&f.sample, "sample", 0, "least loop time of one sample (default: 60ms, up to 235ms where it "+
		"collects seldom)")
	fl.IntVar(&f.layouts, "layouts", 0, "how many memory layouts each side is linked in, to draw from: with 1, "+
		"two links of the same code may differ (default: 12)")
	fl.IntVar(&f.rounds, "rounds", 0, "take exactly this many rounds (default: until all is decided)")
	fl.Uint64Var(&f.seed, "seed", 0, "seed of every random choice (default: random, recorded)")
	fl.StringVar(&f.gate, "gate", "", "exit with status 3 on regressions beyond a margin: --gate=slower=3%,allocs, "+
		"and bytes, cpu, memory, metrics; with undecided on what is not decided, too")
	fl.Lookup("gate").NoOptDefVal = compare.Default
	fl.StringVar(&f.format, "format", "", "print `FORMAT`: text, md, html, json, github")
	fl.BoolVar(&f.json, "json", false, "the same as --format json")
	fl.StringVarP(&f.out, "output", "o", "", "write to `FILE`")
	fl.BoolVar(&f.open, "open", false, "open the page in a browser")
	fl.BoolVar(&f.long, "long", false, "print every benchmark and metric")
	fl.StringVar(&f.label, "label", "", "`name` of the run, where it is shown")
	fl.StringVar(&f.results, "results", "results", "make the run folder in `DIR`")
	fl.StringVar(&f.resume, "resume", "", "go on with the comparison in `DIR`")
	fl.BoolVarP(&f.dryRun, "dry-run", "n", false, "print what would be done, and measure nothing")
	fl.BoolVarP(&f.verbose, "verbose", "x", false, "print every command to standard error")
}
