// Package arenas asks the malloc of the GNU C library, in a program that runs, what it has and does not use, and what
// malloc_trim gives back. A thread of a preloaded library answers; it is built on the user's machine.
package arenas

import (
	"bufio"
	"context"
	"embed"
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/measure/plan"
)

//go:embed preload
var sources embed.FS

// Variable names the folder in which processes wait to be asked.
const Variable = "MEMCOST_ARENAS"

const (
	library      = "memcost-arenas.so"
	compilerHint = "on Debian or Ubuntu: apt-get install gcc libc6-dev"
)

// Build returns the file of the library. CC names the compiler.
func Build(ctx context.Context, b *toolchain.Builder) (string, error) {
	if runtime.GOOS != "linux" {
		return "", hint.New("it is for Linux", "building the library that tells what malloc has")
	}
	compiler, version, err := b.FindCompiler(ctx, "C", "CC", "cc", compilerHint)
	if err != nil {
		return "", err
	}
	args := []string{compiler, "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-o", library, "source/preload/arenas.c", "-lpthread"}
	return b.BuildNative(ctx, toolchain.Native{Name: "the library that tells what malloc has", With: compiler, Key: version,
		Advice: compilerHint, Source: sources, Commands: [][]string{args}, Made: library})
}

// answerTime is how long all processes together have for their answers: malloc_trim walks over all free memory.
const answerTime = 10 * time.Second

// Ask asks the processes that wait in a folder, and adds up what they say; nil where none answers.
func Ask(dir string) (*plan.Arenas, error) {
	asks, _ := filepath.Glob(filepath.Join(dir, "*.ask"))
	var all *plan.Arenas
	until := time.Now().Add(answerTime)
	for _, ask := range asks {
		f, err := os.OpenFile(ask, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			continue // it has ended: nobody reads
		}
		_, err = f.Write([]byte{'?'})
		f.Close()
		if err != nil {
			continue
		}
		told := strings.TrimSuffix(ask, ".ask") + ".told"
		for {
			text, err := os.ReadFile(told)
			if err == nil {
				one, err := parse(string(text))
				if err != nil {
					return nil, err
				}
				all = sum(all, one)
				break
			}
			if time.Now().After(until) {
				return all, errors.New("a process did not answer what malloc has: it may wait for malloc itself")
			}
			time.Sleep(2 * time.Millisecond)
		}
	}
	return all, nil
}

func sum(a, b *plan.Arenas) *plan.Arenas {
	if a == nil {
		return b
	}
	return &plan.Arenas{Processes: a.Processes + b.Processes, Arenas: a.Arenas + b.Arenas, System: a.System + b.System,
		Free: a.Free + b.Free, Fast: a.Fast + b.Fast, Mapped: a.Mapped + b.Mapped, Before: a.Before + b.Before, After: a.After + b.After,
		Took: a.Took + b.Took}
}

// total is <total type="rest" count="2" size="4096"/> of malloc_info(3), and system and aspace alike.
type total struct {
	Type string `xml:"type,attr"`
	Size int64  `xml:"size,attr"`
}

// parse reads what a process tells: the document of malloc_info, and a line on malloc_trim.
func parse(text string) (*plan.Arenas, error) {
	document, after, found := strings.Cut(text, "</malloc>")
	if !found {
		return nil, errors.New("reading what malloc has: it is not whole")
	}
	var x struct {
		Heaps []struct {
			Nr int `xml:"nr,attr"`
		} `xml:"heap"`
		Totals []total `xml:"total"`
		System []total `xml:"system"`
	}
	if err := xml.Unmarshal([]byte(document+"</malloc>"), &x); err != nil {
		return nil, fmt.Errorf("reading what malloc has: %w", err)
	}
	a := &plan.Arenas{Processes: 1, Arenas: len(x.Heaps)}
	for _, t := range x.Totals {
		switch t.Type {
		case "fast":
			a.Fast = t.Size
		case "rest":
			a.Free = t.Size
		case "mmap":
			a.Mapped = t.Size
		}
	}
	for _, t := range x.System {
		if t.Type == "current" {
			a.System = t.Size
		}
	}
	lines := bufio.NewScanner(strings.NewReader(after))
	for lines.Scan() {
		var ns int64
		if n, _ := fmt.Sscanf(lines.Text(), "trim %d %d %d", &a.Before, &a.After, &ns); n == 3 {
			a.Took = time.Duration(ns)
			return a, nil
		}
	}
	return nil, errors.New("reading what malloc_trim gave back: it is not whole")
}
