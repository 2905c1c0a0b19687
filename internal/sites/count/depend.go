package count

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"

	"memcost/internal/gotool/escape"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/sites/join"
)

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
		l.folders, l.err = toolchain.Folders(ctx, b, o.Toolchain, toolchain.Listing{Dir: o.Dir, Patterns: o.Patterns,
			Flags: listFlags(o.Flags), Env: o.Env})
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
	var readers sync.WaitGroup
	many := make(chan struct{}, runtime.NumCPU())
	for path, d := range said {
		if d.Dir == "" {
			continue
		}
		many <- struct{}{}
		readers.Go(func() {
			defer func() { <-many }()
			r, err := described(d)
			mu.Lock()
			defer mu.Unlock()
			all[path] = r
			if err != nil {
				c.Warnings = append(c.Warnings, fmt.Sprintf("what the compiler says of %s: %v", path, err))
			}
		})
	}
	readers.Wait()
	return all, nil
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
