package cli

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
	"memcost/internal/machine"
	"memcost/internal/measure/certificate"
	"memcost/internal/measure/certify"
	"memcost/internal/measure/session"
	"memcost/internal/measure/store"
)

// errUncertified ends an attempt that proved too little, or the contrary; all has been said.
var errUncertified = errors.New("this machine is not certified")

type certifyFlags struct {
	commonFlags
	quick, goOn bool
}

func certifyCommand(a *App) *cobra.Command {
	var f certifyFlags
	cmd := &cobra.Command{
		Use:   "certify",
		Short: "Prove on this machine how often memcost is wrong, and how often right",
		Long: `Compares benchmarks with identical copies of themselves, linked in other layouts, and with
copies that are slower by 0.5, 1, 2, 5 and 10%, as memcost run compares configurations: on
the quiet machine, beside a busy core, and beside a program that streams through memory.

Prints how often a difference was shown that is none (false alarms), and how often a known
slowdown was found and the truth was inside the interval, at every look. The
machine is certified when at most 5% of at least 600 comparisons can be false alarms (the
upper end of a 95% interval) and the truth is inside at least 95% of the intervals. The
certificate is kept in your folder of settings (memcost below it, or MEMCOST_CONFIG), shown
by memcost doctor, and quoted by every run. A shorter --budget gives figures with wider
bounds, and no certificate where they are too few.

Takes an hour, with --quick 10 minutes. Leave the machine alone meanwhile. Ctrl-C is safe:
the samples are kept, and --resume goes on. The exit status is 0 only if the machine is
certified, else 3.`,
		Example: `  memcost certify --quick
  memcost certify --budget 20m --json
  memcost certify --resume`,
		Args: maxArgs(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.quick {
				f.Budget = certify.QuickBudget
			}
			return runCertify(cmd.Context(), a, &f)
		},
	}
	register(cmd, f.budgets().pick("budget: building included; default: 1h"),
		f.sampling().pick("seed"), f.folder().pick("verbose"),
		f.output().pick("json: the certificate, or what was reached", "long = print the figures of each benchmark, too"),
		flags{
			{name: "quick", takes: toggle(&f.quick), not: "budget",
				help: "10 minutes in all: 612 comparisons of identical copies, of 10 rounds each"},
			{name: "resume", takes: toggle(&f.goOn), not: "seed", help: "go on with the attempt that was interrupted"}})
	return cmd
}

func runCertify(ctx context.Context, a *App, f *certifyFlags) error {
	began := time.Now()
	dir, err := certificate.Dir()
	if err != nil {
		return err
	}
	here, err := machine.Identify("")
	if err != nil {
		return hint.With("on Linux: systemd-machine-id-setup; a container: docker run -v "+
			"/etc/machine-id:/etc/machine-id:ro", fmt.Errorf("certifying: %w, so that a certificate could be "+
			"taken for that of another one", err))
	}
	t, err := a.Tools(f.verbose)
	if err != nil {
		return err
	}
	defer t.Log.End()
	at, folder, err := f.attempt(dir, here, a.Origin().Version, began)
	if err != nil {
		return err
	}
	x := &certify.Instrument{Tools: t}
	defer x.Close()
	if err := x.Prepare(ctx, at); err != nil {
		if folder != nil {
			folder.Close()
		}
		if ctx.Err() != nil {
			return session.ErrInterrupted()
		}
		return err
	}
	if folder == nil {
		if folder, err = certify.Begin(dir, at); err != nil {
			return err
		}
	}
	defer folder.Close()
	defer t.Alone()()
	at.Spent += time.Since(began)
	e := &certify.Engine{Attempt: at, Folder: folder, Take: x.Take, Load: x.Load, Now: time.Now,
		Progress: func(x certify.Progress) { t.Log.Step(x.String()) }}
	c, err := e.Run(ctx)
	t.Log.End()
	return f.conclude(a, dir, folder, at, c, err)
}

// attempt returns the attempt to go on with and its folder, or a new one without a folder.
func (f *certifyFlags) attempt(dir string, here machine.Identity, version string, now time.Time) (*certify.Attempt,
	*store.Folder, error) {
	if f.goOn {
		at, folder, err := certify.Unfinished(dir, here, version)
		if err == nil && f.Budget > 0 {
			at.Options.Budget = f.Budget
		}
		return at, folder, err
	}
	if f.Budget == 0 {
		f.Budget = certify.FullBudget
	}
	seed := rand.Uint64N(1e9)
	if f.Seed != nil {
		seed = *f.Seed
	}
	return &certify.Attempt{Tool: version, Created: now.UTC(), Machine: here,
		Options: certify.Fit(f.Budget, seed)}, nil, nil
}

// conclude prints what was reached, and keeps it where it is enough to judge by.
func (f *certifyFlags) conclude(a *App, dir string, folder *store.Folder, at *certify.Attempt,
	c *certificate.Certificate, failed error) error {
	if err := f.show(a, said{json: c, document: c.Document}); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	if c.Whole() {
		path, err := c.Write(dir)
		if err != nil {
			return hint.With("name another folder with MEMCOST_CONFIG", err)
		}
		fmt.Fprintln(a.Stderr, "kept in", path)
	}
	if at.Ended {
		certify.Forget(dir, folder.Dir)
	} else {
		fmt.Fprintf(a.Stderr, "note: the budget of %v is spent; go on with: memcost certify --resume --budget %v\n",
			at.Options.Budget, 2*max(at.Options.Budget, at.Spent.Round(time.Second)))
	}
	if !c.Passed() {
		return errUncertified
	}
	return nil
}

// certificateOfHere returns the certificate of this machine for doctor, and what is to be said
// about it.
func certificateOfHere() (*certificate.Certificate, machine.Finding) {
	f := machine.Finding{Name: "certificate", Level: machine.Note, Value: "none",
		Detail: "how often memcost is wrong here was never measured", Hint: "memcost certify --quick"}
	dir, err := certificate.Dir()
	if err == nil {
		var here machine.Identity
		if here, err = machine.Identify(""); err == nil {
			var c *certificate.Certificate
			if c, err = certificate.Read(dir, here); err == nil {
				return c, certificateFinding(c)
			}
		}
	}
	if !errors.Is(err, certificate.ErrNone) {
		f.Level, f.Value = machine.Warn, "refused"
		f.Detail, _ = hint.Split(err)
	}
	return nil, f
}

func certificateFinding(c *certificate.Certificate) machine.Finding {
	f := machine.Finding{Name: "certificate", Level: machine.OK, Value: "of " + c.Made.Format(time.DateOnly),
		Detail: certificate.QuoteOf(c).Sentence()}
	if !c.Passed() {
		f.Level, f.Value, f.Hint = machine.Warn, "not passed, "+c.Made.Format(time.DateOnly), "memcost certify"
	}
	return f
}
