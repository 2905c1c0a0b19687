package profile

import (
	"bytes"
	"compress/gzip"
	"os"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"memcost/internal/testkit"
)

func written(t testing.TB, p *profile.Profile) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipped(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestReadRefuses(t *testing.T) {
	whole, err := os.ReadFile("testdata/go1.27.4-pointer.prof")
	if err != nil {
		t.Fatal(err)
	}
	plain := testkit.Captured(t, "testdata/go1.27.4-pointer.prof")
	negative := planted(map[string]int64{"main.main": -5})
	huge := planted(map[string]int64{"main.a": 1 << 62, "main.b": 1 << 62})
	for name, c := range map[string]struct {
		data []byte
		says string
	}{
		"nothing":        {nil, "it is empty"},
		"cut off":        {whole[:len(whole)/2], "it is cut off"},
		"cut off, plain": {plain[:len(plain)/2], "reading the profile: "},
		"text":           {[]byte("hello, world\n"), "hint: a profile is what"},
		"trace":          {[]byte("go 1.27 trace\x00\x00\x00"), "memcost trace reads it"},
		"program":        {[]byte("\x7fELF\x02\x01\x01"), "this is a program"},
		"as text":        {[]byte("heap profile: 1: 16 [2: 32] @ heap/1048576\n"), "leave out debug=1"},
		"zipped text":    {zipped(t, []byte("hello, world\n")), "hint: a profile is what"},
		"damaged": {append(append([]byte{}, whole[:200]...), bytes.Repeat([]byte{7}, 200)...),
			"reading the profile: "},
		"no samples": {written(t, planted(nil)), "it has no samples of cpu"},
		"all zero":   {written(t, planted(map[string]int64{"main.main": 0})), "it has no samples of cpu"},
		"negative":   {written(t, negative), "negative values"},
		"too much":   {written(t, huge), "too large"},
	} {
		p, err := Read(bytes.NewReader(c.data))
		if err == nil || !strings.HasPrefix(err.Error(), "reading the profile: ") ||
			!strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %+v, %v; want %q", name, p, err, c.says)
		}
	}
	if p, err := Read(bytes.NewReader(plain)); err != nil ||
		p.Total != read(t, "testdata/go1.27.4-pointer.prof").Total {
		t.Errorf("not compressed: %v", err)
	}
}

// A small file may hold more than memory does.
func TestReadIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("inflates half a gigabyte")
	}
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	for zeros, i := make([]byte, 1<<20), 0; i <= maxBytes>>20; i++ {
		if _, err := w.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(&b); err == nil || !strings.Contains(err.Error(), "more than 512 MiB") {
		t.Errorf("%v", err)
	}
}

func TestOf(t *testing.T) {
	p := read(t, "testdata/go1.27.4-heap.prof")
	if p.Type != "inuse_space" || p.Unit != "bytes" ||
		strings.Join(p.Types(), " ") != "alloc_objects alloc_space inuse_objects inuse_space" {
		t.Errorf("%s in %s, of %v", p.Type, p.Unit, p.Types())
	}
	if _, err := p.Of("cpu"); err == nil || !strings.Contains(err.Error(), `no values "cpu"`) {
		t.Errorf("%v", err)
	}
	if p := read(t, "testdata/go1.15.15-pointer.prof"); p.Type != "cpu" || p.Total != p.Samples*10_000_000 {
		t.Errorf("%d samples, 100 in a second, are %d %s of %s", p.Samples, p.Total, p.Unit, p.Type)
	}
}

// The rules that the captured profiles do not show.
func TestCategoryRules(t *testing.T) {
	const goroot = "/usr/local/go/src/"
	for _, c := range []struct {
		want   Category
		frames []frame
	}{
		{User, []frame{{"main.main", "/home/me/main.go"}}},
		{Other, []frame{{"runtime.mapaccess1", goroot + "runtime/map.go"}, {"main.main", "main.go"}}},
		{Other, []frame{{"memeqbody", goroot + "internal/bytealg/equal_amd64.s"},
			{"runtime.mapaccess1", "runtime/map.go"}, {"main.main", "main.go"}}},
		{User, []frame{{"indexbytebody", goroot + "internal/bytealg/indexbyte_amd64.s"},
			{"bytes.IndexByte", goroot + "bytes/bytes.go"}}},
		// A package of the program's own with the runtime's name.
		{User, []frame{{"example.com/me/runtime.mallocgc", "/home/me/src/runtime/malloc.go"}}},
		// The runtime's functions under the names of others, whatever the system's slashes.
		{Sched, []frame{{"time.Sleep", `C:\go\src\runtime\time.go`}, {"main.main", "main.go"}}},
		// Waking threads to start the world again is the pause's time.
		{GC, []frame{{"runtime.futex", "runtime/sys_linux_amd64.s"}, {"runtime.wakep", "runtime/proc.go"},
			{"runtime.startTheWorldWithSema", "runtime/proc.go"},
			{"runtime.gcStart.func2", "runtime/mgc.go"}, {"runtime.systemstack", "runtime/asm_amd64.s"}}},
		{Other, []frame{{"runtime.preemptall", "runtime/proc.go"}, {"runtime.stopTheWorldWithSema", "runtime/proc.go"},
			{"runtime.ReadMemStats", "runtime/mstats.go"}, {"main.main", "main.go"}}},
		{GC, []frame{{"runtime.scanobject", "runtime/mgcmark.go"}, {"runtime.gcDrainN", "runtime/mgcmark.go"},
			{"runtime.gcAssistAlloc", "runtime/mgcmark.go"}, {"runtime.mallocgc", "runtime/malloc.go"},
			{"main.main", "main.go"}}},
		{User, []frame{{"runtime.asyncPreempt", "runtime/preempt_amd64.s"}, {"main.main", "main.go"}}},
		{Sched, []frame{{"runtime.asyncPreempt2", "runtime/preempt.go"},
			{"runtime.asyncPreempt", "runtime/preempt_amd64.s"}, {"main.main", "main.go"}}},
		{Sched, []frame{{"internal/runtime/syscall.Syscall6", "internal/runtime/syscall/asm_linux_amd64.s"},
			{"internal/runtime/syscall.EpollWait", ""}, {"runtime.netpoll", "runtime/netpoll_epoll.go"},
			{"runtime.findRunnable", "runtime/proc.go"}}},
		{Syscall, []frame{{"internal/runtime/syscall.Syscall6", "internal/runtime/syscall/asm_linux_amd64.s"},
			{"syscall.RawSyscall6", ""}, {"syscall.write", ""}, {"os.(*File).Write", ""}}},
		{User, []frame{{"runtime.asmcgocall", "runtime/asm_amd64.s"}, {"runtime.cgocall", "runtime/cgocall.go"},
			{"main._Cfunc_work", "_cgo_gotypes.go"}}},
		{Recording, []frame{{"compress/flate.(*compressor).deflate", ""}, {"runtime/pprof.(*profileBuilder).build", ""},
			{"runtime/pprof.profileWriter", ""}}},
		{User, []frame{{"main.work", "main.go"}, {"runtime/pprof.Do", "runtime/pprof/runtime.go"},
			{"main.main", "main.go"}}},
		{GC, []frame{{"runtime._GC", "runtime/proc.go"}}},
		{Other, []frame{{name: "[no stack]"}}[:0]},
	} {
		if got := category(c.frames); got != c.want {
			t.Errorf("%v is %s, want %s", c.frames, got, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"go1.15.15-copy", "go1.27.4-copy", "go1.27.4-heap"} {
		data, err := os.ReadFile("testdata/" + name + ".prof")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add(testkit.Captured(f, "testdata/"+name+".prof"))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		sum := 0.0
		for _, s := range p.Shares() {
			if s.Share < 0 || s.Share > 1 {
				t.Errorf("a share of %v", s.Share)
			}
			sum += s.Share
		}
		if sum < 0.999999 || sum > 1.000001 {
			t.Errorf("the shares add up to %v", sum)
		}
		flat := int64(0)
		for _, fn := range p.Top(-1) {
			if flat += fn.Flat; fn.Flat > fn.Cum || fn.Cum > p.Total {
				t.Errorf("%+v of %d", fn, p.Total)
			}
		}
		if flat != p.Total {
			t.Errorf("the functions have %d of %d", flat, p.Total)
		}
		if root := p.tree(); root.Cum != p.Total || root.depth() > MaxDepth+1 {
			t.Errorf("the tree has %d of %d", root.Cum, p.Total)
		}
	})
}

// planted is a profile of one sample for each stack, leaf first.
func planted(stacks map[string]int64) *profile.Profile {
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"},
		{Type: "cpu", Unit: "nanoseconds"}}}
	for names, v := range stacks {
		s := &profile.Sample{Value: []int64{1, v}}
		for _, name := range strings.Split(names, ";") {
			f := &profile.Function{ID: uint64(len(p.Function) + 1), Name: name}
			l := &profile.Location{ID: uint64(len(p.Location) + 1), Line: []profile.Line{{Function: f}}}
			p.Function, p.Location = append(p.Function, f), append(p.Location, l)
			s.Location = append(s.Location, l)
		}
		p.Sample = append(p.Sample, s)
	}
	return p
}
