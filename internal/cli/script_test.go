package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"memcost/internal/base/proc"
	"memcost/internal/measure/sample"

	"github.com/rogpeppe/go-internal/testscript"
)

// In a script, memcost is a process of its own: signals and kills are real.
func TestMain(m *testing.M) {
	if status, is := proc.LauncherMain(); is { // of compare --command
		os.Exit(status)
	}
	if status, is := sample.Main(); is { // of --load: the program run again, which is this binary
		os.Exit(status)
	}
	program := func() {
		ctx, stop := Interrupted(context.Background())
		defer stop()
		os.Exit(Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	testscript.Main(m, map[string]func(){
		"memcost": program,
		"memcost-" + runtime.GOOS + "-" + runtime.GOARCH: program, // as memcost submit ships it
	})
}

// TestScript runs testdata/script/*.txtar. A run there is tiny: what is tested
// is that it says the right thing, not what it measures. Beside testscript's own
// commands there are
//
//	status N PROGRAM ARG...   run it; it must exit with status N
//	run VAR DIR               set VAR to the only run folder in DIR
//	await DIR N               wait until the run in DIR has N samples
//	order RUN FILE            write "round case side role" of each sample to FILE
//	planned RUN N FILE        the same, of the first N rounds as run.json plans them
//	verdict FILE CLAIM WORD   the claim's verdict in an answer in JSON
//	documented FILE           the answer has the fields that docs/format.md names
//	differs FILE              the rounds in FILE are in different orders
//	partition PART... WHOLE   the cases of WHOLE are spread over the parts
//	prefix FILE FILE          the second file begins with the first
//	longer RUN FILE           wait until the run has more samples than FILE has lines
//	alone DIR                 no process works in DIR
//	step FILE NAME SCRIPT     write what a step of a GitHub workflow runs to SCRIPT
func TestScript(t *testing.T) {
	cache := os.Getenv("MEMCOST_CACHE")
	if cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			t.Fatal(err)
		}
		cache = filepath.Join(dir, "memcost")
	}
	goEnv := map[string]string{}
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		goEnv[name] = strings.TrimSpace(string(out))
	}
	memcost, err := exec.LookPath("memcost")
	if err != nil {
		t.Fatal(err)
	}
	docs, err := filepath.Abs(filepath.Join("..", "..", "docs"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			// Nothing here may depend on a network.
			env.Vars = append(env.Vars, "MEMCOST_CACHE="+cache, "GOPROXY=off", "GOTOOLCHAIN=local",
				"GOCACHE="+goEnv["GOCACHE"], "GOMODCACHE="+goEnv["GOMODCACHE"],
				"go="+runtime.Version(),
				"MEMCOST_CONFIG="+filepath.Join(env.WorkDir, "config"),
				"MEMCOST_LOCK="+filepath.Join(env.WorkDir, "memcost.lock"),
				"memcost="+memcost, // for a PATH without anything
				"docs="+docs,
				// Of a script's runs: as short as they can be.
				"tiny=--sample=2ms --layouts=1")
			env.Values[theTest] = env.T()
			return nil
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "tmpfs":
				return os.Getuid() == 0 && exec.Command("sh", "-c", "d=$(mktemp -d) && mount -t tmpfs none $d && "+
					"umount $d").Run() == nil, nil
			case "benchmark": // Google Benchmark, and what builds with it
				found, _ := filepath.Glob("/usr/lib/*/libbenchmark.so*")
				_, err := exec.LookPath("cmake")
				return err == nil && len(found) > 0, nil
			case "long": // make test-long
				return os.Getenv("MEMCOST_LONG") != "", nil
			case "procfs":
				_, err := os.Stat("/proc/self/cwd")
				return err == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"status":     exits,
			"run":        runFolder,
			"await":      await,
			"order":      order,
			"planned":    planned,
			"verdict":    verdict,
			"quiet":      quiet,
			"documented": documented,
			"differs":    differs,
			"partition":  partition,
			"prefix":     prefix,
			"longer":     longer,
			"alone":      alone,
			"step":       workflowStep,
		},
	})
}

func arguments(ts *testscript.TestScript, neg bool, args []string, n int, usage string) {
	if neg || len(args) < n {
		ts.Fatalf("usage: %s", usage)
	}
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	arguments(ts, neg, args, 2, "status N PROGRAM ARG...")
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func runFolder(ts *testscript.TestScript, neg bool, args []string) {
	arguments(ts, neg, args, 2, "run VAR DIR")
	ts.Setenv(args[0], theRun(ts, args[1]))
}

// theRun is the only run folder in dir.
func theRun(ts *testscript.TestScript, dir string) string {
	found, err := filepath.Glob(filepath.Join(ts.MkAbs(dir), "2*"))
	ts.Check(err)
	if len(found) != 1 {
		ts.Fatalf("%d run folders in %s, want one", len(found), dir)
	}
	return found[0]
}

func await(ts *testscript.TestScript, neg bool, args []string) {
	arguments(ts, neg, args, 2, "await DIR N")
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	waitFor(ts, filepath.Join(ts.MkAbs(args[0]), "2*", "samples.txt"), n)
}

func longer(ts *testscript.TestScript, neg bool, args []string) {
	arguments(ts, neg, args, 2, "longer RUN FILE")
	waitFor(ts, filepath.Join(ts.MkAbs(args[0]), "samples.txt"), strings.Count(ts.ReadFile(args[1]), "\n")+1)
}

// waitFor waits until the only samples file that matches has n samples.
func waitFor(ts *testscript.TestScript, pattern string, n int) {
	// Only a broken memcost is waited for that long.
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		found, _ := filepath.Glob(pattern)
		if len(found) != 1 {
			continue
		}
		text, err := os.ReadFile(found[0])
		ts.Check(err)
		if strings.Count(string(text), "\nBenchmark") >= n {
			return
		}
	}
	ts.Fatalf("there were never %d samples in %s", n, pattern)
}

// alone looks through /proc for what was left behind.
func alone(ts *testscript.TestScript, neg bool, args []string) {
	arguments(ts, neg, args, 1, "alone DIR")
	dir := ts.MkAbs(args[0])
	var left []string
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		left = nil
		found, err := filepath.Glob("/proc/[0-9]*/cwd")
		ts.Check(err)
		for _, link := range found {
			if to, err := os.Readlink(link); err == nil && (to == dir || strings.HasPrefix(to, dir+"/")) {
				text, _ := os.ReadFile(filepath.Join(filepath.Dir(link), "cmdline"))
				left = append(left, strings.ReplaceAll(string(text), "\x00", " "))
			}
		}
		if len(left) == 0 {
			return
		}
	}
	ts.Fatalf("left behind in %s: %q", dir, left)
}
