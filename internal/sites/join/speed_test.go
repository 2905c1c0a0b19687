package join_test

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/google/pprof/profile"

	"memcost/internal/gotool/escape"
	"memcost/internal/sites"
	"memcost/internal/sites/join"
)

// many returns a text of at least so many lines: a captured one again and again, each time of
// other files, so that nothing is a repetition.
func many(tb testing.TB, lines int) []byte {
	captured, err := os.ReadFile("../../gotool/escape/testdata/causes-go1.26.8.txt")
	if err != nil {
		tb.Fatal(err)
	}
	var out bytes.Buffer
	for i, n := 0, bytes.Count(captured, []byte("\n")); i*n < lines; i++ {
		out.Write(bytes.ReplaceAll(captured, []byte(".go:"), fmt.Appendf(nil, "_%d.go:", i)))
	}
	return out.Bytes()
}

// analyse reads a text and joins it with a profile that has a record at each heap allocation.
func analyse(tb testing.TB, text []byte) *sites.Report {
	log, err := escape.ReadLog(bytes.NewReader(text))
	if err != nil {
		tb.Fatal(err)
	}
	pkg := escape.PackagePath(log.Packages[0])
	heap := &profile.Profile{SampleType: []*profile.ValueType{{Type: "alloc_objects"}, {Type: "alloc_space"}}}
	for i, d := range log.Diagnostics {
		if d.Kind.Heap() {
			fn := &profile.Function{Name: pkg + ".f", Filename: d.File}
			heap.Sample = append(heap.Sample, &profile.Sample{Value: []int64{1, 32}, Location: []*profile.Location{{
				Address: uint64(i + 1), Line: []profile.Line{{Function: fn, Line: int64(d.Line)}}}}})
		}
	}
	r, err := join.Analyse(join.Input{Mode: "benchmarks", Packages: []join.Asked{{Path: pkg,
		Described: join.Described{Log: log}, Measured: []join.Measured{{Name: "All", N: 1, Memory: heap}}}}})
	if err != nil {
		tb.Fatal(err)
	}
	if len(heap.Sample) == 0 || r.Join.Samples != int64(len(heap.Sample)) {
		tb.Fatalf("%d records, %d joined", len(heap.Sample), r.Join.Samples)
	}
	return r
}

// All that reading and joining 100,000 lines allocates, garbage included, is under 300 MB, so
// that what it needs at one time is, too.
func TestAnalyseNeedsLittleMemory(t *testing.T) {
	text := many(t, 100_000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := analyse(t, text)
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 300<<20 {
		t.Errorf("it allocated %d MB for %d sites", got>>20, len(r.Sites))
	}
}

func BenchmarkAnalyse(b *testing.B) {
	text := many(b, 100_000)
	b.ReportAllocs()
	for b.Loop() {
		analyse(b, text)
	}
}
