package toolchain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"memcost/internal/base/proc"
)

// Description is what the compiler says of a package that was compiled alone.
type Description struct {
	Dir         string // of its source
	Diagnostics []byte // nil: it says nothing
}

// Describe asks the compiler about packages, by import path: one go command, which compiles
// only those that it was not asked about before. Of a package that it cannot compile there is
// no answer; the sentence in broken says why.
func (b *Builder) Describe(ctx context.Context, tc Toolchain, dir string, flags, env, paths []string) (
	all map[string]Description, broken []string, err error) {
	if len(paths) == 0 {
		return nil, nil, nil
	}
	flags = slices.DeleteFunc(slices.Clone(flags), trims)
	j, err := openPlain(b, Build{Toolchain: tc, Dir: dir, Pkg: strings.Join(paths, " "), Flags: flags,
		Env: env})
	if err != nil {
		return nil, nil, err
	}
	defer j.close()
	args := []string{"list", "-e", "-export", "-json"}
	args = append(args, flags...)
	for _, path := range paths {
		args = append(args, addToPattern(flags, "gcflags", path, "-m=2"))
	}
	args = append(append(args, "--"), paths...)
	res, err := b.Runner.Run(ctx, proc.Cmd{Path: tc.GoCmd, Args: args, Dir: dir, Env: j.env, Limit: 512 << 20})
	if err != nil {
		return nil, nil, err
	}
	_, sections := sectionsOf(absolute(res.Stderr, dir))
	all = map[string]Description{}
	for stream := json.NewDecoder(bytes.NewReader(res.Stdout)); ; {
		var p listed
		if err := stream.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, nil, fmt.Errorf("asking the compiler about %s: reading the answer of go list: %w",
				j.spec.Pkg, err)
		}
		if p.Error != nil {
			broken = append(broken, fmt.Sprintf("%s cannot be compiled alone, so that the compiler says nothing of "+
				"it: %s", p.ImportPath, strings.TrimSpace(p.Error.Err)))
		}
		all[p.ImportPath] = Description{Dir: p.Dir, Diagnostics: sections[p.ImportPath]}
	}
	if len(all) == 0 && res.Err("") != nil {
		return nil, nil, j.failure(res)
	}
	return all, broken, nil
}

// addToPattern is the flag that gives one package an argument, besides those that it had.
func addToPattern(flags []string, name, pkg, arg string) string {
	with := addToFlag(flags, name, pkg, arg)
	_, args, _ := strings.Cut(with[len(with)-1], "=")
	return "-" + name + "=" + pkg + "=" + args
}

// Folders returns the folder of each package that the tests of some packages need, by import
// path, themselves among them.
func Folders(ctx context.Context, b *Builder, tc Toolchain, l Listing) (map[string]string, error) {
	s, err := openSession(b.Runner, tc.GoCmd, b.Env)
	if err != nil {
		return nil, err
	}
	defer s.close()
	args := slices.Concat([]string{"list", "-e", "-deps", "-test", "-f", "{{.ImportPath}}\t{{.Dir}}"}, l.Flags,
		[]string{"--"}, l.Patterns)
	res, err := b.Runner.Run(ctx, proc.Cmd{Path: tc.GoCmd, Args: args, Dir: l.Dir,
		Env: override(s.env, append([]string{"GOROOT=" + tc.GOROOT}, l.Env...)), Limit: 256 << 20})
	if err == nil {
		err = res.Err(l.String())
	}
	if err != nil {
		return nil, err
	}
	folders := map[string]string{}
	for line := range strings.Lines(string(res.Stdout)) {
		path, dir, _ := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
		path, _, _ = strings.Cut(path, " [")
		if dir != "" {
			folders[path] = dir
		}
	}
	return folders, nil
}
