package cli

import (
	"os"
	"slices"

	"memcost/internal/base/hint"
	"memcost/internal/measure/store"
	sides "memcost/internal/report/compare"
	"memcost/internal/report/result"
)

// compareRecorded compares run folders and files of benchmark results with the first of them.
func compareRecorded(a *App, f *compareFlags, args []string, given func(string) bool) error {
	for _, arg := range args {
		if !isRecord(arg) {
			return hint.Usage("measure it first, with memcost run, or name revisions alone",
				"%s is neither a run folder nor a file of benchmark results, as the other sides are", arg)
		}
	}
	if len(args) < 2 {
		return hint.Usage("memcost report "+args[0]+" shows what it says by itself",
			"%s is one side, and a comparison needs two", args[0])
	}
	for _, flag := range []string{"bench", "cpu", "tags", "build-flag", "stdin", "prepare", "budget", "timeout",
		"sample", "layouts", "rounds", "seed", "results", "dry-run", "label"} {
		if given(flag) {
			return hint.Usage("leave --"+flag+" out", "--%s says how to measure, and nothing is measured where "+
				"all sides are recorded", flag)
		}
	}
	margin, err := ParsePercent(f.margin)
	if err != nil {
		return hint.Usage("for example --margin 1%", "--margin: %w", err)
	}
	if !(f.alpha > 0 && f.alpha < 0.5) {
		return hint.Usage("for example --alpha 0.01", "--alpha must be between 0 and 0.5")
	}
	o, err := ReportOptions("none")
	if err != nil {
		return err
	}
	o.Samples = true
	answers, err := ReadRuns(a, args, o)
	if err != nil {
		return err
	}
	r := sides.OfFiles(answers, margin, f.alpha)
	if len(r.Benchmarks) == 0 && settingsOfOne(answers) {
		o.Bare = true
		if answers, err = ReadRuns(a, args, o); err != nil {
			return err
		}
		r = sides.OfFiles(answers, margin, f.alpha)
	}
	if len(r.Benchmarks) == 0 {
		return hint.New("see what they hold: memcost report "+args[0], "the sides have no benchmark in common")
	}
	g, err := GateOf(f.gate)
	if err != nil {
		return err
	}
	if err := showReport(a, r, answers, f, g); err != nil {
		return err
	}
	if f.open && f.out != "" {
		if err := OpenPage(f.out); err != nil {
			return err
		}
	}
	return Closed(a, r, g)
}

// settingsOfOne reports whether the sides are files of one machine, on which a study's program was
// run once for each setting.
func settingsOfOne(answers []*result.Answer) bool {
	return !slices.ContainsFunc(answers[1:], func(b *result.Answer) bool { return !answers[0].Joins(b) })
}

// anyRecorded reports whether some side is a run folder or a file of benchmark results.
func anyRecorded(args []string) bool { return slices.ContainsFunc(args, isRecord) }

// isRecord reports whether a side is a run folder or a file of benchmark results. Packages and
// programs are none.
func isRecord(arg string) bool {
	info, err := os.Stat(arg)
	switch {
	case arg == "-":
		return true
	case err != nil:
		return false
	case info.IsDir():
		return store.IsRun(arg)
	}
	return info.Mode().IsRegular() && info.Mode()&0o111 == 0
}
