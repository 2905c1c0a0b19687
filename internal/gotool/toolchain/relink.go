package toolchain

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"memcost/internal/base/proc"
)

// relinks are the command lines of the linker for packages of which one link was made, by what
// they depend on. A run makes hundreds of links of the same objects, and the go command takes
// half of their time to find that nothing changed. An edit of the sources after the first link
// is in none of the others.
type relinks struct {
	mu    sync.Mutex
	lines map[string]string
}

// relinkLine is the linker's line among those that the go command prints with -x
// (cmd/go/internal/work, Go 1.23 to 1.27). The go command quotes words as Go does: a shell reads
// them alike as long as they hold nothing but these characters.
var relinkLine = regexp.MustCompile(`(?m)^(GOROOT='[\w/.@+-]*' )?[\w/.@+-]+/link -o (\$WORK/\S+) ` +
	`((?:[\w ./=,:@%+"-]|\$WORK/)+)$`)

// lineOf returns the shell command that links with the seed $SEED to the file $OUT, from what the
// go command printed (-x -work) of a link with another seed; "" where it cannot be told.
func lineOf(printed string, seed uint64) string {
	given := "-randlayout=" + strconv.FormatUint(seed&^(1<<63), 10)
	work, _, _ := strings.Cut(strings.TrimPrefix(printed, "WORK="), "\n")
	found := relinkLine.FindAllStringSubmatchIndex(printed, -1)
	if len(found) != 1 || !filepath.IsAbs(work) || strings.ContainsAny(work, "'\n") {
		return ""
	}
	at := found[0]
	line := printed[at[0]:at[4]] + `"$OUT"` + printed[at[5]:at[1]]
	if strings.Count(line, given) != 1 {
		return ""
	}
	line = strings.Replace(line, given, `-randlayout="$SEED"`, 1)
	return strings.ReplaceAll(line, "$WORK/", "'"+work+"'/")
}

// relink makes one link, by the linker alone where one of the same package was made before. It
// reports whether it did: where it did not, the go command makes it, or says why it cannot.
func (j *job) relink(ctx context.Context, seed uint64, out string) (bool, error) {
	r := j.relinks
	key := hash(slices.Concat([]string{j.spec.Toolchain.GOROOT, j.spec.Dir, j.spec.Pkg, j.overlay, j.spec.Fresh},
		j.spec.Flags, j.spec.Env)...)
	r.mu.Lock()
	line, tried := r.lines[key]
	r.mu.Unlock()
	seed &^= 1 << 63
	switch {
	case line != "":
		env := slices.Concat(j.env, []string{"OUT=" + out, "SEED=" + strconv.FormatUint(seed, 10)})
		res, err := j.runner.Run(ctx, proc.Cmd{Path: "/bin/sh", Args: []string{"-c", line}, Dir: j.spec.Dir, Env: env,
			Limit: mostPrinted})
		if err != nil || res.Err("") == nil {
			return err == nil, err
		}
		line = ""
	case tried || seed == 0:
		return false, nil
	default:
		res, err := j.goes(ctx, slices.Concat([]string{"test", "-c", "-vet=off", "-x", "-work", "-o", out}, j.flags(seed),
			[]string{j.spec.Pkg})...)
		if err != nil || res.Err("") != nil {
			return false, err
		}
		line = lineOf(string(res.Stderr), seed)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lines == nil {
		r.lines = map[string]string{}
	}
	r.lines[key] = line
	return !tried, nil
}
