package proc

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// helperVar makes the test binary play the program under test: its value names
// the part, its arguments follow.
const helperVar = "PROC_TEST_HELPER"

func TestMain(m *testing.M) {
	if status, is := LauncherMain(); is {
		os.Exit(status)
	}
	if part := os.Getenv(helperVar); part != "" {
		os.Exit(parts[part](os.Args[1:]))
	}
	os.Exit(m.Run())
}

// helper is a Cmd that runs a part of the test binary.
func helper(t *testing.T, part string, args ...string) Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Cmd{Path: self, Args: args, Env: CleanEnv(os.Environ(), helperVar+"="+part)}
}

var parts = map[string]func(args []string) int{
	"exit": func(args []string) int {
		fmt.Println("to stdout")
		fmt.Fprintln(os.Stderr, strings.Join(args[1:], " "))
		code, _ := strconv.Atoi(args[0])
		return code
	},
	"crash": func([]string) int {
		var null *int
		return *null
	},
	"closed": func([]string) int { // a program that closes its own output
		os.Stdout.Close()
		os.Stderr.Close()
		time.Sleep(50 * time.Millisecond)
		return 7
	},
	"stdin": func([]string) int {
		b, err := io.ReadAll(os.Stdin)
		fmt.Printf("%d bytes, error %v", len(b), err)
		return 0
	},
	"cat": func(args []string) int { // the environment and directory it sees
		dir, _ := os.Getwd()
		fmt.Printf("%s|%s|%q", dir, os.Getenv("WORD"), args)
		return 0
	},
	"variables": func(args []string) int { // each entry of its environment that sets a variable
		for _, kv := range syscall.Environ() {
			if strings.HasPrefix(kv, args[0]+"=") {
				fmt.Println(kv)
			}
		}
		return 0
	},
	"flood": func(args []string) int {
		n, _ := strconv.Atoi(args[0])
		fmt.Print("first ")
		block := make([]byte, 1<<16)
		for i := range block {
			block[i] = "0123456789abcdef\n"[i%17]
		}
		for written := 0; written < n; written += len(block) {
			os.Stdout.Write(block)
		}
		fmt.Print(" last")
		return 0
	},
	// hang starts a child that shares its output, writes the child's pid to
	// the file and sleeps; "leave" is the same, but it exits.
	"hang":  func(args []string) int { spawn(args[0]); time.Sleep(time.Hour); return 0 },
	"leave": func(args []string) int { spawn(args[0]); return 0 },
	"sleep": func([]string) int { time.Sleep(time.Hour); return 0 },
	// peak is a process with a peak of its own that measures another's.
	"peak": func(args []string) int {
		own, _ := strconv.Atoi(args[0])
		hold := make([]byte, own)
		for i := 0; i < len(hold); i += 4096 {
			hold[i] = 1
		}
		res, err := new(Runner).Run(context.Background(), Cmd{Path: "dd", Args: []string{"if=/dev/zero", "of=/dev/null",
			"count=1", "bs=" + args[1]}})
		runtime.KeepAlive(hold)
		bytes, ok := res.Usage.PeakRSS()
		fmt.Println(bytes, ok, res.Usage.MaxRSSFloor, res.Usage.MinorFaults, err)
		return res.ExitCode
	},
	// signals sleeps, and says which signals came; it ends of the one that is
	// named, or of none.
	"signals": func(args []string) int {
		c := make(chan os.Signal, 8)
		signal.Notify(c, syscall.SIGINT, syscall.SIGTERM)
		fmt.Println("ready")
		for s := range c {
			fmt.Println(s)
			if s.String() == args[0] {
				return 0
			}
		}
		return 1
	},
	// linger starts a child in a session of its own, which goes on to write.
	"linger": func(args []string) int {
		child := exec.Command(os.Args[0], args...)
		child.Env = append(os.Environ(), helperVar+"=drip")
		child.Stdout = os.Stdout
		ownSession(child)
		if err := child.Start(); err != nil {
			panic(err)
		}
		writePid(args[0], child.Process.Pid)
		fmt.Println("own")
		return 0
	},
	"drip": func([]string) int {
		for range 100 {
			if _, err := fmt.Println("drip"); err != nil {
				return 1
			}
			time.Sleep(100 * time.Millisecond)
		}
		return 0
	},
	// twins has two children at once that hold so much.
	"twins": func(args []string) int {
		var children []*exec.Cmd
		for range 2 {
			child := exec.Command(os.Args[0], args...)
			child.Env = append(os.Environ(), helperVar+"=hold")
			if err := child.Start(); err != nil {
				panic(err)
			}
			children = append(children, child)
		}
		for _, child := range children {
			if err := child.Wait(); err != nil {
				panic(err)
			}
		}
		return 0
	},
	"hold": func(args []string) int {
		own, _ := strconv.Atoi(args[0])
		hold := make([]byte, own)
		for i := 0; i < len(hold); i += 4096 {
			hold[i] = 1
		}
		time.Sleep(500 * time.Millisecond)
		runtime.KeepAlive(hold)
		return 0
	},
	// launch measures a dd through a launcher, from a process with a peak of its own; launched
	// runs a part of the test through one, to be killed meanwhile.
	"launch": func(args []string) int {
		own, _ := strconv.Atoi(args[0])
		hold := make([]byte, own)
		for i := 0; i < len(hold); i += 4096 {
			hold[i] = 1
		}
		l, err := StartLauncher(new(Runner))
		if err != nil {
			panic(err)
		}
		defer l.Close()
		res, err := l.Run(context.Background(), Cmd{Path: "dd", Args: []string{"if=/dev/zero", "of=/dev/null",
			"count=1", "bs=" + args[1]}})
		runtime.KeepAlive(hold)
		bytes, ok := res.Usage.PeakRSS()
		fmt.Println(bytes, ok, res.Usage.MaxRSSFloor, res.Usage.MinorFaults, err)
		return res.ExitCode
	},
	"launched": func(args []string) int {
		l, err := StartLauncher(new(Runner))
		if err != nil {
			panic(err)
		}
		defer l.Close()
		_, err = l.Run(context.Background(), Cmd{Path: os.Args[0], Args: args[1:],
			Env: CleanEnv(os.Environ(), helperVar+"="+args[0])})
		fmt.Println(err)
		return 0
	},
	"third": func([]string) int { // reads from its file 3, writes to its file 4
		b, err := io.ReadAll(os.NewFile(3, "3"))
		fmt.Fprintf(os.NewFile(4, "4"), "%s, error %v", b, err)
		return 0
	},
	// parent runs a command through a Runner of its own, to be killed meanwhile.
	"parent": func(args []string) int {
		return runAndReport(args[0])
	},
}

func spawn(pidFile string) {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), helperVar+"=sleep")
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	if err := child.Start(); err != nil {
		panic(err)
	}
	writePid(pidFile, child.Process.Pid)
}

func writePid(file string, pid int) {
	if err := os.WriteFile(file+".new", []byte(strconv.Itoa(pid)), 0o666); err != nil {
		panic(err)
	}
	os.Rename(file+".new", file)
}

// readPid waits for the pid in file.
func readPid(t *testing.T, file string) int {
	t.Helper()
	for range 1000 {
		if b, err := os.ReadFile(file); err == nil {
			pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s was never written", file)
	return 0
}
