package stacklog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"memcost/internal/testkit"
)

func readText(t testing.TB, text string, o Options) *Log {
	t.Helper()
	l, err := Read(strings.NewReader(text), o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func captured(t testing.TB, name string) string {
	t.Helper()
	return string(testkit.Captured(t, filepath.Join("testdata", name)))
}

// figures are what must not depend on the program's own output.
func figures(l *Log) Log {
	f := *l
	f.Bytes, f.Lines, f.Own = 0, 0, 0
	return f
}

const growth = "runtime: newstack sp=0xc000034388 stack=[0xc000034000, 0xc000034800]\n" +
	"\tmorebuf={pc:0x11 sp:0xc000034398 lr:0x0}\n\tsched={pc:0x22 sp:0xc000034390 lr:0x0 ctxt:0x0}\n" +
	"stackalloc 4096\n  allocated 0xc000060000\n" +
	"copystack gp=0xc000000180 [0xc000034000 0xc000034390 0xc000034800] -> [0xc000060000 0xc000060b90 " +
	"0xc000061000]/4096\n" +
	"stackfree 0xc000034000 2048\nstack grow done\n"

func TestGrowth(t *testing.T) {
	var events []Event
	l := readText(t, growth+"stackalloc 2048\n  allocated 0xc000034000\n", Options{Event: func(e Event) {
		events = append(events, e)
	}})
	grow := Event{Kind: Grow, G: 0xc000000180, Addr: 0xc000060000, OldAddr: 0xc000034000, From: 2048, To: 4096,
		Used: 0x470, PC: 0x22, CallerPC: 0x11}
	want := []Event{{Kind: Alloc, Addr: 0xc000060000, To: 4096}, grow, {Kind: Free, Addr: 0xc000034000, From: 2048},
		{Kind: Alloc, Addr: 0xc000034000, To: 2048, Reused: true}}
	if !reflect.DeepEqual(events, want) {
		t.Errorf("got %+v", events)
	}
	if l.Reused != 1 || l.Preempts != 0 || l.Grows != (Tally{1, 0x470}) || len(l.Warnings) != 0 ||
		!reflect.DeepEqual(l.Growths, []Event{grow}) {
		t.Errorf("got %+v", l)
	}
	l.Symbolise(func(pc uint64) (string, string, int) {
		return map[uint64]string{0x21: "grower", 0x10: "caller"}[pc], "/a/b.go", int(pc)
	})
	if s := l.Sites[0]; s.Func != "grower" || s.File != "/a/b.go" || s.FuncLine != 33 || s.Caller != "caller" ||
		s.CallerLine != 16 {
		t.Errorf("grown by %+v", s)
	}
}

// In a log with damage, a goroutine whose sizes do not follow each other is in
// no chain; in a whole one it is.
func TestDoubtfulChains(t *testing.T) {
	const gap = "stackalloc 16384\n  allocated 0xc0000a0000\n" +
		"copystack gp=0xc000000190 [0xc000080000 0xc000081000 0xc000082000] -> [0xc0000a0000 0xc0000a3000 " +
		"0xc0000a4000]/16384\n" +
		"stackfree 0xc000080000 8192\nstack grow done\n"
	for damage, want := range map[string]int64{"": 0, "stackalloc \n": 1} {
		l := readText(t, growth+damage+gap, Options{})
		if l.Grows.N != 2 || l.Doubtful != want || int64(len(l.Chains)) != 2-want || (l.Damaged > 0) != (damage != "") {
			t.Errorf("damage %q: %d growths, %d doubtful, chains %v, %d damaged, %v", damage, l.Grows.N, l.Doubtful,
				l.Chains, l.Damaged, l.Warnings)
		}
	}
}

// A goroutine whose stack is freed has ended; its g serves another.
func TestChains(t *testing.T) {
	second := strings.NewReplacer("0xc000060", "0xc000070", "0xc000061", "0xc000071").Replace(growth)
	shrink := "shrinking stack 4096->2048\nstackalloc 2048\n  allocated 0xc000034000\n" +
		"copystack gp=0xc000000180 [0xc000070000 0xc000070f00 0xc000071000] -> [0xc000034000 0xc000034700 " +
		"0xc000034800]/2048\nstackfree 0xc000070000 4096\n"
	l := readText(t, growth+"stackfree 0xc000060000 4096\n"+second+shrink, Options{})
	want := []Chain{{Sizes: []uint64{2048, 4096}, N: 1}, {Sizes: []uint64{2048, 4096, 2048}, N: 1}}
	if !reflect.DeepEqual(l.Chains, want) || l.Shrinks != (Tally{1, 0x100}) || len(l.Goroutines) != 2 ||
		l.Goroutines[0].Copied != 0x570 {
		t.Errorf("got %+v, %+v, %+v", l.Chains, l.Shrinks, l.Goroutines)
	}
	// A goroutine that grows and shrinks for ever has a chain of bounded length.
	l = readText(t, strings.Repeat(second+shrink, 100), Options{})
	if len(l.Chains) != 1 || len(l.Chains[0].Sizes) != maxSizes || !l.Chains[0].More || l.Grows.N != 100 ||
		l.Shrinks.N != 100 {
		t.Errorf("got %+v", l)
	}
}

// Whatever the program writes between the log's lines, where they share a
// descriptor. What it writes into a line is a statement that is lost, and counted.
func TestMixedWithOutput(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	own := []string{"Hello, world!\n", "\n", "stack is a word\n", "2048\n", "\tindented\n", "copy done\n", "0x12\n",
		"a line without its end: ", "runtime: out of memory\n", "世界\n", "s\n"}
	torn := int64(0)
	paths, _ := filepath.Glob("testdata/go*.log")
	for _, path := range paths {
		text := captured(t, filepath.Base(path))
		want := figures(readText(t, text, Options{}))
		for range 20 {
			var b, program, rest strings.Builder
			for line := range strings.Lines(text) {
				if random.IntN(4) == 0 {
					o := own[random.IntN(len(own))]
					b.WriteString(o)
					program.WriteString(o)
				}
				b.WriteString(line)
				if strings.HasPrefix(line, "trace ") {
					program.WriteString(line)
				}
			}
			l := readText(t, b.String(), Options{Output: &rest})
			if got := rest.String(); got != program.String() {
				t.Fatalf("%s: passed on:\n%s\nwritten by the program:\n%s\n%s", path, got, program.String(), b.String())
			}
			if got := figures(l); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: with output in between:\n%+v\nwithout:\n%+v\n%s", path, got, want, b.String())
			}
			l = readText(t, tear(text, random), Options{})
			if l.Damaged == 0 || len(l.Warnings) == 0 || !strings.Contains(fmt.Sprint(l.Warnings),
				"share a descriptor") {
				t.Fatalf("%s, torn: %d damaged, %v", path, l.Damaged, l.Warnings)
			}
			torn += l.Damaged
		}
	}
	if torn < 1000 {
		t.Errorf("only %d torn statements found", torn)
	}
}

// tear writes into some lines of a log.
func tear(text string, random *rand.Rand) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		at := operand(line, random)
		if first := b.Len() == 0; at == 0 || !first && random.IntN(4) > 0 || strings.HasPrefix(line, "trace ") {
			at = 0
		}
		if at > 0 {
			b.WriteString(line[:at] + "2026/11/21 listening, 12 goroutines\n")
		}
		b.WriteString(line[at:])
	}
	return b.String()
}

// operand is the start of a random number in a line, 0 if there is none: where
// one write ends and another begins.
func operand(line string, random *rand.Rand) int {
	var at []int
	for i := 1; i < len(line); i++ {
		if digit := line[i]-'0' < 10; digit && strings.IndexByte(" =[:", line[i-1]) >= 0 {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return 0
	}
	return at[random.IntN(len(at))]
}

// A log that ends anywhere gives what there was until then.
func TestCutOff(t *testing.T) {
	text := captured(t, "go1.13.15-array.log")
	whole := readText(t, text, Options{})
	last := int64(0)
	for n := range len(text) + 1 {
		l := readText(t, text[:n], Options{})
		full := n == 0 || text[n-1] == '\n'
		if own := int64(strings.Count(text[:n], "\n")); l.Own != own || l.Grows.N < last || l.Grows.N > whole.Grows.N ||
			l.Damaged > 1 {
			t.Fatalf("cut at %d: %+v", n, l)
		}
		if tail := text[strings.LastIndexByte(text[:n], '\n')+1 : n]; !full && len(tail) > 3 && len(l.Warnings) == 0 {
			t.Fatalf("cut at %d, in %q: no warning", n, tail)
		}
		last = l.Grows.N
	}
	if last != whole.Grows.N || last != 13 {
		t.Errorf("%d growths", last)
	}
}

func TestReadFails(t *testing.T) {
	broken := errors.New("broken pipe")
	l, err := Read(io.MultiReader(strings.NewReader(growth), iotest.ErrReader(broken)), Options{})
	if !errors.Is(err, broken) || l == nil || l.Grows.N != 1 {
		t.Errorf("%v, %+v", err, l)
	}
}

func TestWarnings(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "no line of 0",
		"Hello, world!\n":            "was the program built with it?",
		growth + "stackalloc 20":     "in the middle of a statement",
		growth + "stackalloc 2048\n": "in the middle of 1 allocation:",
		growth + "stackalloc 2047\nstack grow done\n": "1 statements of the log could not be read",
		growth + "  allocated 0x1\nstack grow done\n": "1 statements of the log could not be read",
		growth[:100]: "in the middle of a statement",
		growth + "runtime: goroutine stack exceeds 1000000000-byte limit\n": "the limit is 1000000000 bytes",
		growth + strings.Replace(growth, " -> [", " -> [oops", 1):           "could not be read",
		growth + "other process 12\nother process 13\n":                     "2 other processes that could log",
	} {
		l := readText(t, text, Options{})
		if len(l.Warnings) != 1 || !strings.Contains(l.Warnings[0].Error(), want) {
			t.Errorf("%q: %v, want %q", text[max(0, len(text)-60):], l.Warnings, want)
		}
	}
}

func TestFromUntil(t *testing.T) {
	elsewhere := strings.NewReplacer("0xc00006", "0xc00008").Replace(growth)
	text := growth + "begin\n" + strings.ReplaceAll(growth, "0xc00006", "0xc00007") + "end\n" + elsewhere
	l := readText(t, text, Options{From: "begin", Until: "end"})
	if l.Grows.N != 1 || l.Own != 8 || l.Goroutines[0].G != 0xc000000180 || l.Sizes[1].Allocs != 1 ||
		len(l.Warnings) != 0 {
		t.Errorf("got %+v", l)
	}
	if l = readText(t, text+elsewhere[:100], Options{From: "begin", Until: "end"}); len(l.Warnings) != 0 {
		t.Errorf("what was cut off after the end counts: %v", l.Warnings)
	}
	if l = readText(t, text, Options{From: "never"}); l.Grows.N != 0 || len(l.Warnings) != 1 {
		t.Errorf("got %+v", l)
	}
}

// sampled measures the heap while it is read.
type sampled struct {
	io.Reader
	reads int
	most  uint64
}

func (s *sampled) Read(p []byte) (int, error) {
	if s.reads++; s.reads%64 == 0 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		s.most = max(s.most, m.HeapInuse)
	}
	return s.Reader.Read(p)
}

// Goroutines without end, more than are followed at a time: totals stay exact,
// and memory bounded.
func TestBounded(t *testing.T) {
	size := 128 << 20
	if os.Getenv("MEMCOST_LONG") != "" {
		size = 1 << 30
	}
	in := &endless{left: size}
	heap := &sampled{Reader: in}
	l, err := Read(heap, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if heap.most > 100<<20 {
		t.Errorf("%d MiB of heap for a log of %d MiB", heap.most>>20, size>>20)
	}
	if all := int64(in.next); l.Grows.N < all-101 || l.Grows.N > all || l.Lost != l.Grows.N-1<<17 ||
		l.Chains[0].N != 1<<17 {
		t.Errorf("%d growths of %d, %d goroutines lost, chains %v", l.Grows.N, all, l.Lost, l.Chains)
	}
	t.Logf("%d MiB read, %d growths, %d MiB of heap", size>>20, l.Grows.N, heap.most>>20)
}

func TestNoNewlines(t *testing.T) {
	text := strings.Repeat("x", 3*block) + "\n" + growth
	var rest strings.Builder
	if l := readText(t, text+"end", Options{Output: &rest}); l.Grows.N != 1 || l.Lines != 10 || len(l.Warnings) != 0 {
		t.Errorf("got %+v", l)
	}
	if got := rest.String(); got != text[:3*block+1]+"end" {
		t.Errorf("%d bytes passed on", len(got))
	}
}

// What looks like the log's, and is not continued as one, is the program's.
func TestRest(t *testing.T) {
	for text, want := range map[string]string{
		"stackalloc 20 bytes\n" + growth:                     "stackalloc 20 bytes\n",
		"other process 12\nother processes\n" + growth:       "other processes\n",
		"stackalloc 1one\ntwo\n" + growth:                    "stackalloc 1one\ntwo\n",
		"12%stackalloc 2048\n  allocated 0xc000060000\nok\n": "12%ok\n",
		growth + "stackalloc 20":                             "",
		growth + "panic: oh no\n\ngoroutine 1 [running]:\n\tmain.go\n": "panic: oh no\n\ngoroutine 1 " +
			"[running]:\n\tmain.go\n",
		strings.Repeat("runtime: goroutine stack exceeds 9-byte limit\n",
			2): "runtime: goroutine stack exceeds 9-byte limit\n",
		"halfbegin\n" + growth + "end\nend\n": "halfend\n",
	} {
		var rest strings.Builder
		o := Options{Output: &rest}
		if strings.Contains(text, "begin\n") {
			o.From, o.Until = "begin", "end"
		}
		if readText(t, text, o); rest.String() != want {
			t.Errorf("%q: passed on %q, want %q", text, rest.String(), want)
		}
	}
	failed := errors.New("nobody reads")
	l := readText(t, "one\n"+growth, Options{Output: failing{failed}})
	if l.Grows.N != 1 || len(l.Warnings) != 1 || !errors.Is(l.Warnings[0], failed) {
		t.Errorf("%v", l.Warnings)
	}
}

type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }

// What the program writes is passed on while it goes on, not at its end.
func TestRestIsLive(t *testing.T) {
	r, w := io.Pipe()
	got := make(chan string)
	go Read(r, Options{Output: writes(func(b []byte) { got <- string(b) })})
	io.WriteString(w, growth+"ready\n")
	if s := <-got; s != "ready\n" {
		t.Errorf("passed on %q", s)
	}
	w.Close()
}

type writes func([]byte)

func (f writes) Write(b []byte) (int, error) { f(b); return len(b), nil }

func FuzzRead(f *testing.F) {
	paths, _ := filepath.Glob("testdata/go*.log")
	for _, path := range paths {
		f.Add([]byte(captured(f, filepath.Base(path))))
	}
	f.Add([]byte(growth[:200] + "own\n" + growth[200:]))
	f.Fuzz(func(t *testing.T, text []byte) {
		var rest bytes.Buffer
		l, err := Read(bytes.NewReader(text), Options{Goroutines: 4, Events: 8, Output: &rest})
		if err != nil {
			t.Fatal(err)
		}
		var steps, sites, allocs, frees, reused int64
		for _, s := range l.Steps {
			steps += s.N
		}
		for _, s := range l.Sites {
			sites += s.N
		}
		for _, s := range l.Sizes {
			allocs, frees, reused = allocs+s.Allocs, frees+s.Frees, reused+s.Reused
		}
		if steps != l.Grows.N+l.Shrinks.N+l.Moves.N || sites != l.Grows.N || allocs != l.Allocs.N ||
			frees != l.Frees.N || reused != l.Reused {
			t.Errorf("totals do not add up: %+v", l)
		}
		if l.Bytes != int64(len(text)) || l.Own > 2*l.Lines || l.Copied() < 0 || l.Preempts < 0 || l.Lost < 0 ||
			len(l.Growths) > 8 {
			t.Errorf("not possible: %+v", l)
		}
		if rest.Len() > len(text) || l.Own == 0 && l.Exceeds == 0 && !bytes.HasPrefix(text, rest.Bytes()) {
			t.Errorf("passed on %q", rest.Bytes())
		}
		l.Records("StackGrowth/program=fuzz")
	})
}

// Two processes with one standard error: before Go 1.26 their stacks are at the same
// addresses, later far apart.
func TestSeveralProcesses(t *testing.T) {
	many := func(high string) string {
		var b strings.Builder
		for i := range 10 {
			fmt.Fprintf(&b, "stackalloc 4096\n  allocated 0x%s0000%d000\n", high, i)
		}
		return b.String()
	}
	for text, want := range map[string]bool{
		many("c0"):                   false,
		many("c0") + many("c1"):      false,
		many("c0") + many("c0"):      true,
		many("c0") + many("ac0"):     true,
		many("c0") + growth + growth: false, // one address, twice: a line may have been lost
		many("c0") + "  allocated 0xc00000a00012\n" + many("c1"): false,
	} {
		l := readText(t, text, Options{})
		if l.Several != want || want && (len(l.Warnings) == 0) {
			t.Errorf("%q: several %v, %v", text, l.Several, l.Warnings)
		}
	}
}
