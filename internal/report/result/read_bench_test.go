package result

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memcost/internal/study/language"
)

var (
	benchSamples = flag.Int("samples", 10_000, "number of samples of BenchmarkRead's folder")
	benchFolder  = flag.String("folder", "", "keep BenchmarkRead's folder here, for benchstat and profiles; it is "+
		"made when missing")
)

// BenchmarkRead reads a run folder: 60 cases of the
// shipped study, with its claims and tables.
//
// A million samples, to be read by benchstat too:
//
//	go test ./internal/report/result -run='^$' -bench=Read$ -benchtime=1x -samples=1000000 -folder=/tmp/million
//	benchstat /tmp/million/samples.txt
func BenchmarkRead(b *testing.B) {
	dir := *benchFolder
	if dir == "" {
		dir = filepath.Join(b.TempDir(), "run")
	}
	if _, err := os.Stat(dir); err != nil {
		stackheapRun(b, *benchSamples/60).write(b, dir)
	}
	info, err := os.Stat(filepath.Join(dir, "samples.txt"))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(dir, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReadFile reads a file of someone else's: 1000 cases, without a study.
//
//	go test ./internal/report/result -run='^$' -bench=ReadFile -benchtime=1x -samples=1000000
func BenchmarkReadFile(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 6))
	var lines strings.Builder
	lines.WriteString("goos: linux\npkg: example.com/p\n")
	for i := range 1000 {
		for range max(*benchSamples/1000, 1) {
			fmt.Fprintf(&lines, "BenchmarkCase/i=%d-8 100 %.5g ns/op\n", i, float64(100+i)*(1+0.01*rng.NormFloat64()))
		}
	}
	text := lines.String()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ReadFile("file.txt", strings.NewReader(text), Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// stackheapRun returns a run of the shipped study on one side, with 60 cases.
func stackheapRun(t testing.TB, rounds int) *run {
	st, err := language.ReadDir(os.DirFS("../../../study"), "stackheap")
	if err != nil {
		t.Fatal(err)
	}
	x := &run{study: "stackheap", directives: st.Directives, show: st.Show, sides: []string{"go1.26.8"}, rounds: rounds,
		noise: 0.03}
	add := func(group int, sec, bytes, allocs float64, format string, args ...any) {
		n := max(int64(0.2/sec), 1)
		x.cases = append(x.cases, bench{name: fmt.Sprintf(format, args...) + "-2", sec: sec, bytes: bytes,
			allocs: allocs, n: n, group: group})
	}
	add(0, 1e-9, 0, 0, "Bilbo/place=stack")
	add(0, 12e-9, 16, 1, "Bilbo/place=heap")
	group := 1
	for size := 1024.0; size <= 1<<20; size, group = 2*size, group+1 {
		copied := size * 10e-12
		add(group, copied, 0, 0, "Copy/size=%.0f", size)
		add(group, 0.6*copied, 0, 0, "Read/size=%.0f", size)
		add(group, 0.5*copied, 0, 0, "Write/size=%.0f", size)
		add(group, 2.2*copied, 0, 0, "Smaug/place=stack/size=%.0f", size)
		add(group, 6*copied+100e-9, size, 1, "Smaug/place=heap/size=%.0f", size)
	}
	add(group, 0.26e-9, 0, 0, "Empty")
	for _, size := range []float64{64, 65536} {
		add(group+1, 30e-9, size, 1, "Thorin/pass=header/size=%.0f", size)
	}
	return x
}
