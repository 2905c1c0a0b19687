package session

import (
	"context"
	"os"
	"slices"
	"time"

	"memcost/internal/malloc/allocator"
	"memcost/internal/malloc/arenas"
	"memcost/internal/method/curve"
)

// askedAfter is how long after the work malloc is asked at most what it has.
const askedAfter = time.Second

// askMalloc runs the program of memcost held once more, has malloc of the GNU C library say after the work what it has and
// does not use, and tries what malloc_trim gives back. Nothing rests on it: where it cannot be asked it is not.
func (b *beginning) askMalloc(ctx context.Context, p *prober, own trial, limit time.Duration) {
	idles := own.seen != nil && own.seen.Work >= 0 && own.seen.How == curve.Stopped
	if !idles || b.alloc.Own != allocator.GLIBC || b.program.main != nil && b.program.main.Static() || ctx.Err() != nil {
		return
	}
	library, err := arenas.Build(ctx, b.Builder)
	if err != nil {
		return
	}
	dir, err := os.MkdirTemp("", "memcost-arenas-")
	if err != nil {
		return
	}
	defer os.RemoveAll(dir)
	b.Log.Step("asking malloc what it has after the work")
	idle := p.held.Idle
	p.held.Idle = min(idle, askedAfter)
	p.held.ask = func() {
		if a, err := arenas.Ask(dir); err == nil {
			b.alloc.Held.Arenas = a
		}
	}
	defer func() { p.held.Idle, p.held.ask = idle, nil }()
	c := configuration{library: library}
	t, err := p.run(ctx, slices.Concat(c.env(os.Getenv("LD_PRELOAD")), []string{arenas.Variable + "=" + dir}), limit)
	if err != nil || t.ends != own.ends {
		b.alloc.Held.Arenas = nil // it does something else then
	}
}
