package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
	"memcost/internal/base/units"
	"memcost/internal/malloc/latency"
	"memcost/internal/measure/plan"
)

// useFlags say how blocks are used while settings are judged for real time.
type useFlags struct {
	live       string
	threads    int
	warmup     int64
	situations []string
}

func (f *useFlags) register(cmd *cobra.Command) {
	u := latency.DefaultUse()
	fl := cmd.Flags()
	fl.StringVar(&f.live, "live", "64MiB", "with --rt: keep up to so many `BYTES` alive, in at most 65,536 blocks")
	fl.IntVar(&f.threads, "threads", u.Threads, "with --rt: `N` threads in the situation of that name")
	fl.Int64Var(&f.warmup, "warmup", u.Warmup, "with --rt: `N` untimed calls of one block before the timed ones "+
		"(default: a tenth of these, at most 1,000)")
	fl.Lookup("warmup").DefValue = ""
	fl.StringSliceVar(&f.situations, "situation", u.Situations, "with --rt: judge in these situations: "+
		strings.Join(u.Situations, ", "))
	cmd.RegisterFlagCompletionFunc("situation", cobra.FixedCompletions(u.Situations,
		cobra.ShellCompDirectiveNoFileComp))
}

// read checks the flags, before anything is built.
func (f *useFlags) read() (*plan.Use, error) {
	u := &plan.Use{Threads: f.threads, Warmup: f.warmup, Situations: f.situations}
	var err error
	if u.Live, err = units.ReadBytes(f.live); err != nil || u.Live < 1 {
		return nil, hint.Usage("for example --live 64MiB", "--live %s: no number of bytes", f.live)
	}
	const most = 64 // as many as the program starts
	if f.threads < 2 || f.threads > most {
		return nil, hint.Usage("the other situations are of one thread", "--threads %d: 2 to %d", f.threads, most)
	}
	if bad := latency.CheckSituations(f.situations); bad != "" {
		advice := "there are: " + strings.Join(latency.Situations(), ", ")
		if near := hint.Nearest(bad, latency.Situations()); near != "" {
			advice = "did you mean " + near + "? " + advice
		}
		return nil, hint.Usage(advice, "--situation %s: there is no such situation", bad)
	}
	return u, nil
}
