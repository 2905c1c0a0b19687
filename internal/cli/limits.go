package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memcost/internal/limits"
)

// limitsFlags are the flags of memcost limits as they were given.
type limitsFlags struct {
	goVersions     string
	only           string
	results        string
	resume         string
	keepToolchains bool
	verbose        bool
	dryRun         bool
	json           bool
	long           bool
	gate           bool
	open           bool
}

func (a *app) limitsCommand() *cobra.Command {
	var f limitsFlags
	cmd := &cobra.Command{
		Use:   "limits",
		Short: "What the compiler and the runtime keep on the stack, found by trying, by Go version",
		Long: `Finds, for each Go version, what stays on the goroutine stack and what the stack
itself can do: how large a variable, a new, a make or a string may be, how deep a
recursion goes, how stacks start, grow and shrink.

Nothing is taken from a table. What the compiler decides is found by compiling many
sizes, reading its own words and counting allocations (the count wins where they
disagree); what the runtime decides by child processes, some of which die of it: a
stack overflow takes 1.5 GiB of memory for a moment, and is left out where there is
less.

--go all takes the last release of each minor version from 1.13 on. A toolchain that
is not there yet is downloaded, used and removed again, one at a time, unless
--keep-toolchains. Ctrl-C is safe at any time: --resume goes on.`,
		Example: `  memcost limits
  memcost limits --go 1.13,1.23,1.24,1.27
  memcost limits --go all
  memcost limits --only 'explicit|make' --long     and by what evidence
  memcost limits --resume results/20261121-101530-myhost`,
		Args: maxArgs(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.limits(cmd.Context(), &f, changed(cmd))
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.goVersions, "go", "local", "Go `versions`: 1.25.4,1.27 · local · all")
	fl.StringVar(&f.only, "only", "", "only the limits whose name matches the regular expression (-n lists them)")
	fl.StringVar(&f.results, "results", "results", "make the run folder in `DIR`")
	fl.StringVar(&f.resume, "resume", "", "go on with the search in `DIR`")
	fl.BoolVar(&f.keepToolchains, "keep-toolchains", false, "download toolchains to the module cache, and leave them there")
	fl.BoolVarP(&f.dryRun, "dry-run", "n", false, "print what would be tried, with which versions")
	fl.BoolVarP(&f.verbose, "verbose", "x", false, "print every command to standard error")
	fl.BoolVar(&f.json, "json", false, "print the answer as JSON")
	fl.BoolVar(&f.long, "long", false, "print the evidence for every limit")
	fl.BoolVar(&f.gate, "gate", false, "exit with status 3 if a claim fails here, or a limit could not be found")
	fl.BoolVar(&f.open, "open", false, "open the report in a browser at the end")
	cmd.RegisterFlagCompletionFunc("go", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"local", "all"}, cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

// only compiles --only; it is an error if no limit is left.
func (f *limitsFlags) wanted() ([]string, error) {
	re, err := regexp.Compile(f.only)
	if err != nil {
		return nil, usage("https://pkg.go.dev/regexp/syntax", "--only: %w", err)
	}
	names := slices.DeleteFunc(limits.Names(), func(n string) bool { return !re.MatchString(n) })
	if len(names) == 0 {
		return nil, usage("the limits are: "+strings.Join(limits.Names(), ", "), "--only %q matches no limit", f.only)
	}
	return names, nil
}

func (a *app) limits(ctx context.Context, f *limitsFlags, changed func(string) bool) error {
	var h *hunt
	var err error
	if changed("resume") {
		h, err = a.resumeLimits(f, changed)
	} else {
		h, err = a.beginLimits(ctx, f)
	}
	if h != nil {
		defer h.close()
	}
	if err != nil {
		return err
	}
	if f.dryRun {
		return h.print()
	}
	err = h.find(ctx)
	h.progress.end()
	if err != nil && ctx.Err() == nil {
		return withHint("go on with: memcost limits --resume "+h.folder.Dir, fmt.Errorf("%w; what was found so far is kept", err))
	}
	if ctx.Err() != nil && h.found == 0 {
		return withHint("go on with: memcost limits --resume "+h.folder.Dir, errors.New("interrupted before the first limit was found"))
	}
	return a.concludeLimits(ctx, h, f)
}

func (a *app) concludeLimits(ctx context.Context, h *hunt, f *limitsFlags) error {
	ans, err := a.answer(h.folder.Dir, false, show{f.json, f.long, f.open})
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return withHint("go on with: memcost limits --resume "+h.folder.Dir, errors.New("interrupted; everything found so far is kept"))
	}
	if f.gate {
		return finding(ans, h.question.LeftOut)
	}
	return nil
}

// print says what would be tried.
func (h *hunt) print() error {
	for _, arm := range h.question.Plan.Arms {
		note := ""
		if h.missing[arm.Name] {
			note = ", to be downloaded"
		}
		fmt.Fprintf(h.app.stdout, "%s%s\n", arm.Name, note)
	}
	for _, n := range h.names {
		fmt.Fprintf(h.app.stdout, "  Limit/%s\n", n)
	}
	_, err := fmt.Fprintf(h.app.stdout, "in %s\n", filepath.Join(h.cache, "limits"))
	return err
}
