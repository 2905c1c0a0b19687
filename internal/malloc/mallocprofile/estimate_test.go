package mallocprofile

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memcost/internal/base/proc"
)

// The ranges of the classes follow each other without a gap, and are no wider than a quarter of
// the power of two in which they lie.
func TestClassesOfSizes(t *testing.T) {
	next := uint64(0)
	for class := range sizeClasses {
		if _, low := below[class]; class < 12 && !low {
			continue // no size has this class
		}
		from, to := sizesOf(class)
		if class > 240 {
			break
		}
		if from != next || to <= from || from >= 4 && to-from > from/4 {
			t.Errorf("class %d: %d to %d, after %d", class, from, to, next)
		}
		next = to
	}
}

// The layout of the Go package is the compiler's.
func TestLayout(t *testing.T) {
	compiled(t, "calls") // skips where there is no compiler
	dir := t.TempDir()
	source := `#include "layout.h"
#include <stddef.h>
#include <stdio.h>
int main(void) {
	printf("%zu %zu %zu %zu %zu %zu", sizeof(struct thread), sizeof(struct header), sizeof(struct block),
		offsetof(struct profile, threads), offsetof(struct header, program), offsetof(struct thread, ages));
}`
	if err := os.WriteFile(filepath.Join(dir, "layout.c"), []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "layout")
	cc := exec.Command("cc", "-I", "preload", "-o", program, filepath.Join(dir, "layout.c"))
	if out, err := cc.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprint(threadSize, headerSize, blockSize, threadsOffset, binary.Size(header{})-1024,
		binary.Size(thread{})-binary.Size([groups][ageClasses]age{}))
	if string(got) != want {
		t.Errorf("C has %s, Go %s", got, want)
	}
}

// Intervals hold the truth about as often as they say: of 60 programs whose blocks are known,
// which are sampled at different rates.
func TestIntervalsHold(t *testing.T) {
	program := compiled(t, "calls")
	living, blocks, peaks, n := 0, 0, 0, 0
	for count := 2000; count <= 30000; count += 1500 {
		for _, size := range []int{24, 400, 6000} {
			p := mode(t, program, "held", fmt.Sprint(count), fmt.Sprint(size))
			n++
			if l := p.Groups[groupOf(uint64(size))].Living; l.Lo <= float64(count+2) && float64(count-2) <= l.Hi {
				living++
			}
			if truth := float64(count * size); p.Peak.Lo <= truth*1.001 && truth*0.999 <= p.Peak.Hi {
				peaks++
			}
			if p.Blocks >= int64(count)*99/100 && p.Blocks <= int64(count)+10 {
				blocks++
			}
		}
	}
	t.Logf("of %d programs the interval holds the blocks that live in %d, the bytes at the peak in %d", n, living,
		peaks)
	if living < n-n/8 || peaks < n-n/8 {
		t.Error("intervals at 95% hold less often than they say")
	}
	if blocks < n {
		t.Errorf("of %d programs the peak of blocks is right in %d", n, blocks)
	}
}

// Blocks that live cannot have more bytes than as many of the largest that were asked for.
func TestMostBytes(t *testing.T) {
	sizes := []Sizes{{From: 100, To: 113, Calls: 1000}, {From: 4096, To: 5121, Calls: 3}}
	if got := mostBytes(sizes, 5); got != 3*5120+2*112 {
		t.Errorf("5 blocks: %v", got)
	}
	if got := capped(Estimate{Value: 500, Lo: 0, Hi: 900}, 600); got != (Estimate{Value: 500, Lo: 0, Hi: 600}) {
		t.Errorf("%+v", got)
	}
}

func TestReadRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "profile00.1")
	for text, says := range map[string]string{"": "EOF", strings.Repeat("x", 8192): "no profile",
		magic + strings.Repeat("\x02", 8192): "another memcost"} {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(file); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.10q: %v, want %s", text, err, says)
		}
	}
}

// BenchmarkOverhead runs a program that makes about ten million calls a second with counting and
// without, in turn, and tells the ratio of the CPU times.
func BenchmarkOverhead(b *testing.B) {
	program := compiled(b, "rate", "-O2")
	var with, without []float64
	for i := 0; b.Loop(); i++ {
		for k := range 2 {
			if (i+k)%2 == 0 {
				res, _ := counted(b, program, "5000000", "130")
				with = append(with, (res.Usage.User + res.Usage.Sys).Seconds())
				continue
			}
			res, err := new(proc.Runner).Run(b.Context(), proc.Cmd{Path: program, Args: []string{"5000000", "130"}})
			if err != nil {
				b.Fatal(err)
			}
			without = append(without, (res.Usage.User + res.Usage.Sys).Seconds())
		}
	}
	slices.Sort(with)
	slices.Sort(without)
	b.ReportMetric(10e6/without[len(without)/2], "calls/s")
	b.ReportMetric(100*(with[len(with)/2]/without[len(without)/2]-1), "overhead-%")
}
