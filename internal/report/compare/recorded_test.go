package compare

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"memcost/internal/report/result"
)

// readSamples returns the answer of a file with all of its samples.
func readSamples(t testing.TB, name, text string) *result.Answer {
	t.Helper()
	a, err := result.ReadFile(name, strings.NewReader(text), result.Options{Samples: true})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// recording makes a file of n rounds, with a format for each benchmark that takes two normal
// deviates.
func recording(seed uint64, n int, lines ...string) string {
	rng := rand.New(rand.NewPCG(14, seed))
	var b strings.Builder
	b.WriteString("pkg: example.com/p\n")
	for range n {
		for _, l := range lines {
			name, rest, _ := strings.Cut(l, " ")
			var cost, spread float64
			fmt.Sscan(rest, &cost, &spread)
			words := strings.Fields(rest)
			fmt.Fprintf(&b, "Benchmark%s 100 %.5g ns/op %s\n", name, cost*(1+spread*rng.NormFloat64()),
				strings.Join(words[2:], " "))
		}
	}
	return b.String()
}

func TestOfFiles(t *testing.T) {
	old := readSamples(t, "old.txt", recording(1, 30, "Slower-8 100 0.01 64 B/op 2 allocs/op",
		"Same-8 100 0.002 0 allocs/op",
		"Noisy-8 100 0.2", "Appears-8 100 0.01 0 allocs/op", "Rate-8 100 0.01 500 widgets/s", "Gone-8 5 0.01",
		"Odd-8 100 0.01 7 hits"))
	new := readSamples(t, "new.txt", recording(2, 30, "Slower-8 110 0.01 64 B/op 3 allocs/op",
		"Same-8 100 0.002 0 allocs/op",
		"Noisy-8 101 0.2", "Appears-8 100 0.01 1 allocs/op", "Rate-8 100 0.01 400 widgets/s", "New-8 5 0.01",
		"Odd-8 100 0.01 9 hits"))
	r := OfFiles([]*result.Answer{old, new}, 0.01, 0.05)
	if r.Interleaved || len(r.Sides) != 2 || r.Sides[1].Name != "new.txt" || r.Sides[1].Kind != OfRecord ||
		len(r.Warnings) == 0 || !strings.Contains(r.Warnings[0], "not measured in turns") {
		t.Errorf("%+v", r)
	}
	got := map[string]string{}
	for _, b := range r.Benchmarks {
		for _, m := range b.Metrics {
			c := m.Changes[0]
			got[b.Name+" "+m.Unit] = string(c.Verdict)
			if c.Regression {
				got[b.Name+" "+m.Unit] += ", worse"
			}
		}
	}
	for name, want := range map[string]string{
		"Slower-8 sec/op": "changed, worse", "Slower-8 B/op": "equivalent", "Slower-8 allocs/op": "changed, worse",
		"Same-8 sec/op": "equivalent", "Same-8 allocs/op": "equivalent", "Noisy-8 sec/op": "undecided",
		"Appears-8 allocs/op": "changed, worse", "Rate-8 widgets/s": "changed, worse", "Odd-8 hits": "changed",
	} {
		if got[name] != want {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
	slower := r.Benchmarks[0].Metric("sec/op").Changes[0].Ratio
	if v := float64(slower.Value); math.Abs(v-1.1) > 0.02 || float64(slower.Lo) > 1.1 || float64(slower.Hi) < 1.1 {
		t.Errorf("slower: %v", slower)
	}
	if len(r.OneSided) != 2 || r.OneSided[0].Name != "Gone-8" || fmt.Sprint(r.OneSided[1].On) != "[new.txt]" {
		t.Errorf("%+v", r.OneSided)
	}
	if g := r.Geomean("sec/op"); g == nil || math.Abs(float64(g.Changes[0].Ratio.Value)-1.017) > 0.04 {
		t.Errorf("%+v", g)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
}

// Of files of the same costs hardly any benchmark is called changed, however many there are.
func TestOfFilesFalseAlarms(t *testing.T) {
	var lines []string
	for i := range 300 {
		lines = append(lines, fmt.Sprintf("Case%d-8 100 0.05", i))
	}
	alarms := 0
	for seed := range uint64(10) {
		r := OfFiles([]*result.Answer{readSamples(t, "a", recording(10+seed, 12, lines...)),
			readSamples(t, "b", recording(50+seed, 12, lines...))}, 0.01, 0.05)
		for _, b := range r.Benchmarks {
			if b.Metrics[0].Changes[0].Verdict == Changed {
				alarms++
			}
		}
	}
	if alarms > 3 { // with tests by themselves at 5% there are about 100 of 3,000
		t.Errorf("%d false alarms of 3000", alarms)
	}
}

func TestOfFilesOfFew(t *testing.T) {
	one := readSamples(t, "one", recording(1, 1, "X-8 100 0.01"))
	two := readSamples(t, "two", recording(2, 2, "X-8 200 0.01"))
	c := OfFiles([]*result.Answer{one, two, one}, 0.01, 0.05).Benchmarks[0].Metrics[0].Changes
	if len(c) != 2 || c[0].Verdict != Undecided || c[1].Verdict != Undecided ||
		math.Abs(float64(c[0].Ratio.Value)-2) > 0.1 {
		t.Errorf("%+v", c)
	}
	none := readSamples(t, "none", recording(2, 2, "Y-8 200 0.01"))
	if r := OfFiles([]*result.Answer{one, none}, 0.01, 0.05); len(r.Benchmarks) != 0 || len(r.OneSided) != 2 {
		t.Errorf("%+v", r)
	}
}

// The time that comparing many benchmarks takes is that of docs/performance.md.
func BenchmarkOfFiles(b *testing.B) {
	var lines []string
	for i := range 1000 {
		lines = append(lines, fmt.Sprintf("Case%d-8 %d 0.02 64 B/op 2 allocs/op", i, 100+i))
	}
	old, new := recording(1, 30, lines...), recording(2, 30, lines...)
	b.ResetTimer()
	start := time.Now()
	for range b.N {
		OfFiles([]*result.Answer{readSamples(b, "old", old), readSamples(b, "new", new)}, 0.01, 0.05)
	}
	b.ReportMetric(1000*float64(b.N)/time.Since(start).Seconds(), "benchmarks/s")
}
