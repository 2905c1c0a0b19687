package search

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
)

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
	if b.overflowDepths == nil {
		b.overflowDepths = map[int]overflowDepth{}
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
