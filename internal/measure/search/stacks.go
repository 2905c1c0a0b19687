package search

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"os"
	"strings"

	"memcost/internal/base/units"
)

const starters = 8192

func findStart(ctx context.Context, b *bench, r *Row) error {
	got, err := b.ask(ctx, nil, "start", "start", starters)
	if err != nil {
		return err
	}
	r.Value = power(got[0][0])
	r.How = fmt.Sprintf("%d new goroutines, each waiting on a channel, took %.0f bytes of stack each "+
		"(MemStats.StackInuse)", starters, got[0][0])
	return nil
}

// power returns x, or the power of two within 2% of it: a figure per goroutine includes
// a share of spans that are not full, or that existed before.
func power(x float64) float64 {
	if x <= 0 {
		return x
	}
	if p := math.Exp2(math.Round(math.Log2(x))); math.Abs(x-p) < p/50 {
		return p
	}
	return x
}

// findAdaptive finds the start size after a history of deep goroutines. The runtime may
// use it only for goroutines that reuse memory of ended ones, so that both kinds are
// tried.
func findAdaptive(ctx context.Context, b *bench, r *Row) error {
	const fresh = 4096
	var size [2]float64
	for i, dead := range []int{0, fresh + 512} {
		got, err := b.ask(ctx, nil, "adaptive", "adaptive", 1<<10, 20, fresh, dead)
		if err != nil {
			return err
		}
		size[i] = power(got[0][0])
		r.How = fmt.Sprintf("%d goroutines made after a collection that saw 64 with %.0f bytes of stack in use took "+
			"%.0f bytes each (MemStats.StackInuse)", fresh, got[0][1], got[0][0])
	}
	r.Value = size[1]
	if size[0] != size[1] {
		r.note(fmt.Sprintf("this holds only where goroutines have ended before, whose stacks new ones take over; else "+
			"they took %.0f bytes", size[0]))
	}
	return nil
}

// newStacks returns the stacks that a number of levels takes, starting with a fresh
// goroutine's, smallest first. Under GODEBUG=efence=1 each stack is memory of its own
// from the system, in pages, and is never given back: MemStats.StackSys grows by the
// sizes of all of them. They are different powers of two, so the bits of the sum are the
// stacks.
func (b *bench) newStacks(ctx context.Context, r *Row, frame, levels int) (stacks []float64, err error) {
	fence, source := []string{"GODEBUG=efence=1"}, "MemStats.StackSys"
	got, err := b.ask(ctx, fence, "steps", "steps", frame, levels)
	if err != nil { // not with the MemStats of Go 1.19
		source = "the address space"
		second, failure := b.ask(ctx, fence, "steps", "steps", frame, levels, "statm")
		if failure != nil {
			return nil, err
		}
		got = second
	}
	sum := math.Inf(1) // a thread that the runtime starts meanwhile only adds to it
	for _, l := range got {
		sum = min(sum, l[0])
	}
	if need := frame * levels; sum < float64(need) {
		return nil, fmt.Errorf("counting the stacks that %d frames of %d bytes take: they have %.0f bytes in all, "+
			"which is less; GODEBUG=efence=1 does not work here", levels, frame, sum)
	}
	for rest := uint64(sum); rest != 0; rest &= rest - 1 {
		stacks = append(stacks, math.Exp2(float64(bits.TrailingZeros64(rest))))
	}
	r.How = fmt.Sprintf("it took %.0f bytes of new stacks in all (%s under GODEBUG=efence=1), which is %s", sum, source,
		amounts(stacks))
	if page := os.Getpagesize(); page > 4<<10 {
		r.note(fmt.Sprintf("stacks below the system's page size of %d bytes count as one page, and may be miscounted",
			page))
	}
	return stacks, nil
}

// findGrowth lets a stack grow under small frames, of which each needs one step at
// most.
func findGrowth(ctx context.Context, b *bench, r *Row) error {
	stacks, err := b.newStacks(ctx, r, 1<<10, 8<<10)
	if err != nil {
		return err
	}
	r.How = "a recursion of 1 KiB frames to 8 MiB: " + r.How
	if len(stacks) < 3 {
		return fmt.Errorf("watching a stack grow to 8 MiB: it moved only to %s", amounts(stacks))
	}
	r.Value = stacks[len(stacks)-1] / stacks[len(stacks)-2]
	for i := 1; i < len(stacks); i++ {
		if q := stacks[i] / stacks[i-1]; q != r.Value {
			r.note(fmt.Sprintf("not the same at each step: %g from %.0f to %.0f bytes", q, stacks[i-1], stacks[i]))
		}
	}
	return nil
}

func findSteps(ctx context.Context, b *bench, r *Row, frame int) error {
	stacks, err := b.newStacks(ctx, r, frame, 1)
	if err != nil {
		return err
	}
	r.How = "one call in a new goroutine: " + r.How
	r.Value = float64(len(stacks))
	if page := os.Getpagesize(); len(stacks) > 1 {
		r.note(fmt.Sprintf("GODEBUG=efence=1 rounds the first stack up to a page of %d bytes: from the usual, "+
			"smaller one there is one step more for each doubling between the two", page))
	}
	return nil
}

func amounts(bytes []float64) string {
	words := make([]string, len(bytes))
	for i, b := range bytes {
		words[i] = units.Bytes(b)
	}
	return strings.Join(words, ", ")
}

func findShrink(ctx context.Context, b *bench, r *Row) error {
	got, err := b.ask(ctx, nil, "inuse", "shrink", 64<<10, 150, 4)
	if err != nil {
		return err
	}
	var drops []float64
	for i := 1; i < len(got); i++ {
		drops = append(drops, got[i-1][0]-got[i][0])
	}
	r.How = fmt.Sprintf("an idle goroutine's stack that had grown to 16 MiB gave back %s in successive collections "+
		"(MemStats.StackInuse)", amounts(drops))
	if drops[0] <= 0 {
		r.Value = 1
		r.note("it does not shrink")
		return nil
	}
	if drops[1] <= 0 {
		return fmt.Errorf("watching a stack shrink: collections gave back %s", amounts(drops))
	}
	// The memory that is released shrinks as the stack does. Pools of small stacks grow
	// and shrink beside it, so that the third digit is not significant.
	r.Value = math.Round(10*drops[0]/drops[1]) / 10
	return nil
}

// findShrinkBelow bisects how much of a stack of 1 MiB may be in use when a
// collection halves it.
func findShrinkBelow(ctx context.Context, b *bench, r *Row) error {
	inUse := map[int64]float64{}
	s := newSearch(1, 6000, width)
	err := solve([]*search{s}, func(_ int, points [][]int64) error {
		args := []any{"keep", 64 << 10, 10, 64}
		for _, n := range points[0] {
			args = append(args, n)
		}
		got, err := b.ask(ctx, nil, "keep", args...)
		for _, l := range got {
			inUse[int64(l[0])] = l[1]
			s.record(int64(l[0]), l[2] >= 1<<18)
		}
		return err
	})
	if err != nil {
		return err
	}
	yes, no := s.bracket()
	r.Value = inUse[yes]
	r.How = fmt.Sprintf("of stacks of 1 MiB those with up to %.0f bytes in use shrank in a collection, and one with "+
		"%.0f did not", inUse[yes], inUse[no])
	r.note(fmt.Sprintf("%.1f%% of the stack, beside what the runtime itself uses at the top of it",
		100*inUse[yes]/(1<<20)))
	if yes < 1 || no > 6000 || len(s.laterYes()) > 0 || len(s.fickle) > 0 {
		r.note("there is no single limit")
	}
	return nil
}
