package search

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"os"
	"regexp"
	"strconv"
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

// overflow matches the runtime's message when a stack exceeds its limit
// (runtime/stack.go, newstack).
var overflow = regexp.MustCompile(`goroutine stack exceeds (\d+)-byte limit`)

// How many levels a child reports at most, roughly and exactly. An exact report
// takes no stack of the recursion's, but two switches between threads.
const (
	roughly = 1 << 14
	exactly = 1 << 7
)

// overflowDepth finds how deep a recursion of a frame goes. Each child reports levels until it
// dies of the overflow, and the next begins where the last report was, with finer steps.
// The last one reports each level, exactly.
func (b *bench) overflowDepth(ctx context.Context, frame int) (overflowDepth, error) {
	if f, ok := b.overflowDepths[frame]; ok {
		return f, nil
	}
	f := overflowDepth{}
	// No recursion takes more than the gigabyte that the runtime allows.
	from, open := 0, (1<<30)/frame
	for {
		step := 0
		if open > exactly {
			step = max(1, open/roughly)
		}
		res, err := b.child(ctx, []string{"GOMAXPROCS=4"}, "deep", frame, from, step)
		if err != nil {
			return f, err
		}
		f.runs++
		text := string(res.Stderr)
		m := overflow.FindStringSubmatch(text)
		if m == nil {
			err := res.Err(fmt.Sprintf("a recursion of %d-byte frames did not end in a stack overflow", frame))
			if err == nil {
				err = fmt.Errorf("a recursion of %d-byte frames ended without a stack overflow", frame)
			}
			return f, err
		}
		levels := numbers(text, "level")
		if len(levels) == 0 {
			return f, fmt.Errorf("a recursion of %d-byte frames overflowed before level %d, which an earlier one "+
				"had reached", frame, from)
		}
		last := levels[len(levels)-1]
		f.levels, f.bytes = int(last[0])+1, last[1]
		f.limit, _ = strconv.ParseFloat(m[1], 64)
		if s := stackSizes(numbers(text, "stack")); len(s) > 0 {
			f.sizes = s
		}
		if step == 0 {
			break
		}
		from, open = int(last[0]), step
	}
	b.overflowDepths[frame] = f
	return f, nil
}

func findDepth(ctx context.Context, b *bench, r *Row, frame int) error {
	f, err := b.overflowDepth(ctx, frame)
	if err != nil {
		return err
	}
	r.Value = float64(f.levels)
	r.How = fmt.Sprintf("a recursion with %d bytes of locals reached %d levels, and died in the next: %q; the "+
		"levels took %.0f bytes of stack",
		frame, f.levels, fmt.Sprintf("goroutine stack exceeds %.0f-byte limit", f.limit), f.bytes)
	if f.levels > 1 {
		r.note(fmt.Sprintf("a frame took %.0f bytes", f.bytes/float64(f.levels-1)))
	}
	return nil
}

// The overflow of frames of 64 KiB shows both limits, and is quick.
const maxFrame = 64 << 10

func findMax(ctx context.Context, b *bench, r *Row) error {
	f, err := b.overflowDepth(ctx, maxFrame)
	if err != nil {
		return err
	}
	r.Value = f.limit
	r.How = fmt.Sprintf("a recursion died with %q after %d levels of %d bytes",
		fmt.Sprintf("goroutine stack exceeds %.0f-byte limit", f.limit), f.levels, maxFrame)
	return nil
}

// stackSizes returns the sizes of one stack, from the bytes in use by stacks before its
// goroutine began (the first line) and after each move. The pools of small stacks grow
// and shrink by 32 KiB, so that sizes below 2 MiB are left out.
func stackSizes(lines [][]float64) []float64 {
	var sizes []float64
	for _, l := range lines[min(1, len(lines)):] {
		if s := power(l[0] - lines[0][0]); s >= 2<<20 {
			sizes = append(sizes, s)
		}
	}
	return sizes
}

func findUsable(ctx context.Context, b *bench, r *Row) error {
	f, err := b.overflowDepth(ctx, maxFrame)
	if err != nil {
		return err
	}
	if len(f.sizes) == 0 {
		return fmt.Errorf("the stack of a recursion that overflowed it was never seen to move")
	}
	r.Value = f.sizes[len(f.sizes)-1]
	r.How = fmt.Sprintf("the largest stack that a recursion had before it died: it moved to %s "+
		"(MemStats.StackInuse), and %.0f bytes were in use", amounts(f.sizes), f.bytes)
	return nil
}
