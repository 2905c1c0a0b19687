package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/hint"
	"memcost/internal/fleet"
	"memcost/internal/fleet/pack"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
)

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

// items finds what the arguments name. done closes the places among them.
func items(ctx context.Context, args []string, note func(string)) (out []item, done func(), err error) {
	var closers []func() error
	done = func() {
		for _, c := range closers {
			c()
		}
	}
	for _, arg := range args {
		var more []item
		if IsPlace(arg) {
			at, plans, err := Plans(ctx, arg)
			if err != nil {
				return nil, done, err
			}
			closers = append(closers, at.Close)
			for _, hash := range plans {
				attempts, err := fleet.Attempts(ctx, at, hash, note)
				if err != nil {
					return nil, done, err
				}
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
				return nil, done, NoRun(arg, err)
			}
			more = []item{x}
		}
		out = append(out, more...)
	}
	if len(out) == 0 {
		return nil, done, hint.New("memcost status PLACE says how far a plan is", "packing: there is no run in %s",
			fmt.Sprint(args))
	}
	return inOrder(out, note), done, nil
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
	src := pack.Source{Name: dir, Question: &plan.Question{}}
	if err := store.ReadQuestion(dir, src.Question); err != nil {
		return src, err
	}
	if err := src.Question.Check(); err != nil {
		return src, store.Unusable(dir, err)
	}
	var err error
	if src.JSON, err = os.ReadFile(filepath.Join(dir, store.QuestionFile)); err != nil {
		return src, fmt.Errorf("reading run folder %s: %w", dir, err)
	}
	src.Samples = func(fn func(*benchfmt.Result) error) ([]error, error) {
		warnings, err := store.ReadSamples(dir, fn)
		return append(warnings, store.CheckSamples(dir)...), err
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
