package search

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"memcost/internal/base/proc"
)

// findSites finds the compile-time rows that are open, all in the same programs.
func (b *bench) findSites(ctx context.Context) error {
	var open []site
	var searches []*search
	for _, s := range sites {
		if b.open(s.row()) {
			open, searches = append(open, s), append(searches, newSearch(1, s.hi, width))
		}
	}
	answers := make([]map[int64]answer, len(open))
	err := solve(searches, func(step int, points [][]int64) error {
		b.log("compiling, step %d", step+1)
		got, err := b.try(ctx, fmt.Sprint("sites", step), open, points)
		for i := range got {
			if answers[i] == nil {
				answers[i] = map[int64]answer{}
			}
			for n, a := range got[i] {
				answers[i][n] = a
				searches[i].record(n, a.allocs <= open[i].floor)
			}
		}
		return err
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	i := 0
	for _, s := range sites {
		if !b.wanted[s.row()] {
			continue
		}
		r := Row{Name: s.row(), Unit: "bytes"}
		if b.open(s.row()) {
			if err != nil {
				r.Failed = err.Error()
			} else {
				describe(&r, s, searches[i], answers[i])
			}
			i++
		}
		if err := b.add(r); err != nil {
			return err
		}
	}
	return nil
}

// try compiles and runs the sites at the sizes.
func (b *bench) try(ctx context.Context, name string, sites []site, sizes [][]int64) ([]map[int64]answer, error) {
	p := generate(sites, sizes)
	binary, said, err := b.build(ctx, name, p.source, "-gcflags=-m=2")
	if err != nil {
		return nil, err
	}
	defer os.Remove(binary)
	spoken, err := readWords(said)
	if err != nil {
		return nil, err
	}
	res, err := b.Runner.Run(ctx, proc.Cmd{Path: binary, Dir: b.dir, Env: proc.CleanEnv(b.Env, "GOGC=off"),
		Timeout: childTime, Limit: 16 << 20})
	if err == nil {
		err = res.Err("counting the allocations of the generated program " + filepath.Join(b.dir, name))
	}
	if err != nil {
		return nil, err
	}
	counts, err := readCounts(string(res.Stderr))
	if err != nil {
		return nil, err
	}
	answers := make([]map[int64]answer, len(sites))
	for i, s := range sites {
		answers[i] = map[int64]answer{}
		for _, n := range sizes[i] {
			allocs, ok := counts[s.name][n]
			if !ok {
				return nil, fmt.Errorf("counting the allocations of %s at size %d: the program printed no count",
					s.name, n)
			}
			answers[i][n] = answer{allocs, spoken[p.lines[s.function(n)]]}
		}
	}
	return answers, nil
}
