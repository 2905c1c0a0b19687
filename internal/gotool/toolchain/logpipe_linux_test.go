package toolchain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memcost/internal/base/proc"
	"memcost/internal/gotool/stacklog"
)

// noisySource is a program of which two threads write to standard error without
// line ends while 2,000 goroutines grow their stacks on the others; and what
// programs do to descriptors and with children.
const noisySource = `package main // of the test

import (
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
)

//go:noinline
func deep(n int) byte {
	var frame [512]byte
	frame[n%512] = byte(n)
	if n > 0 {
		frame[0] += deep(n - 1)
	}
	return frame[n%512]
}

func grow(n int) {
	var all sync.WaitGroup
	for i := 0; i < n; i++ {
		all.Add(1)
		go func() { deep(30); all.Done() }()
	}
	all.Wait()
}

func main() {
	switch os.Args[1] {
	case "noisy":
		stop := make(chan bool)
		var writers sync.WaitGroup
		for i := 0; i < 2; i++ {
			writers.Add(1)
			go func() {
				for {
					select {
					case <-stop:
						writers.Done()
						return
					default:
						os.Stderr.WriteString("stackalloc 4096 copystack 0x12 ")
					}
				}
			}()
		}
		n, _ := strconv.Atoi(os.Args[2])
		grow(n)
		close(stop)
		writers.Wait()
	case "closed":
		syscall.Close(2)
		grow(100)
	case "parent":
		grow(100)
		for i := 0; i < 3; i++ {
			if err := exec.Command(os.Args[0], "closed").Run(); err != nil {
				panic(err)
			}
		}
	case "exec":
		grow(100)
		syscall.Exec(os.Args[0], []string{os.Args[0], "closed"}, os.Environ())
	}
}
`

// noisy builds that program.
func noisy(t testing.TB, tc Toolchain) LoggedProgram {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module user\n\ngo 1.13\n", "main.go": noisySource} {
		if err := writeFile(filepath.Join(dir, name), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	b := &Builder{Runner: new(proc.Runner), CacheDir: t.TempDir()}
	built, err := b.BuildStackLog(t.Context(), StackLogBuild{Toolchain: tc, Dir: dir, Packages: []string{"."},
		Env: []string{"GOWORK=off"}})
	if err != nil {
		t.Fatal(err)
	}
	return built.Programs[0]
}

// No statement is torn or lost, whatever the program writes meanwhile; a program
// may close standard error, start another in its place, and children.
func checkWhole(t *testing.T, tc Toolchain, runs int) {
	t.Helper()
	p := noisy(t, tc)
	statements := int64(0)
	for range runs {
		log, res := logOf(t, proc.Cmd{Path: p.Path, Args: []string{"noisy", "2000"}, Env: os.Environ()})
		l := read(t, log, stacklog.Options{})
		if err := res.Err("noisy"); err != nil || len(l.Warnings) > 0 || l.Damaged > 0 || l.Own != l.Lines ||
			l.Ambiguous > 0 {
			t.Fatalf("%s: %v, %v, %d damaged, %d lines of %d are the log's, %d ambiguous", tc.Version, err, l.Warnings,
				l.Damaged, l.Own, l.Lines, l.Ambiguous)
		}
		if rest := strings.ReplaceAll(string(res.Stderr), "stackalloc 4096 copystack 0x12 ", ""); res.StderrLost == 0 &&
			rest != "" {
			t.Errorf("%s: on standard error: %.200q", tc.Version, rest)
		}
		statements += l.Own
	}
	t.Logf("%s: 0 of %d lines lost in %d runs", tc.Version, statements, runs)
	for mode, want := range map[string]struct{ least, others int64 }{"closed": {100, 0}, "parent": {100, 3},
		"exec": {200, 0}} {
		log, res := logOf(t, proc.Cmd{Path: p.Path, Args: []string{mode}, Env: os.Environ()})
		l := read(t, log, stacklog.Options{})
		if err := res.Err(mode); err != nil || l.Sizes[1].Allocs < want.least/4 || l.OtherProcesses != want.others ||
			l.Damaged > 0 {
			t.Errorf("%s, %s: %v, %d stacks of 4 KiB, %d other processes, %d damaged: %s", tc.Version, mode, err,
				l.Sizes[1].Allocs, l.OtherProcesses, l.Damaged, res.Stderr)
		}
	}
}

func TestStackLogWhole(t *testing.T) { checkWhole(t, local(t), 3) }

func TestStackLogWholeVersions(t *testing.T) {
	if os.Getenv("MEMCOST_LONG") != "1" {
		t.Skip("make test-long runs this")
	}
	for _, v := range everyMinor {
		t.Run(v, func(t *testing.T) { checkWhole(t, needs(t, v), 20) })
	}
}
