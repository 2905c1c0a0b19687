package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
	"memcost/internal/base/units"
	"memcost/internal/fleet"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/session"
	"memcost/internal/show/terminal"
)

// planFlags are the flags of memcost plan: those of memcost run that say what is measured, and its own.
type planFlags struct {
	runFlags
	file, add string
	shards    int
}

func planCommand(a *App) *cobra.Command {
	f := planFlags{runFlags: newRunFlags(), file: fleet.Name, shards: 1}
	cmd := &cobra.Command{
		Use:   "plan [STUDY or PACKAGE ...]",
		Short: "Write down what many machines shall measure, to be shared among them",
		Long: `Writes a plan file: cases, configurations, claims and the seed, and how many iterations
each case takes on machines of this one's kind, which are calibrated once. Any machine of
the kind then measures a shard of it: memcost run --plan plan.json --shard 3/8.

A shard is whole comparisons, and the shards of a plan take about as long as each other:
--shards 8 shows how long. Machines of another kind (processor, memory, system) are
calibrated once, too: --add plan.json, on one of them, adds that to the file. The hash of a
plan is of what is measured, and neither of times nor of calibrations.`,
		Example: `  memcost plan stackheap malloc --go 1.25.4,1.27.4 --seed 1 -o plan.json
  memcost plan stackheap --shards 8        how long eight shards would take
  memcost plan --add plan.json             on a machine of another kind
  memcost run --plan plan.json --shard 3/8 --to /mnt/shared`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return makePlan(cmd, a, &f, args)
		},
		ValidArgsFunction: completeStudies,
	}
	register(cmd, append(f.asked(), f.output().pick("json"), f.folder().pick("verbose"), flags{
		{name: "output,o", takes: word(&f.file), help: "write the plan to `FILE`"},
		{name: "add", takes: word(&f.add), help: "add the calibration of machines like this one to the plan in `FILE`"},
		{name: "shards", takes: between(&f.shards, 1, unlimited), eg: "8",
			help: "show how long each of `n` shards would take"},
	})...)
	return cmd
}

func makePlan(cmd *cobra.Command, a *App, f *planFlags, args []string) error {
	t, err := a.Tools(f.verbose)
	if err != nil {
		return err
	}
	defer t.Log.End()
	defer t.Alone()()
	var file *fleet.File
	if f.add != "" {
		f.file = f.add
		file, err = addKind(cmd, t, a, args, f.add)
	} else {
		f.Origin, f.Args = a.Origin(), args
		file, err = fleet.Make(cmd.Context(), t, f.Options)
	}
	if err != nil {
		if cmd.Context().Err() != nil && !hint.IsUsage(err) {
			return session.Stopped("no plan was written")
		}
		return err
	}
	t.Log.End()
	if err := writeWhole(f.file, func(w io.Writer) error { return file.Write(w) }); err != nil {
		return err
	}
	x := Summary(file, f.file, f.shards)
	return f.show(a, said{json: x, text: func(w io.Writer, _ terminal.Style) error { return writeSummary(w, x) }})
}

// A Planned is what memcost plan says of a plan.
type Planned struct {
	File        string        `json:"file"`
	Hash        string        `json:"hash"`
	Seed        uint64        `json:"seed"`
	Studies     []string      `json:"studies"`
	Configs     []string      `json:"configurations"`
	Cases       int           `json:"cases"`
	Comparisons int           `json:"comparisons"`
	Claims      int           `json:"claims"`
	Kinds       []plannedKind `json:"kinds"`
}

// A plannedKind is what a plan has for machines of a kind.
type plannedKind struct {
	Kind    string `json:"kind"`
	Machine string `json:"machine"`
	// Shards is how long each shard takes for the rounds that verdicts need, in nanoseconds.
	Shards []time.Duration `json:"shards_ns"`
	Budget time.Duration   `json:"budget_ns"` // of all shards together
}

// Summary says what a plan holds, and how long each of so many shards takes.
func Summary(f *fleet.File, file string, shards int) Planned {
	p := &f.Kinds[0].Question.Plan
	x := Planned{File: file, Hash: f.Hash, Seed: *f.Asked.Seed, Cases: len(p.Cases), Comparisons: len(p.Groups())}
	for _, s := range p.Studies {
		x.Studies = append(x.Studies, s.Name)
		for _, d := range s.Directives {
			if d.Verb == "claim" {
				x.Claims++
			}
		}
	}
	for _, a := range p.Sides {
		x.Configs = append(x.Configs, a.Name)
	}
	for i := range f.Kinds {
		k := &f.Kinds[i]
		shared := k.Shared(shards)
		x.Kinds = append(x.Kinds, plannedKind{k.Kind, k.Machine, plan.ShareTimes(&shared, shards, k.RoundsOf),
			shared.Options.Budget - shared.Prepared})
	}
	return x
}

// writeSummary prints it.
func writeSummary(w io.Writer, x Planned) error {
	fmt.Fprintf(w, "plan %s in %s: %s, seed %d\n", x.Hash, x.File, strings.Join(x.Studies, ", "), x.Seed)
	fmt.Fprintf(w, "%s in %s, %s; configurations: %s\n", units.Plural(x.Cases, "case"),
		units.Plural(x.Comparisons, "comparison"), units.Plural(x.Claims, "claim"), strings.Join(x.Configs, ", "))
	var err error
	for _, k := range x.Kinds {
		var times []string
		all := time.Duration(0)
		for _, d := range k.Shards {
			times, all = append(times, placeAbout(d).String()), all+d
		}
		_, err = fmt.Fprintf(w, "kind %s (%s): the rounds of the verdicts take %v in all, and %v at most\n", k.Kind,
			k.Machine, placeAbout(all), placeAbout(k.Budget))
		if len(times) > 1 {
			_, err = fmt.Fprintf(w, "  in %d shards: %s\n", len(times), strings.Join(times, ", "))
		}
	}
	return err
}

func placeAbout(d time.Duration) time.Duration {
	if d < 10*time.Second {
		return d.Round(time.Second / 10)
	}
	return d.Round(time.Second)
}

// addKind adds the calibration of this machine's kind to the plan in a file, which is not written.
func addKind(cmd *cobra.Command, t *session.Tools, a *App, args []string, name string) (*fleet.File, error) {
	if len(args) > 0 {
		return nil, hint.Usage("memcost plan --add "+name,
			"the plan says what is measured, and there are arguments: %q", args)
	}
	f, err := fleet.ReadFile(cmd.Context(), name)
	if err != nil {
		return nil, err
	}
	_, err = fleet.AddKind(cmd.Context(), t, f, a.Origin())
	return f, err
}
