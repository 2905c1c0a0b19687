package count

import "testing"

// captured is what a process wrote that was killed in a benchmark.
const captured = "begin\tname=BenchmarkSub\tn=1\n" +
	"begin\tname=BenchmarkSub/size=1\tn=1\n" +
	"end\tname=BenchmarkSub/size=1\tn=1\tops=1\tns=1172\twall=160442\tmallocs=1\tbytes=16\ttiny=0\tresets=0\tstarts=2" +
	"\tcounted=false\tfailed=false\n" +
	"begin\tname=BenchmarkSub/size=1\tn=100\n" +
	"end\tname=BenchmarkSub/size=1\tn=100\tops=100\tns=29340\twall=9161234\tmallocs=100\tbytes=1600\ttiny=-1" +
	"\tresets=0\tstarts=101\tcounted=true\tfailed=false\n" +
	"parent\tname=BenchmarkSub\n" +
	"begin\tname=BenchmarkLoop\tn=1\n" +
	"end\tname=BenchmarkLoop\tn=1\tops=100\tns=2000\twall=3000\tmallocs=100\tbytes=1600\ttiny=0\tresets=1\tstarts=1" +
	"\tcounted=false\tfailed=false\n" +
	"begin\tname=BenchmarkHang\tn=1\n" +
	"end\tname=BenchmarkHang\tn=1\tops=1\tns=9"

func TestRecordOfAKilledProcess(t *testing.T) {
	r := readRecord([]byte(captured))
	if r.done {
		t.Error("the process did not come to its end")
	}
	if len(r.open) != 1 || r.open[0] != "BenchmarkHang" {
		t.Errorf("open are %q, not BenchmarkHang", r.open)
	}
	leaves := r.leaves()
	if len(leaves) != 2 || leaves[0].name != "BenchmarkSub/size=1" || leaves[1].name != "BenchmarkLoop" {
		t.Fatalf("leaves are %+v", leaves)
	}
	sub, loop := leaves[0], leaves[1]
	if sub.loop || !loop.loop {
		t.Error("b.Loop is not recognised")
	}
	if !sub.toggles() || sub.each() != 91612.34 {
		t.Errorf("an operation takes %v ns with what is not timed, not 91612.34", sub.each())
	}
	if loop.toggles() || loop.each() != 20 {
		t.Errorf("an operation takes %v ns, not 20", loop.each())
	}
	if sub.first(100) != 2 || sub.first(1) != 1 || loop.first(100) != 1 {
		t.Error("the wrong pass is counted")
	}
	p, ok := r.counted()
	if !ok || p.mallocs != 100 || p.tiny != -1 || p.bytes != 1600 {
		t.Errorf("counted is %+v", p)
	}
}

func FuzzRecord(f *testing.F) {
	f.Add([]byte(captured))
	f.Fuzz(func(t *testing.T, text []byte) {
		r := readRecord(text)
		if len(r.leaves()) > len(r.ended) {
			t.Error("more benchmarks than passes")
		}
	})
}

func TestOperationsFitIntoTheTime(t *testing.T) {
	for _, test := range []struct {
		p    pass
		want int64
	}{
		{pass{ops: 100, ns: 10_000}, mostOps},                        // 100 ns
		{pass{ops: 100, ns: 100_000, mallocs: 400}, 55_555},          // 1 µs and four objects
		{pass{ops: 100, ns: 1_000_000_000}, leastOps},                // 10 ms
		{pass{ops: 2, ns: 2_000_000_000}, 5},                         // 1 s
		{pass{ops: 1, ns: 60_000_000_000}, 2},                        // a minute
		{pass{ops: 100, ns: 1, wall: 30_000_000, starts: 101}, 1000}, // stops its timer
		{pass{}, mostOps}, // nothing is known
	} {
		if got := operations(pilotRun{pass: test.p}); got != test.want {
			t.Errorf("%+v: %d operations, not %d", test.p, got, test.want)
		}
	}
}

func TestPrintedNames(t *testing.T) {
	out := "goos: linux\nBenchmarkDecode/size=4096-2 \t 100\t 2500 ns/op\t 16 B/op\t 2 allocs/op\n" +
		"nonsense\nBenchmarkA/x-1 \t 3\t 7 ns/op\n"
	got := printed([]byte(out), "BenchmarkA/x-1")
	if len(got) != 2 || got[0].name != "BenchmarkDecode/size=4096" || got[1].name != "BenchmarkA/x-1" {
		t.Fatalf("%+v", got)
	}
	if got[0].ops != 100 || (pilotRun{pass: got[0]}).each() != 2500 || got[0].mallocs != 200 || got[0].counted || !got[1].counted {
		t.Errorf("%+v", got[0])
	}
}
