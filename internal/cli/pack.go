package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"memcost/internal/base/foreign"
	"memcost/internal/base/hint"
	"memcost/internal/base/units"
	"memcost/internal/fleet"
	"memcost/internal/fleet/pack"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/session"
	"memcost/internal/measure/store"
	"memcost/internal/show/terminal"
)

// A Packed is what memcost pack says of a pack.
type Packed struct {
	Pack    string   `json:"pack"`
	Runs    int      `json:"runs"`
	Samples int64    `json:"samples"`
	Studies []string `json:"studies"`
	Kinds   []string `json:"kinds"`
	Months  []string `json:"months"`
	Files   int      `json:"files"` // of samples
	Parquet int64    `json:"parquet_bytes"`
	Text    int64    `json:"text_bytes"`
	// Incomplete says which machines do not have all shards of their plan; "" where each has.
	Incomplete string `json:"incomplete,omitempty"`
}

// Command is memcost pack.
func packCommand(a *App) *cobra.Command {
	var out string
	var f commonFlags
	cmd := &cobra.Command{
		Use:   "pack RUN... -o DIR",
		Short: "The samples of many runs as Parquet, for DuckDB and other tools",
		Long: `Writes the samples of runs as Parquet: a row a sample, with its machine, its attempt at a
plan, its round, its configuration and all figures. The files are parted by study, kind of machine
and month. They take a fifth to a ninth of the room of samples.txt, which stays the truth and is not
changed.

A RUN is a run folder, or a place where the shards of a plan meet (a folder, or
s3://BUCKET/PREFIX), of which every attempt that is whole is packed. Of copies of an attempt one
is packed.

memcost report DIR computes the answer from a pack as it does from run folders, one machine
at a time; memcost report DIR STUDY reads the samples of one study alone.`,
		Example: `  memcost pack results/* -o all.pack
  memcost pack /mnt/shared -o fleet.pack
  memcost report fleet.pack stackheap
  duckdb -c "SELECT kind, count(*) FROM 'fleet.pack/samples/**/*.parquet' GROUP BY kind"`,
		Args: needs(false, "run", "name run folders, or a place: memcost pack results/* -o DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return hint.Usage("memcost pack results/* -o all.pack", "memcost pack needs a folder to write: -o DIR")
			}
			x, err := write(cmd.Context(), a, args, out)
			if err != nil {
				return err
			}
			err = f.show(a, said{json: x, text: func(w io.Writer, _ terminal.Style) error { return say(w, x) }})
			if err == nil && f.complete && x.Incomplete != "" {
				err = errIncomplete
			}
			return err
		},
	}
	register(cmd, f.output().pick("json"), f.completeness(), flags{{name: "output,o", takes: word(&out), offers: folders,
		help: "write the pack to `DIR`, which must not be there yet"}})
	return cmd
}

// write packs runs.
func write(ctx context.Context, a *App, args []string, out string) (*Packed, error) {
	p := NewProgress(a.Stderr)
	defer p.End()
	w, err := pack.Create(out, "memcost "+a.Version, time.Now())
	if err != nil {
		return nil, err
	}
	defer w.Abandon()
	all, incomplete, err := items(ctx, args, p.Note)
	if err != nil {
		return nil, err
	}
	g := gauge{step: p.Step, start: time.Now()}
	for _, x := range all {
		g.all += x.bytes
	}
	for _, x := range all {
		if err := add(ctx, w, x, &g, p.Note); err != nil {
			return nil, stopped(ctx, out, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	x := packed(out, &w.Index)
	x.Incomplete = incomplete
	return x, nil
}

// add packs a run.
func add(ctx context.Context, w *pack.Writer, x item, g *gauge, note func(string)) error {
	src, ok, done, err := x.open(ctx)
	defer done()
	if err != nil || !ok {
		return err
	}
	src.Name = x.Name
	w.Step = func(samples int64) { g.tell(w.Index.Samples+samples, x.bytes, samples) }
	warnings, err := w.Add(ctx, src, x.bytes)
	for _, warning := range warnings {
		note("warning: " + warning.Error())
	}
	g.done += x.bytes
	return err
}

// stopped gives the error of what was interrupted its words.
func stopped(ctx context.Context, out string, err error) error {
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return hint.With("the run folders are as they were: run the same command again",
			session.Stopped("nothing was left in "+out))
	}
	return err
}

// A gauge says how far the packing is.
type gauge struct {
	step      func(string)
	start     time.Time
	all, done int64 // bytes of text
}

// perSample is about what a sample takes as text.
const perSample = 600

func (g *gauge) tell(samples, bytes, of int64) {
	if of == 0 {
		return
	}
	done := g.done + min(bytes, of*perSample)
	say := fmt.Sprintf("packed %s samples", units.Thousands(int(samples)))
	if done > 0 && g.all > 0 {
		left := time.Duration(float64(time.Since(g.start)) * float64(g.all-done) / float64(done))
		say += fmt.Sprintf(" (%d%%), about %v left", 100*done/g.all, left.Round(time.Second))
	}
	g.step(say)
}

func packed(out string, x *pack.Index) *Packed {
	p := &Packed{Pack: out, Runs: len(x.Runs), Samples: x.Samples, Studies: x.Studies(), Kinds: []string{},
		Months: []string{}, Files: len(x.Parts), Parquet: x.Parquet, Text: x.Text}
	for _, r := range x.Runs {
		p.Kinds, p.Months = append(p.Kinds, r.Kind), append(p.Months, r.Month)
	}
	p.Kinds, p.Months = distinct(p.Kinds), distinct(p.Months)
	slices.Sort(p.Months)
	return p
}

func say(w io.Writer, x *Packed) error {
	each := func(bytes int64) string { return fmt.Sprintf("%.0f B", float64(bytes)/float64(max(x.Samples, 1))) }
	if x.Incomplete != "" {
		fmt.Fprintln(w, x.Incomplete)
	}
	_, err := fmt.Fprintf(w, "%s: %s samples of %s on %s of machine, in %s\n", x.Pack, units.Thousands(x.Samples),
		units.Plural(x.Runs, "run"), units.Plural(len(x.Kinds), "kind"), units.Plural(x.Files, "file"))
	if err == nil {
		_, err = fmt.Fprintf(w, "%s, %s a sample (as text %s, %s a sample)\n", units.Bytes(float64(x.Parquet)),
			each(x.Parquet), units.Bytes(float64(x.Text)), each(x.Text))
	}
	return err
}

// An item is a run that is to be packed: a run folder, or an attempt in a place, which is fetched when
// its turn comes.
type item struct {
	pack.Run
	number int // of the attempt
	began  time.Time
	bytes  int64 // of its samples.txt
	// open returns the run; ok is false for one that is left out, which was said then. done gives back
	// what opening took.
	open func(ctx context.Context) (src pack.Source, ok bool, done func(), err error)
}

// items finds what the arguments name, and says what is missing of plans.
func items(ctx context.Context, args []string, note func(string)) (out []item, incomplete string, err error) {
	var machines []fleet.Machine
	for _, arg := range args {
		var more []item
		if fleet.IsPlace(arg) {
			at, plans, err := fleet.OpenPlans(ctx, arg)
			if err != nil {
				return nil, "", err
			}
			for _, hash := range plans {
				attempts, err := fleet.Attempts(ctx, at, hash, note)
				if err != nil {
					return nil, "", err
				}
				machines = append(machines, fleet.Covered(attempts)...)
				for _, a := range attempts {
					more = append(more, itemOfAttempt(a, note))
				}
			}
		} else {
			x, err := itemOfFolder(arg, note)
			if errors.Is(err, store.ErrNoRun) && len(args) > 1 {
				text, _ := hint.Split(err)
				note("warning: " + text + "; it is left out")
				continue
			}
			if err != nil {
				return nil, "", noRun(arg, err)
			}
			more = []item{x}
		}
		out = append(out, more...)
	}
	if len(out) == 0 {
		return nil, "", hint.New("memcost status PLACE says how far a plan is", "packing: there is no run in %s",
			fmt.Sprint(args))
	}
	if len(machines) > 0 {
		incomplete = fleet.Incomplete(machines)
	}
	return inOrder(out, note), incomplete, nil
}

// inOrder sorts runs as a pack has them, and leaves out copies of an attempt: the longest is packed, of
// which the others are a part.
func inOrder(all []item, note func(string)) []item {
	slices.SortStableFunc(all, func(a, b item) int { return cmp.Compare(b.bytes, a.bytes) })
	seen := map[string]bool{}
	out := slices.DeleteFunc(all, func(x item) bool {
		again := seen[x.ID]
		seen[x.ID] = true
		if again {
			note(fmt.Sprintf("%s is a copy of a run that is packed, or a part of it: it is left out", x.Name))
		}
		return again
	})
	slices.SortStableFunc(out, func(a, b item) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Month, b.Month), cmp.Compare(a.Plan, b.Plan),
			cmp.Compare(a.Machine, b.Machine), cmp.Compare(a.number, b.number), a.began.Compare(b.began),
			cmp.Compare(a.Name, b.Name))
	})
	return out
}

func itemOfFolder(dir string, note func(string)) (item, error) {
	src, err := sourceOf(dir)
	if err != nil {
		return item{}, err
	}
	q := src.Question
	x := item{Run: pack.RunOf(q, src.JSON, dir), began: q.Created, bytes: samplesOf(dir)}
	if q.Attempt != nil {
		x.number, x.began = q.Attempt.Number, q.Attempt.Began
	}
	x.open = func(context.Context) (pack.Source, bool, func(), error) {
		if store.Busy(dir) {
			note("warning: " + dir + " is still in progress: packed are the samples so far")
		}
		src, err := sourceOf(dir)
		return src, err == nil, func() {}, err
	}
	return x, nil
}

func itemOfAttempt(a fleet.Attempt, note func(string)) item {
	q := &plan.Question{Attempt: &a.Attempt}
	return item{Run: pack.RunOf(q, nil, a.Name), number: a.Number, began: a.Began, bytes: a.Bytes,
		open: func(ctx context.Context) (pack.Source, bool, func(), error) {
			dir, err := os.MkdirTemp("", "memcost-pack-")
			if err != nil {
				return pack.Source{}, false, func() {}, fmt.Errorf("making a folder for an attempt: %w", err)
			}
			done := func() { os.RemoveAll(dir) }
			f, ok, err := a.Fetch(ctx, dir, note)
			if err != nil || !ok {
				return pack.Source{}, false, done, err
			}
			src, err := sourceOf(f.Name)
			src.Name = a.Name
			return src, err == nil, done, err
		}}
}

// sourceOf returns a run folder as it is packed.
func sourceOf(dir string) (pack.Source, error) {
	run, err := store.ReadRun(dir)
	src := pack.Source{Source: run}
	if err != nil {
		return src, err
	}
	if src.JSON, err = foreign.Read(dir, store.QuestionFile, foreign.Document); err != nil {
		return src, fmt.Errorf("reading run folder %s: %w", dir, err)
	}
	return src, nil
}

func samplesOf(dir string) int64 {
	info, err := os.Stat(filepath.Join(dir, store.SamplesFile))
	if err != nil {
		return 0
	}
	return info.Size()
}
