package remedy

import (
	"context"
	"errors"
	"io/fs"
	"regexp"
	"testing"
	"time"

	"memcost/internal/base/proc"
	"memcost/internal/gotool/escape"
	"memcost/internal/gotool/toolchain"
	"memcost/internal/sites"
	"memcost/study"
)

// local returns what builds with the Go on PATH.
func local(t *testing.T) (*toolchain.Builder, toolchain.Toolchain) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds and runs benchmarks")
	}
	runner := &proc.Runner{}
	tc, err := (&toolchain.Finder{Runner: runner}).Local(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return &toolchain.Builder{Runner: runner, CacheDir: t.TempDir()}, tc
}

func TestEachPairIsInTheStudy(t *testing.T) {
	text, err := fs.ReadFile(study.FS, "escape/study.toml")
	if err != nil {
		t.Fatal(err)
	}
	has := map[string]bool{}
	for _, m := range regexp.MustCompile(`cause:([a-z-]+)"`).FindAllSubmatch(text, -1) {
		has[string(m[1])] = true
	}
	if len(has) < 30 {
		t.Fatalf("only %d causes are found in study.toml", len(has))
	}
	for cause, pair := range pairs {
		if !has[pair] {
			t.Errorf("cause %s is priced by the pair %s, which the study does not have", cause, pair)
		}
	}
}

// Each cause of the compiler has a pair, but that which has no fix.
func TestEachCauseHasAPair(t *testing.T) {
	n := 0
	for c := escape.Cause(1); c.String() != escape.Uncategorised.String(); c++ {
		n++
		if _, ok := pairs[c.String()]; !ok && c != escape.PanicArgument {
			t.Errorf("cause %s has no pair", c)
		}
	}
	if n < 20 {
		t.Fatalf("only %d causes", n)
	}
}

func TestMeasure(t *testing.T) {
	b, tc := local(t)
	var steps []sites.Progress
	got, err := Measure(t.Context(), b, tc, []int64{16, 65536, 48, 8, 16, 1 << 40},
		[]string{"boxing", "panic", "map-put"},
		Options{Time: 2 * time.Millisecond, Seed: 1, Progress: func(p sites.Progress) { steps = append(steps, p) }})
	if err != nil {
		t.Fatal(err)
	}
	// 24 bytes are what both pairs make
	if got.Classes[24].Runs == 0 || len(got.Classes) != 5 || len(got.Pairs) != 2 {
		t.Fatalf("got %d classes and %d pairs, want 5 and 2: %+v", len(got.Classes), len(got.Pairs), got)
	}
	for size, x := range got.Classes {
		if x.Runs != leastRuns || !(x.Lo <= x.Value && x.Value <= x.Hi) || x.Value <= 0 {
			t.Errorf("size %d: %+v", size, x)
		}
	}
	// 4,096 times the bytes are to be cleared
	if small, large := got.Classes[16], got.Classes[65536]; large.Value < 10*small.Value {
		t.Errorf("an object of 64 KiB costs %g s, one of 16 bytes %g s", large.Value, small.Value)
	}
	for cause, p := range got.Pairs {
		// A stray object of the runtime's may be shared out to the operations.
		if p.Objects < 1 || p.Objects > 1.1 || p.Bytes < 8 ||
			p.Escapes.Runs != leastRuns || p.Fixed.Runs != leastRuns || p.Escapes.Hi < p.Fixed.Lo { // of times on a busy machine only this is no noise
			t.Errorf("%s: %+v", cause, p)
		}
	}
	const perRound = 5 + 2*2
	orders := map[string]bool{}
	last := steps[len(steps)-1]
	if last.Of != leastRuns*perRound || last.Done != last.Of-1 {
		t.Errorf("the last step is %+v", last)
	}
	for i := 2; i+perRound <= len(steps); i += perRound {
		order := ""
		for _, s := range steps[i : i+perRound] {
			order += s.What + ";"
		}
		orders[order] = true
	}
	if len(orders) < leastRuns-1 {
		t.Errorf("%d orders in %d rounds", len(orders), leastRuns)
	}
}

// The object that the benchmark makes is of the size class that is asked for.
func TestObjectsAreOfTheirSize(t *testing.T) {
	b, tc := local(t)
	x := &measuring{builder: b, tc: tc, options: Options{Runs: 1, Time: time.Millisecond}}
	if err := x.objects(t.Context(), []int64{8, 16, 24, 48, 1024, 32768, 40960}); err != nil {
		t.Fatal(err)
	}
	if err := x.rounds(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range x.cases {
		// A stray object of the runtime's may be shared out to the operations.
		n, size := c.objects[0], c.bytes[0]/float64(c.size)
		if n < 1 || n > 1.1 || size < 1 || size > 1.1 {
			t.Errorf("%s: %g objects each operation, of %g times the bytes", c.what, n, size)
		}
	}
}

func TestMeasureIsCancelled(t *testing.T) {
	b, tc := local(t)
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	_, err := Measure(ctx, b, tc, []int64{16}, nil, Options{Progress: func(p sites.Progress) {
		if p.Done == 2 {
			cancel()
		}
		n++
	}})
	if !errors.Is(err, context.Canceled) || n > 5 {
		t.Errorf("after %d steps: %v", n, err)
	}
}

func TestReadSaysWhatIsMissing(t *testing.T) {
	c := objectCase("x", 16)
	if err := c.read([]byte("PASS\n")); err == nil {
		t.Error("no figures, and no error")
	}
}
