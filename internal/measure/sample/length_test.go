package sample

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"memcost/internal/base/proc"
	"memcost/internal/measure/plan"
	"memcost/internal/method/stat"
)

// pairsOfLengths are comparisons of the shipped studies, of each kind of cost: none but
// arithmetic and copies, collections of small and of large blocks, work on all processors.
var pairsOfLengths = []struct{ study, num, den string }{
	{"stackheap", "Bilbo/place=heap", "Bilbo/place=stack"},
	{"stackheap", "Smaug/place=stack/size=16384", "Copy/size=16384"},
	{"stackheap", "Smaug/place=heap/size=1024", "Smaug/place=stack/size=1024"},
	{"stackheap", "Smaug/place=heap/size=16384", "Smaug/place=stack/size=16384"},
	{"stackheap", "Smaug/place=heap/size=131072", "Smaug/place=stack/size=131072"},
	{"stackheap", "Smaug/place=heap/size=1048576", "Smaug/place=stack/size=1048576"},
	{"escape", "Cause/cause=boxing/form=escapes", "Cause/cause=boxing/form=fixed"},
	{"escape", "Cause/cause=map-growth/form=escapes", "Cause/cause=map-growth/form=fixed"},
	{"buffers", "Block/io=none/from=pool-cleared/size=65536", "Block/io=none/from=stack/size=65536"},
	{"buffers", "Block/io=none/from=heap/size=65536", "Block/io=none/from=stack/size=65536"},
	{"buffers", "Block/io=file/from=pool/size=16384", "Block/io=file/from=stack/size=16384"},
	{"arena", "ComplexStruct/method=fixed/from=pool/n=10000", "ComplexStruct/method=fixed/from=heap/n=10000"},
	{"parallel", "Objects/from=heap/load=full", "Objects/from=pool/load=full"},
	{"parallel", "Smaug/place=heap/size=16384/load=full", "Smaug/place=stack/size=16384/load=full"},
}

// lengthsOfLoops are tried beside each other in each round, the shortest first.
var lengthsOfLoops = []time.Duration{4 * time.Millisecond, 7500 * time.Microsecond, 15 * time.Millisecond,
	30 * time.Millisecond, 60 * time.Millisecond, 120 * time.Millisecond, 240 * time.Millisecond}

// TestLengthOfSamples measures what a second tells at each length of a sample's loop: the
// variance of d times the seconds that a pair of processes takes, their start included, by
// which the rounds that a verdict needs cost time. It prints them relative to 30 ms, with the
// collections in a sample and how far the ratio is from that of the longest loops. Decision 10
// holds its figures.
//
// The lengths take turns in each round, so that the machine's state falls on all alike.
func TestLengthOfSamples(t *testing.T) {
	if os.Getenv("MEMCOST_LONG") == "" {
		t.Skip("it measures for some minutes: MEMCOST_LONG=1")
	}
	const rounds = 16
	var pairs []*lengthPair
	programs := map[string]string{}
	for _, x := range pairsOfLengths {
		if programs[x.study] == "" {
			programs[x.study] = buildStudy(t, x.study)
		}
		pairs = append(pairs, newLengthPair(t, programs[x.study], x.num, x.den))
	}
	rng := rand.New(rand.NewPCG(1, 10))
	for range rounds {
		for _, i := range rng.Perm(len(pairs)) {
			for _, l := range rng.Perm(len(lengthsOfLoops)) {
				pairs[i].take(t, l, rng.IntN(2) == 0)
			}
		}
	}
	const middle = 3
	sums := make([]float64, len(lengthsOfLoops))
	for i, p := range pairs {
		line := fmt.Sprintf("%-28s", pairsOfLengths[i].study+" "+firstPart(pairsOfLengths[i].num)+
			pairsOfLengths[i].num[strings.LastIndex(pairsOfLengths[i].num, "/"):])
		for l := range lengthsOfLoops {
			relative := p.cost(l) / p.cost(middle)
			sums[l] += math.Log(relative)
			off := 100 * math.Expm1(p.ratio(l)-p.ratio(len(lengthsOfLoops)-1))
			line += fmt.Sprintf(" | %5.2f %+4.0f%% %3d gc", relative, off, p.cycles[l])
		}
		t.Log(line)
	}
	line := "all, geometric mean          "
	for l := range lengthsOfLoops {
		line += fmt.Sprintf(" | %5.2f             ", math.Exp(sums[l]/float64(len(pairs))))
	}
	t.Log(line)
	// What it is to show: a start is paid once a sample, so that a loop of a sixtieth does not
	// take a sixtieth of the time.
	for i, p := range pairs {
		short, long := stat.Median(p.seconds[0]), stat.Median(p.seconds[len(lengthsOfLoops)-1])
		if !(short < long) || !(short > long/60) {
			t.Errorf("%s: a pair takes %.4f s at %v and %.4f s at %v", pairsOfLengths[i].num, short, lengthsOfLoops[0],
				long, lengthsOfLoops[len(lengthsOfLoops)-1])
		}
	}
}

func buildStudy(t *testing.T, study string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), study+".test")
	res, err := (&proc.Runner{}).Run(t.Context(), proc.Cmd{Path: "go", Args: []string{"test", "-c", "-o", out,
		"memcost/study/" + study}, Env: append(os.Environ(), "GOEXPERIMENT=arenas"), Timeout: 5 * time.Minute})
	if err != nil || res.ExitCode != 0 {
		t.Fatalf("building %s: %v\n%s", study, err, res.Stderr)
	}
	return out
}

// A lengthPair is a comparison with its samples by length.
type lengthPair struct {
	program    string
	names      [2]string
	secPerOp   [2]float64
	d, seconds [][]float64
	cycles     []int // of the numerator's collector in one sample
}

func newLengthPair(t *testing.T, program, num, den string) *lengthPair {
	p := &lengthPair{program: program, names: [2]string{num, den}, d: make([][]float64, len(lengthsOfLoops)),
		seconds: make([][]float64, len(lengthsOfLoops)), cycles: make([]int, len(lengthsOfLoops))}
	for i := range p.names {
		p.secPerOp[i], _, _ = p.sample(t, i, "60ms")
	}
	for l, length := range lengthsOfLoops {
		_, _, p.cycles[l] = p.sample(t, 0, p.times(0, length), "GODEBUG=gctrace=1")
	}
	return p
}

func (p *lengthPair) times(side int, length time.Duration) string {
	return fmt.Sprintf("%dx", iterations(length, p.secPerOp[side]))
}

// sample runs one process of a side.
func (p *lengthPair) sample(t *testing.T, side int, benchtime string, env ...string) (sec, wall float64, cycles int) {
	t.Helper()
	c := plan.Case{Base: p.names[side], Procs: 2}
	res, err := (&proc.Runner{}).Run(t.Context(), proc.Cmd{Path: p.program, Dir: filepath.Dir(p.program),
		Args: goTest{}.args(c, benchtime), Env: append(os.Environ(), env...), Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	r := goTest{}.parse(c, res).find(p.names[side] + "-2")
	if r == nil {
		t.Fatalf("%s: no result: %s%s", p.names[side], res.Stdout, res.Stderr)
	}
	return secPerOp(r), res.Wall.Seconds(), strings.Count("\n"+string(res.Stderr), "\ngc ")
}

// take takes one pair of samples.
func (p *lengthPair) take(t *testing.T, length int, swapped bool) {
	var sec [2]float64
	wall := 0.0
	for i := range 2 {
		side := i
		if swapped {
			side = 1 - i
		}
		s, w, _ := p.sample(t, side, p.times(side, lengthsOfLoops[length]))
		sec[side], wall = s, wall+w
	}
	p.d[length] = append(p.d[length], math.Log(sec[0]/sec[1]))
	p.seconds[length] = append(p.seconds[length], wall)
}

func (p *lengthPair) ratio(length int) float64 { return stat.Median(p.d[length]) }

// cost is the variance of d, robust against outliers, times the seconds of a pair.
func (p *lengthPair) cost(length int) float64 {
	middle := p.ratio(length)
	var off []float64
	for _, d := range p.d[length] {
		off = append(off, math.Abs(d-middle))
	}
	s := 1.4826 * stat.Median(off)
	return s * s * stat.Median(p.seconds[length])
}
