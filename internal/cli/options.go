package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
	"memcost/internal/measure/session"
)

// options turns the flags of a comparison into those of its run.
func (f *compareFlags) options(given func(string) bool) (o session.Options, err error) {
	o = session.Options{Go: "local", Results: f.results, DryRun: f.dryRun, Bench: f.bench, Tags: f.tags, Label: f.label,
		BuildFlags: f.build, TestArgs: f.testArgs, Profile: session.Quick, Rounds: f.rounds, Budget: f.budget,
		Timeout: f.timeout, Alpha: f.alpha, StopWhenDecided: f.rounds == 0}
	if given("seed") {
		o.Seed = &f.seed
	}
	for _, n := range []struct {
		flag, say string
		wrong     bool
	}{
		{"alpha", "must be between 0 and 0.5", f.alpha <= 0},
		{"budget", "must be a positive time, like 3m", f.budget <= 0},
		{"timeout", "must be a positive time, like 1m", f.timeout <= 0},
		{"sample", "must be at least 1ms", f.sample <= 0},
		{"layouts", "must be between 1 and 256", f.layouts <= 0},
	} {
		if given(n.flag) && n.wrong {
			return o, hint.Usage("memcost compare --help lists the flags", "--%s %s", n.flag, n.say)
		}
	}
	for i, word := range o.BuildFlags {
		o.BuildFlags[i] = strings.TrimSpace(word) // see side.Shield
	}
	o.Sample, o.Layouts = f.sample, f.layouts
	if o.Margin, err = ParseShare("margin", f.margin); err != nil {
		return o, err
	}
	o.CPU, err = ParseCPU(f.cpu)
	return o, err
}

// goOn is the error of a comparison that was interrupted, with how to go on with it.
func goOn(dir, says string) error {
	return hint.With("go on with: memcost compare --resume "+dir, errors.New("interrupted"+says))
}

// mayResume reports flags that a comparison which is gone on with cannot take.
func (f *compareFlags) mayResume(cmd *cobra.Command) error {
	if err := MayChange(cmd, "budget", "rounds", "timeout", "format", "output"); err != nil {
		return err
	}
	if _, err := f.options(Changed(cmd)); err != nil {
		return err
	}
	return f.checkShow()
}
