package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"memcost/internal/hint"
	"memcost/internal/machine"
	"memcost/internal/proc"
	"memcost/internal/toolchain"
)

func (a *app) doctorCommand() *cobra.Command {
	var asJSON bool
	var probe time.Duration
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Is this machine fit to measure on, and what to do if not",
		Example: `  memcost doctor
  memcost doctor --probe 10s --json`,
		Args: maxArgs(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			if probe <= 0 {
				return hint.Usage("a few seconds are enough: --probe 3s", "--probe %v: not a positive time", probe)
			}
			return a.doctor(cmd.Context(), probe, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().DurationVar(&probe, "probe", 3*time.Second, "how long to watch the machine's noise")
	return cmd
}

type diagnosis struct {
	Machine  machine.Fingerprint `json:"machine"`
	ID       string              `json:"id"`
	Probe    machine.Probe       `json:"probe"`
	Findings []machine.Finding   `json:"findings"`
}

func (a *app) doctor(ctx context.Context, d time.Duration, asJSON bool) error {
	fp, err := machine.ReadFingerprint("")
	if err != nil {
		return fmt.Errorf("reading what this machine is: %w", err)
	}
	sampler, err := machine.NewSampler("")
	if err != nil {
		return fmt.Errorf("watching this machine: %w", err)
	}
	defer sampler.Close()
	if tty, _ := isTerminal(a.stderr); tty {
		fmt.Fprintf(a.stderr, "watching the machine for %v …\n", d)
	}
	probe, err := machine.MeasureNoise(ctx, sampler, d)
	if err != nil {
		return fmt.Errorf("measuring the noise: %w", err)
	}
	x := diagnosis{fp, fp.ID(), probe, append(machine.Assess(fp, probe), tools(ctx)...)}
	if asJSON {
		return writeJSON(a.stdout, x)
	}
	return x.text(a.stdout, useColor(a.stdout))
}

// tools reports the programs that memcost starts.
func tools(ctx context.Context) []machine.Finding {
	finder := &toolchain.Finder{Runner: &proc.Runner{}}
	var fs []machine.Finding
	if tc, err := finder.Local(ctx); err != nil {
		fs = append(fs, machine.Finding{Name: "go", Level: machine.Bad, Value: "missing", Detail: err.Error(), Hint: "install Go 1.21 or newer: https://go.dev/dl/"})
	} else {
		fs = append(fs, machine.Finding{Name: "go", Level: machine.OK, Value: tc.Version, Detail: tc.GOROOT})
	}
	if path, err := proc.LookPath("cc", os.Environ()); err != nil {
		fs = append(fs, machine.Finding{Name: "C compiler", Level: machine.Note, Value: "missing", Detail: "needed by benchmarks that use cgo", Hint: "on Debian or Ubuntu: apt-get install gcc"})
	} else {
		fs = append(fs, machine.Finding{Name: "C compiler", Level: machine.OK, Value: path})
	}
	return fs
}

func (x diagnosis) text(w io.Writer, color bool) error {
	m := x.Machine
	fmt.Fprintf(w, "%s: %s, %d CPUs, %s/%s, kernel %s (id %s)\n\n", m.Hostname, m.CPUModel, m.CPUs, m.OS, m.Arch, m.Kernel, x.ID)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	bad, warn := 0, 0
	for _, f := range x.Findings {
		switch f.Level {
		case machine.Bad:
			bad++
		case machine.Warn:
			warn++
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", level(f.Level, color), f.Name, f.Value, f.Detail)
		if f.Hint != "" {
			fmt.Fprintf(tw, "%s\t\t→ %s\t\n", level(-1, color), f.Hint)
		}
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	verdict := "fit to measure on"
	switch {
	case bad > 0:
		verdict = fmt.Sprintf("not fit to measure on (BAD: %d, warn: %d): verdicts stay sound, but intervals will be wide and many questions stay open", bad, warn)
	case warn > 0:
		verdict = fmt.Sprintf("usable (warn: %d): intervals will be wider than they need be", warn)
	}
	_, err := fmt.Fprintf(w, "\n%s\n", verdict)
	return err
}

// level is a finding's mark. Each is padded with an equal number of invisible
// bytes, so that the columns stay in line.
func level(l machine.Level, color bool) string {
	name, code := "", "00"
	switch l {
	case machine.OK:
		name, code = "ok", "32"
	case machine.Note:
		name, code = "note", "36"
	case machine.Warn:
		name, code = "warn", "33"
	case machine.Bad:
		name, code = "BAD", "31"
	case machine.Unknown:
		name, code = "?", "35"
	}
	if !color {
		return name
	}
	return "\x1b[" + code + "m" + name + "\x1b[0m"
}
