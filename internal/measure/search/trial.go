package search

import (
	"context"
	"fmt"
	"os"
	"strings"

	"memcost/internal/base/hint"
)

// A trial finds a run-time row.
type trial struct {
	name   string
	unit   string
	memory int64 // bytes that must be available
	find   func(context.Context, *bench, *Row) error
}

// deepMemory is the most that a child takes that overflows its stack: the largest stack
// and, while it is copied, the one before. The runtime allows a gigabyte on 64-bit
// systems, so that this covers a stack of that size.
const deepMemory = 3 << 29

// trials returns the run-time rows. Those that share children are next to each other.
func trials() []trial {
	ts := []trial{
		{"what=min-stack", "bytes", 0, findStart},
		{"what=adaptive-start", "bytes", 0, findAdaptive},
		{"what=growth-factor", "ratio", 0, findGrowth},
	}
	for _, f := range []int{4 << 10, 64 << 10, 1 << 20, 10 << 20} {
		ts = append(ts, trial{fmt.Sprintf("what=growth-steps/frame=%d", f), "steps", 0,
			func(ctx context.Context, b *bench, r *Row) error {
				return findSteps(ctx, b, r, f)
			}})
	}
	ts = append(ts,
		trial{"what=shrink-factor", "ratio", 0, findShrink},
		trial{"what=shrink-below/stack=1048576", "bytes", 0, findShrinkBelow},
		trial{"what=max-stack", "bytes", deepMemory, findMax},
		trial{"what=max-stack-usable", "bytes", deepMemory, findUsable})
	for _, f := range []int{64, 1 << 10, 64 << 10, 1 << 20, 10 << 20} {
		ts = append(ts, trial{fmt.Sprintf("what=depth/frame=%d", f), "levels", deepMemory,
			func(ctx context.Context, b *bench, r *Row) error {
				return findDepth(ctx, b, r, f)
			}})
	}
	return ts
}

// findTrials finds the run-time rows that are open.
func (b *bench) findTrials(ctx context.Context) error {
	defer func() {
		if b.stack != "" {
			os.Remove(b.stack)
		}
	}()
	for _, t := range trials() {
		if !b.wanted[t.name] {
			continue
		}
		r := Row{Name: t.name, Unit: t.unit}
		if b.open(t.name) {
			b.log("%s", strings.TrimPrefix(t.name, "what="))
			err := b.enough(t.memory)
			if err == nil {
				err = t.find(ctx, b, &r)
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err != nil {
				r = Row{Name: t.name, Unit: t.unit, Failed: err.Error()}
			}
		}
		if err := b.add(r); err != nil {
			return err
		}
	}
	return nil
}

// enough returns an error when there is no memory for a trial.
func (b *bench) enough(need int64) error {
	if need == 0 {
		return nil
	}
	if b.Memory == nil {
		return fmt.Errorf("not tried: it may take %d MiB of memory, and the available memory is not known", need>>20)
	}
	have, ok := b.Memory()
	switch {
	case !ok:
		return fmt.Errorf("not tried: it may take %d MiB of memory, and this system does not say how much is available",
			need>>20)
	case have < need:
		return hint.New("end other programs, or raise the memory limit of the container",
			"not tried: it may take %d MiB of memory, and only %d MiB are available", need>>20, have>>20)
	}
	return nil
}
