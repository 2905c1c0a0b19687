package limits

import (
	"bytes"
	"context"
	"fmt"
	"go/version"
	"os"
	"path/filepath"
	"strings"

	"memcost/internal/proc"
)

// width is the number of sizes of a site in one step. More make the steps fewer
// and the programs larger; with 24, ten megabytes take six steps.
const width = 24

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
				searches[i].tell(n, a.allocs <= open[i].floor)
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
	res, err := b.Runner.Run(ctx, proc.Cmd{Path: binary, Dir: b.dir, Env: proc.CleanEnv(b.Env, "GOGC=off"), Timeout: childTime, Limit: 16 << 20})
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
				return nil, fmt.Errorf("counting the allocations of %s at size %d: the program did not say", s.name, n)
			}
			answers[i][n] = answer{allocs, spoken[p.lines[s.function(n)]]}
		}
	}
	return answers, nil
}

// build compiles a program of one file. It returns a fresh binary, because the go
// command says nothing when the file to write is up to date, and what was printed.
func (b *bench) build(ctx context.Context, name, source string, flags ...string) (binary string, said []byte, err error) {
	dir := filepath.Join(b.dir, name)
	mod := "module limits\n"
	if lang := version.Lang(b.g.Version); lang != "" { // a development version has none, and takes its own
		mod += "\ngo " + strings.TrimPrefix(lang, "go") + "\n"
	}
	if err = os.MkdirAll(dir, 0o777); err == nil {
		err = os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o666)
	}
	if err != nil {
		return "", nil, fmt.Errorf("writing a program to try: %w", err)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", nil, err
	}
	binary = filepath.Join(dir, "try.exe")
	os.Remove(binary)
	env := proc.CleanEnv(b.Env, "GOENV=off", "GOTOOLCHAIN=local", "GO111MODULE=on", "GOWORK=off", "GOROOT="+b.g.GOROOT)
	cmd := proc.Cmd{
		Path: b.g.GoCmd, Args: append(append([]string{"build", "-o", binary}, flags...), "."), Dir: dir, Env: env, Timeout: buildTime, Limit: 64 << 20,
	}
	res, err := b.Runner.Run(ctx, cmd)
	if err == nil && res.ExitCode != 0 && bytes.Contains(res.Stderr, []byte("import of unknown directory")) {
		// The package index of Go 1.19 does not find the standard library of a
		// toolchain that lies in the module cache; without the index it does.
		cmd.Env = append(env, "GODEBUG=goindex=0")
		res, err = b.Runner.Run(ctx, cmd)
	}
	if err == nil {
		err = res.Err("building the generated program " + dir + " with " + b.g.Version)
	}
	return binary, res.Stderr, err
}
