package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
	"memcost/internal/gotool/source"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/session"
	"memcost/internal/report/compare"
	"memcost/published"
)

// commonFlags are the groups of flags that several commands have. Each command has those of them that
// it registers.
type commonFlags struct {
	session.Options
	outputFlags
	gate    bool
	rules   *compare.Gate // of --gate, of a comparison; nil where it has no value of its own
	resume  string
	trust   bool
	verbose bool

	complete bool // shards that are missing give a status of their own
}

// gates are --gate, a switch.
func (f *commonFlags) gates(help string) flags {
	return flags{{name: "gate", takes: toggle(&f.gate), shows: true, help: "exit with status 3 " + help}}
}

// gatesSides are --gate with what it asks of the sides of a comparison; alone it is worth bare.
func (f *commonFlags) gatesSides(bare, help string) flags {
	return flags{{name: "gate", shows: true, bare: bare, eg: "slower=3%,allocs", of: ofStudies | ofSides,
		help: "exit with status 3 " + help, takes: taking{"string", "", func(s string) (err error) {
			if f.gate = true; s != claimsAlone {
				f.rules, err = compare.Parse(s)
			}
			return err
		}}}}
}

// claimsAlone is what --gate of memcost run is worth without a value.
const claimsAlone = "claims"

// budgets are the flags that say how long is measured, and how well things are to be known.
func (f *commonFlags) budgets() flags {
	return flags{
		{name: "budget", takes: positive(&f.Budget, 0), eg: "3m", resume: ofStudies | ofSides | ofHistory,
			help: "stop after this time of measuring"},
		{name: "timeout", takes: positive(&f.Timeout, time.Millisecond), eg: "1m", resume: ^subject(0),
			help: "a process that takes longer is killed, and has failed"},
		{name: "rounds", takes: between(&f.Rounds, 1, unlimited), eg: "20", resume: ofStudies | ofSides,
			help: "take exactly this many rounds"},
		{name: "precision", takes: share(&f.Precision), eg: "1%", resume: ofStudies,
			help: "stop when ratios and costs are known this well: 1%"},
		{name: "stop-when-decided", bare: "true", takes: take(&f.StopWhenDecided, "bool", func(s string) (*bool, error) {
			yes, err := strconv.ParseBool(s)
			return &yes, err
		}), resume: ofStudies, not: "rounds", help: "stop when all claims " +
			"are decided, and all comparisons of configurations, whatever --precision asks of tables"},
		{name: "alpha", takes: take(&f.Alpha, "float", errorRate), eg: "0.01", help: "error rate of a verdict"},
		{name: "margin", takes: share(&f.Margin), eg: "1%", help: "the `difference` that is worth knowing"},
	}
}

func errorRate(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v > 0 && v < 0.5) {
		return 0, errors.New("must be between 0 and 0.5")
	}
	return v, nil
}

// sampling are the flags that say what a sample is, and what is drawn.
func (f *commonFlags) sampling() flags {
	built := ofStudies | ofPackages | ofHistory
	return flags{
		{name: "seed", takes: take(&f.Seed, "uint", readSeed), eg: "1",
			help: "seed of every random choice", more: "default: random, recorded"},
		{name: "sample", takes: positive(&f.Sample, time.Millisecond), eg: "100ms", of: built,
			help: "least loop time of one sample"},
		{name: "layouts", takes: between(&f.Layouts, 1, 256), eg: "12", of: built,
			help: "how many memory layouts each side is linked in, to draw from"},
		{name: "slices", takes: take(&f.Slices, "int", readSlices), eg: "0", help: fmt.Sprintf("at most so many "+
			"slices in a sample, where the processes of a case's configurations take turns; 0: each process runs "+
			"alone (default: %d)", plan.MostSlices)},
		{name: "cpu", takes: taking{"ints", "", func(text string) (err error) {
			f.CPU, err = readCPU(text)
			return err
		}}, eg: "1,2", of: built | ofPrograms, help: "GOMAXPROCS `values`, as go test -cpu: 1,2,4"},
		{name: "load", takes: taking{"strings", "", func(text string) error {
			f.Load = distinct(Words(text, ","))
			for _, load := range f.Load {
				if _, ok := plan.Spinning(load, 1); !ok {
					return fmt.Errorf("not a number of busy cores from 0 to %d, or %s", plan.MostSpinning, plan.AllBusy)
				}
			}
			if len(f.Load) == 0 {
				return errors.New("it names no number of busy cores")
			}
			return nil
		}}, eg: "0,1,all", offers: completeLoad, help: "measure each case beside so many busy `cores`, as cases of " +
			"their own: 0,1,all", more: "default: as the study asks"},
		{name: "quick", takes: profile(&f.Profile, session.Quick), not: "full", help: "the quick profile", more: "the default"},
		{name: "full", takes: profile(&f.Profile, session.Full), help: "the full profile"},
		{name: "no-guards", takes: toggle(&f.NoGuards), help: "leave out the samples that check the instrument: the " +
			"noise floor, and a quarter of the iterations"},
	}
}

// profile is the switch of a profile; with false it is none.
func profile(to *string, name string) taking {
	return taking{"bool", "", func(s string) error {
		yes, err := strconv.ParseBool(s)
		if yes {
			*to = name
		}
		return err
	}}
}

func readSeed(s string) (*uint64, error) {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return nil, errors.New("not a whole number from 0 up")
	}
	return &n, nil
}

func readSlices(s string) (*int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n != 0 && (n < plan.LeastSlices || n > plan.MostSlices) {
		return nil, fmt.Errorf("must be 0, or from %d to %d", plan.LeastSlices, plan.MostSlices)
	}
	return &n, nil
}

// readCPU reads "1,2,4".
func readCPU(s string) ([]int, error) {
	var out []int
	for _, part := range Words(s, ",") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q is not a number of CPUs", part)
		}
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out, nil
}

// sides are the flags that say what is measured, and of which builds. A setting that nothing checks here is
// checked where it is tried.
func (f *commonFlags) sides(checkVary func(string) error) flags {
	built := ofStudies | ofPackages | ofHistory
	return flags{
		{name: "go", takes: checked(&f.Go, source.Check), eg: "1.25.4,1.27", help: "Go `versions`: " +
			"1.25.4,1.27 · local · all", offers: offer("local", "published", "all")},
		{name: "vary", takes: words(&f.Vary, checkVary), eg: "GOGC=off", help: "add a configuration with a `setting`"},
		{name: "bench,b", takes: checked(&f.Bench, session.CheckBench), eg: "Decode", of: built | ofPrograms,
			help: "only the benchmarks that match `REGEXP`, as go test -bench"},
		{name: "tags", takes: word(&f.Tags), of: built, help: "build `tags`, as of go build"},
		{name: "build-flag", takes: words(&f.BuildFlags, source.CheckFlag), eg: "-pgo=off", of: built,
			help: "build `flag`: -race=false, -pgo=off", more: "repeatable"},
		{name: "stdin", takes: word(&f.Stdin), of: ofPrograms | ofCommands, help: "`FILE` that each process reads",
			more: "default: what a pipe brings, or nothing"},
		{name: "only", takes: choice(&f.Only, "selection", []string{"published"}), eg: "published",
			help: "published: leave our own settings and the other allocators out"},
	}
}

// folder are the flags that say where what is measured is kept, and what is said meanwhile.
func (f *commonFlags) folder() flags {
	if f.Results == "" {
		f.Results = "results"
	}
	return flags{
		{name: "results", takes: word(&f.Results), offers: folders, help: "make the run folder in `DIR`"},
		{name: "resume", takes: checked(&f.resume, func(dir string) error {
			if dir == "" {
				return hint.Usage("for example --resume results/20261121-101530-myhost", "--resume names no run folder")
			}
			return nil
		}), shows: true, eg: "results/20261121-101530-myhost", offers: folders, help: "go on with the run in `DIR`"},
		{name: "trust", takes: toggle(&f.trust), shows: true, needs: "resume", help: "go on with a run that your memcost did " +
			"not begin, and run what it says"},
		{name: "label", takes: word(&f.Label), help: "`name` of the run, where it is shown"},
		{name: "dry-run,n", takes: toggle(&f.DryRun), help: "print what would be done, and do nothing"},
		{name: "verbose,x", takes: toggle(&f.verbose), shows: true, help: "print every command to standard error"},
	}
}

// programs are the flags that say which program is measured, under what.
func (f *commonFlags) programs(with *[]string, server *plan.Alloc) flags {
	return flags{
		{name: "with", takes: commaList(with, "allocator"), offers: completeAllocators, help: "only these `allocators`, by " +
			"name or by the file of a library"},
		{name: "until", takes: word(&server.Until), eg: "'redis-benchmark -q'",
			help: "the program is a server: `command` that is its load"},
		{name: "ready", takes: word(&server.Ready), needs: "until",
			help: "`command` that exits with 0 when the server answers", more: "default: the load"},
		{name: "exit-status", takes: between(&server.Status, 0, 255), eg: "1", help: "the program ends with status " +
			"`N` when it succeeds", more: "default: 0"},
	}
}

// completeness is --complete of what reads places.
func (f *commonFlags) completeness() flags {
	return flags{{name: "complete", takes: toggle(&f.complete), shows: true,
		help: "exit with status 4 where shards of a plan are missing"}}
}

// folders completes the names of folders.
func folders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// benchtime takes what go test takes.
func benchtime(to *string) taking {
	return checked(to, func(s string) error {
		if n, ok := strings.CutSuffix(s, "x"); ok {
			if count, err := strconv.Atoi(n); err == nil && count > 0 {
				return nil
			}
		} else if d, err := time.ParseDuration(s); err == nil && d > 0 {
			return nil
		}
		return hint.New("a time such as 2s, or a number of iterations such as 100x",
			"neither a positive time nor a number of iterations")
	})
}

// Words returns the parts of a list without the space around them, and without empty ones.
func Words(list, separator string) []string {
	var out []string
	for part := range strings.SplitSeq(list, separator) {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// distinct drops what stands again, and keeps the order.
func distinct(names []string) []string {
	var out []string
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// needs has a command refuse to run without arguments, or with more than one where it takes one.
func needs(one bool, what, advice string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch n := len(args); {
		case n == 0:
			return hint.Usage(advice, "%s needs a %s", cmd.CommandPath(), what)
		case one && n > 1:
			return hint.Usage(advice, "%s takes one %s, not %d", cmd.CommandPath(), what, n)
		}
		return nil
	}
}

func maxArgs(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > n {
			return hint.Usage(cmd.CommandPath()+" --help says what it takes",
				"%s takes %d arguments at most, not %d: %q", cmd.CommandPath(), n, len(args), args)
		}
		return nil
	}
}

// plainError is without the name of a file that the message names already.
func plainError(err error) error {
	var named *os.PathError
	if errors.As(err, &named) {
		return named.Err
	}
	return err
}

func completeStudies(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, s := range session.Studies() {
		names = append(names, s.Name+"\t"+s.Question)
	}
	return names, cobra.ShellCompDirectiveDefault
}

// completeLoad completes the last part of a list.
func completeLoad(_ *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
	before := prefix[:strings.LastIndexByte(prefix, ',')+1]
	var out []string
	for _, load := range []string{"0\tnone", "1\tone busy core", plan.AllBusy + "\tas many as there are cores"} {
		name, _, _ := strings.Cut(load, "\t")
		if !slices.Contains(strings.Split(before, ","), name) {
			out = append(out, before+load)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace |
		cobra.ShellCompDirectiveKeepOrder
}

func completePublished(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	names := []string{"all", "none"}
	if sets, err := published.Read(published.FS); err == nil {
		for _, s := range sets {
			names = append(names, s.Name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeClaim offers the claims of the studies that are named: as they are, or to change
// their bounds.
func completeClaim(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, name := range args {
		if st, err := session.Study(name); err == nil {
			for _, c := range st.Claims {
				out = append(out, c.Source+"\t"+c.Prose)
			}
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
