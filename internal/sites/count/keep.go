package count

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/google/pprof/profile"

	"memcost/internal/gotool/escape"
	"memcost/internal/gotool/source"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/sites"
	"memcost/internal/sites/join"
)

// most is how far the memory profile may differ from the runtime's own counters.
const most = 0.01

// keepMemory keeps the profile of a pass that was counted, and the runtime's counters of the
// same part.
func (b *bench) keepMemory(a answer, p pass, what string) {
	b.N = p.ops
	b.take(&b.Measured, a, p, what)
	if b.N < leastOps {
		b.warn("%s: %d operations were counted, because each takes long: what it prepares in its timed part, and what "+
			"it does once, weighs more than in a long run", b.full, b.N)
	}
}

// take keeps what was counted.
func (t *target) take(m *join.Measured, a answer, p pass, what string) {
	m.Memory = withoutOwn(a.memory)
	m.Mallocs, m.Tiny, m.Bytes = p.mallocs, uint64(max(p.tiny, 0)), p.bytes
	switch err := agree(what, m.Memory, p, t.Exact); {
	case t.Exact:
		m.Err = err
	case err != nil:
		t.warn("%v", err)
	}
}

// agree returns an error where the profile does not hold what the runtime counted. Objects
// that shared a block with others have no record of their own, and there are none of them
// where every object is to have one.
func agree(what string, p *profile.Profile, counted pass, exact bool) error {
	if exact && counted.tiny > 0 {
		return fmt.Errorf("%s exactly: %d of %d objects shared a block of memory with others, so the changed runtime "+
			"was not in use", what, counted.tiny, counted.mallocs)
	}
	objects, _ := sum(p)
	want := float64(counted.mallocs) - float64(max(counted.tiny, 0))
	if counted.tiny < 0 && !exact && float64(objects) < want {
		return nil // Go 1.16 does not say how many shared a block
	}
	if math.Abs(float64(objects)-want) > max(most*want, 32) { // objects of the runtime's own, now and then
		return fmt.Errorf("%s: the profile holds %d objects and the runtime counted %.0f", what, objects, want)
	}
	return nil
}

// sum adds up what a memory profile holds.
func sum(p *profile.Profile) (objects, bytes int64) {
	o, s := sites.Column(p, "alloc_objects"), sites.Column(p, "alloc_space")
	if o < 0 || s < 0 {
		return 0, 0
	}
	for _, x := range p.Sample {
		objects += x.Value[o]
		bytes += x.Value[s]
	}
	return objects, bytes
}

// withoutOwn removes what memcost itself allocated, and says that each object was recorded: the
// rate is 0 again when the profile is written.
func withoutOwn(p *profile.Profile) *profile.Profile {
	p.Period = 1
	kept := p.Sample[:0]
	for _, s := range p.Sample {
		if !hasOwn(s) {
			kept = append(kept, s)
		}
	}
	p.Sample = kept
	return p
}

func hasOwn(s *profile.Sample) bool {
	for _, l := range s.Location {
		for _, line := range l.Line {
			if line.Function != nil && strings.HasPrefix(line.Function.Name, toolchain.CountOwn) {
				return true
			}
		}
	}
	return false
}

// A listing is a list of folders that is made while something else is done.
type listing struct {
	done    chan struct{}
	folders map[string]string
	err     error
}

func listFolders(ctx context.Context, b *toolchain.Builder, o Options) *listing {
	l := &listing{done: make(chan struct{})}
	go func() {
		defer close(l.done)
		l.folders, l.err = b.Folders(ctx, o.Toolchain, toolchain.Listing{Dir: o.Dir, Patterns: o.Patterns,
			Flags: source.ListFlags(o.Flags), Env: o.Env})
	}()
	return l
}

func (l *listing) wait() { <-l.done }

// Dependencies returns what the compiler says of packages that c imports, by import path, of
// those of the standard library too. They are compiled alone, with the flags of c; the go
// command's cache has most of it. Of a package that is not in the answer nothing is known.
func Dependencies(ctx context.Context, c *Counted, paths []string) (map[string]join.Described, error) {
	o := c.asked
	said, broken, err := c.builder.Describe(ctx, c.Toolchain, o.Dir, o.Flags, o.Env, paths)
	if err != nil {
		return nil, err
	}
	c.Warnings = append(c.Warnings, broken...)
	all := map[string]join.Described{}
	var mu sync.Mutex
	paths = slices.Sorted(maps.Keys(said))
	return all, toolchain.Parallel(len(paths), func(i int) error {
		d := said[paths[i]]
		if d.Dir == "" {
			return nil
		}
		r, err := described(d)
		mu.Lock()
		defer mu.Unlock()
		all[paths[i]] = r
		if err != nil {
			c.Warnings = append(c.Warnings, fmt.Sprintf("what the compiler says of %s: %v", paths[i], err))
		}
		return nil
	})
}

func described(d toolchain.Description) (join.Described, error) {
	out := join.Described{Dir: d.Dir}
	log, err := escape.ReadLog(bytes.NewReader(d.Diagnostics))
	if err != nil {
		return out, err
	}
	out.Log = log
	out.Source, err = escape.SourceOf(os.DirFS(d.Dir), ".")
	return out, err
}
