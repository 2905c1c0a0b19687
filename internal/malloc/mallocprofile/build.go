// Package mallocprofile counts what a program asks of malloc: a preloaded library, which is
// built on the user's machine, counts each call into a file that the program maps, and Read
// reads it. Use says what the figures mean for the program.
package mallocprofile

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"memcost/internal/base/cache"
	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/method/stat"
)

//go:embed preload
var sources embed.FS

// Variable names the folder into which the library writes a file for each process.
const Variable = "MEMCOST_MALLOC_PROFILE"

const (
	library      = "memcost-malloc-profile.so"
	compilerHint = "on Debian or Ubuntu: apt-get install gcc libc6-dev"
)

// flags build the library. -fno-builtin keeps the compiler from making calls of malloc into
// others, which would count what the program did not ask for.
var flags = []string{"-O2", "-fPIC", "-shared", "-fno-builtin", "-fvisibility=hidden", "-Wl,-z,now"}

// A Builder builds the library.
type Builder struct {
	Runner   *proc.Runner
	CacheDir string
	Env      []string     // CC names the compiler, PATH has it
	Log      func(string) // told what is being built
}

// Build returns the file of the library. One that was built of the same sources with the same
// compiler is taken from the cache.
func (b *Builder) Build(ctx context.Context) (string, error) {
	if runtime.GOOS != "linux" {
		return "", hint.New("profile the program on Linux",
			"building the library that counts calls of malloc: it is for Linux, not for %s", runtime.GOOS)
	}
	compiler, version, err := b.compiler(ctx)
	if err != nil {
		return "", err
	}
	key, err := contentKey(compiler, version)
	if err != nil {
		return "", err
	}
	dir, err := filepath.Abs(b.CacheDir)
	if err != nil {
		return "", fmt.Errorf("finding the build cache: %w", err)
	}
	path := filepath.Join(dir, key, library)
	if _, err := os.Stat(path); err != nil {
		b.Log("building the library that counts calls of malloc")
		if err := b.compile(ctx, compiler, dir, path); err != nil {
			return "", err
		}
	}
	cache.Touch(path)
	return path, nil
}

// compiler finds CC, or cc on PATH, and asks for its version.
func (b *Builder) compiler(ctx context.Context) (path, version string, err error) {
	name := "cc"
	for _, kv := range b.Env {
		if v, ok := strings.CutPrefix(kv, "CC="); ok && v != "" {
			name = v
		}
	}
	path, err = proc.LookPath(name, b.Env)
	if filepath.IsAbs(name) {
		path, err = name, nil
	}
	if errors.Is(err, proc.ErrNotFound) {
		return "", "", hint.New(compilerHint, "finding the C compiler: there is no %s on PATH", name)
	}
	if err != nil {
		return "", "", fmt.Errorf("finding the C compiler: %w", err)
	}
	res, err := b.Runner.Run(ctx, proc.Cmd{Path: path, Args: []string{"--version"}, Env: b.Env, Timeout: time.Minute})
	if err == nil {
		err = res.Err("asking " + path + " for its version")
	}
	return path, string(res.Stdout), err
}

// contentKey is the name of the library's folder in the cache.
func contentKey(parts ...string) (string, error) {
	h := sha256.New()
	for _, p := range append(parts, flags...) {
		fmt.Fprintf(h, "%q ", p)
	}
	err := fs.WalkDir(sources, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := sources.ReadFile(path)
		fmt.Fprintf(h, "%q %d %s", path, len(text), text)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}

func (b *Builder) compile(ctx context.Context, compiler, dir, to string) error {
	const doing = "building the library that counts calls of malloc"
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return fmt.Errorf("%s: making its folder in the cache: %w", doing, err)
	}
	temp, err := os.MkdirTemp(dir, ".new-")
	if err != nil {
		return fmt.Errorf("%s: making a folder: %w", doing, err)
	}
	defer os.RemoveAll(temp)
	if err := os.CopyFS(temp, sources); err != nil {
		return fmt.Errorf("%s: copying its sources: %w", doing, err)
	}
	made := filepath.Join(temp, library)
	args := slices.Concat(flags, []string{"-o", made, filepath.Join(temp, "preload", "calls.c"), "-ldl", "-lpthread"})
	res, err := b.Runner.Run(ctx, proc.Cmd{Path: compiler, Args: args, Dir: temp, Env: b.Env, Timeout: 5 * time.Minute})
	if err == nil {
		err = hint.With(compilerHint, res.Err(doing))
	}
	if err != nil {
		return err
	}
	return os.Rename(made, to)
}

// Environment returns env with the library preloaded, in front of what is preloaded already, and
// with the folder into which it writes.
func Environment(env []string, library, dir string) []string {
	preload := library
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "LD_PRELOAD="); ok && v != "" {
			preload = library + ":" + v
		}
	}
	return proc.CleanEnv(env, "LD_PRELOAD="+preload, Variable+"="+dir)
}

// Folder makes a folder for profiles: in memory where it can be, because a file on a disk makes
// the program's first calls slower.
func Folder() (string, error) {
	for _, parent := range []string{"/dev/shm", ""} {
		if dir, err := os.MkdirTemp(parent, "memcost-profile-"); err == nil {
			return dir, nil
		}
	}
	return "", hint.New("set TMPDIR to a folder that can be written to",
		"making a folder for the profile: none can be written to")
}

// Overhead is what counting costs the program: CPU time with it by CPU time without it.
type Overhead struct {
	Ratio float64 `json:"ratio"` // 0 is not measured
	Lo    float64 `json:"lo"`    // of the 95% confidence interval; 0 where the runs are too few for one
	Hi    float64 `json:"hi"`
	Runs  int     `json:"runs"` // with counting, and as many without
}

// MeasureOverhead compares the CPU times of runs with and without counting, which were made in
// random order.
func MeasureOverhead(with, without []float64) Overhead {
	o := Overhead{Runs: min(len(with), len(without))}
	ratio, iv := stat.Shift(without, with, 0.05)
	if math.IsNaN(ratio) {
		return o
	}
	o.Ratio = ratio
	if !math.IsInf(iv.Hi, 0) {
		o.Lo, o.Hi = iv.Lo, iv.Hi
	}
	return o
}
