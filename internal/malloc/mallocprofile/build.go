// Package mallocprofile counts what a program asks of malloc: a preloaded library, which is
// built on the user's machine, counts each call into a file that the program maps, and Read
// reads it. Use says what the figures mean for the program.
package mallocprofile

import (
	"context"
	"embed"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/gotool/toolchain"
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

// Build returns the file of the library. CC names the compiler.
func Build(ctx context.Context, b *toolchain.Builder) (string, error) {
	if runtime.GOOS != "linux" {
		return "", hint.New("profile the program on Linux",
			"building the library that counts calls of malloc: it is for Linux, not for %s", runtime.GOOS)
	}
	compiler, version, err := b.FindCompiler(ctx, "C", "CC", "cc", compilerHint)
	if err != nil {
		return "", err
	}
	args := slices.Concat([]string{compiler}, flags, []string{"-o", library, "source/preload/calls.c", "-ldl",
		"-lpthread"})
	return b.BuildNative(ctx, toolchain.Native{Name: "the library that counts calls of malloc", With: compiler,
		Key: version, Advice: compilerHint, Source: sources, Commands: [][]string{args}, Made: library})
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
