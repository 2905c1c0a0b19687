package cli

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"memcost/internal/base/proc"
	"memcost/internal/document"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/machine"
	"memcost/internal/measure/certificate"
)

func doctorCommand(a *App) *cobra.Command {
	var f commonFlags
	probe := 3 * time.Second
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Is this machine fit to measure on, and what to do if not",
		Long: `Reads the state of this machine (processors, frequency, memory, virtualization, load) and
measures a fixed piece of work for --probe, to see how much its time scatters. Each finding
is ok, a note, a warning or BAD, with what to do. A machine is fit when none is BAD. On one
that is busy a run decides no claim about ratios of different code: such a ratio is true of
the load beside which it was taken. Shows the certificate of memcost certify, if there is
one: how often memcost was wrong here. The exit status is 0 whatever is found.`,
		Example: `  memcost doctor
  memcost doctor --probe 10s --json`,
		Args: maxArgs(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			return doctor(cmd.Context(), a, probe, &f)
		},
	}
	register(cmd, f.output().pick("json"), flags{{name: "probe", takes: positive(&probe, 0), eg: "3s",
		help: "how long to watch the machine's noise"}})
	return cmd
}

type diagnosis struct {
	Machine  machine.Fingerprint `json:"machine"`
	ID       string              `json:"id"`
	Probe    machine.Probe       `json:"probe"`
	Findings []machine.Finding   `json:"findings"`
	// Certificate is that of memcost certify; nil where there is none that counts.
	Certificate *certificate.Certificate `json:"certificate"`
}

func doctor(ctx context.Context, a *App, d time.Duration, f *commonFlags) error {
	fp, err := machine.ReadFingerprint("")
	if err != nil {
		return fmt.Errorf("reading what this machine is: %w", err)
	}
	sampler, err := machine.NewSampler("")
	if err != nil {
		return fmt.Errorf("watching this machine: %w", err)
	}
	defer sampler.Close()
	if tty, _ := isTerminal(a.Stderr); tty {
		fmt.Fprintf(a.Stderr, "watching the machine for %v …\n", d)
	}
	probe, err := machine.MeasureNoise(ctx, sampler, d)
	if err != nil {
		return fmt.Errorf("measuring the noise: %w", err)
	}
	proved, finding := certificateOfHere()
	x := diagnosis{fp, fp.ID(), probe, append(append(machine.Assess(fp, probe), toolFindings(ctx)...), finding), proved}
	return f.show(a, said{json: x, document: func() *document.Document { return fp.Document(x.Findings) }})
}

// toolFindings reports the programs that memcost starts.
func toolFindings(ctx context.Context) []machine.Finding {
	finder := &toolchain.Finder{Runner: &proc.Runner{}}
	var fs []machine.Finding
	if tc, err := finder.Local(ctx); err != nil {
		fs = append(fs, machine.Finding{Name: "go", Level: machine.Bad, Value: "missing", Detail: err.Error(),
			Hint: "install Go 1.21 or newer: https://go.dev/dl/"})
	} else {
		fs = append(fs, machine.Finding{Name: "go", Level: machine.OK, Value: tc.Version, Detail: tc.GOROOT})
	}
	if path, err := proc.LookPath("cc", os.Environ()); err != nil {
		fs = append(fs, machine.Finding{Name: "C compiler", Level: machine.Note, Value: "missing",
			Detail: "needed by benchmarks that use cgo", Hint: "on Debian or Ubuntu: apt-get install gcc"})
	} else {
		fs = append(fs, machine.Finding{Name: "C compiler", Level: machine.OK, Value: path})
	}
	return fs
}
