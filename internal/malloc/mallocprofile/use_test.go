package mallocprofile

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// exact is an estimate without error.
func exact(v float64) Estimate { return Estimate{Value: v, Lo: v, Hi: v} }

// profile is of a program with one thread, whose blocks have 32 to 63 bytes and live for 8 to 15
// calls.
func profile() *Profile {
	return &Profile{
		Program: "/usr/bin/prog", Calls: map[string]uint64{"malloc": 5e6, "free": 5e6}, Bytes: 5e6 * 40,
		Sizes: []Sizes{{From: 32, To: 40, Calls: 3e6}, {From: 48, To: 56, Calls: 2e6}},
		Groups: []Group{
			{From: 0, To: 1024, Ages: []Ages{{From: 8, To: 16, Blocks: exact(5e6)}}},
			{From: 1024, To: 131072}, {From: 131072}},
		Usable: 1.2, Peak: exact(64 << 20), Blocks: 1000,
		Threads: Threads{Started: 1, AtOnce: 1, Busiest: 1},
	}
}

func analysed(p *Profile, cpu time.Duration) *Use {
	return Analyse(Run{Command: []string{"prog", "-x"}, Wall: cpu, CPU: cpu, Faults: 20000, Cores: 2},
		Processes{Profiles: []*Profile{p}})
}

func finding(t *testing.T, u *Use, part string) Finding {
	t.Helper()
	i := slices.IndexFunc(u.Findings, func(f Finding) bool { return f.Part == part })
	if i < 0 {
		t.Fatalf("nothing is said of %s", part)
	}
	return u.Findings[i]
}

func TestHeadline(t *testing.T) {
	u := analysed(profile(), time.Second)
	want := "It makes 10 million calls of malloc and free a CPU second, most for blocks of 32 B to 64 B; 90% are " +
		"freed within 16 calls."
	if u.Headline != want {
		t.Errorf("headline: %s\nwant      %s", u.Headline, want)
	}
	p := profile()
	p.Groups[0].Living = exact(5e6)
	if got := analysed(p, time.Second).Headline; !strings.HasSuffix(got, "; 50% are never freed.") {
		t.Errorf("headline of a program that frees half: %s", got)
	}
	if got := analysed(&Profile{Groups: make([]Group, 3)}, time.Second).Headline; got !=
		"It makes no call of malloc." {
		t.Errorf("headline of a program without calls: %s", got)
	}
}

// A program with few calls may gain much where its time is in the kernel: large blocks are given back and taken again.
func TestKernelTime(t *testing.T) {
	large := profile()
	large.Calls = map[string]uint64{"malloc": 1000, "free": 1000}
	large.Sizes = []Sizes{{From: 16 << 20, To: 20 << 20, Calls: 1000}}
	for _, c := range []struct {
		name    string
		p       *Profile
		kernel  time.Duration
		faults  int64
		applies Applies
		command string
	}{
		{"large blocks", large, 800 * time.Millisecond, 4_000_000, Yes, "--vary " + keeps + " -- prog 'a b'"},
		{"touched once", profile(), 800 * time.Millisecond, 16_000, Little, "hugetlb"},
		{"no time in the kernel", large, 10 * time.Millisecond, 4_000_000, No, ""},
	} {
		u := Analyse(Run{Command: []string{"prog", "a b"}, Wall: time.Second, CPU: time.Second, Kernel: c.kernel, Faults: c.faults,
			Cores: 2}, Processes{Profiles: []*Profile{c.p}})
		f := finding(t, u, "kernel")
		if f.Applies != c.applies || !strings.Contains(f.Command, c.command) || c.command == "" && f.Command != "" {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
}

// Each part of the study applies to the programs that it is about, and not to others.
func TestFindings(t *testing.T) {
	change := func(f func(*Profile)) *Profile {
		p := profile()
		f(p)
		return p
	}
	threaded := func(p *Profile) {
		p.Threads = Threads{Started: 8, AtOnce: 4, Busiest: 0.3}
	}
	for _, tt := range []struct {
		name    string
		p       *Profile
		cpu     time.Duration
		part    string
		applies Applies
		says    string
	}{
		{"busy", profile(), time.Second, "allocator", Yes, "20% of its CPU time"},
		{"idle", profile(), 1000 * time.Second, "allocator", No, "Below 0.1 million"},
		{"slow", profile(), 20 * time.Second, "allocator", Little, "1.0% of its CPU time"},
		{"sizes", profile(), time.Second, "sizes", Yes, "32 B to 64 B"},
		{"sizes of few calls", profile(), 1000 * time.Second, "sizes", Little, "32 B to 64 B"},
		{"short lives", profile(), time.Second, "thread cache", Yes, "100% are freed within 64 calls"},
		{"long lives", change(func(p *Profile) { p.Groups[0].Ages[0].From = 1 << 20 }), time.Second,
			"thread cache", No, "0% are freed within 64 calls"},
		{"small blocks", profile(), time.Second, "mmap threshold", No, "All of its blocks are below 128 KiB"},
		{"some large", change(func(p *Profile) {
			p.Sizes = append(p.Sizes, Sizes{From: 131072, To: 163840, Calls: 1e5})
			p.Calls["malloc"] += 1e5
		}), time.Second, "mmap threshold", Yes, "98% of its blocks are below 128 KiB: M_MMAP_THRESHOLD matters for " +
			"100,000 blocks"},
		{"one large", change(func(p *Profile) {
			p.Sizes = append(p.Sizes, Sizes{From: 131072, To: 163840, Calls: 1})
			p.Calls["malloc"]++
		}), time.Second, "mmap threshold", Little, "for 1 block ("},
		{"huge", change(func(p *Profile) {
			p.Sizes = append(p.Sizes, Sizes{From: 64 << 20, To: 80 << 20, Calls: 300})
		}), time.Second, "mmap threshold", Yes, "300 blocks of 32 MiB and more are mapped"},
		{"steady", profile(), time.Second, "trim", No, "never fell"},
		{"turns", change(func(p *Profile) { p.Turns, p.Turned = 12, 32<<20 }), time.Second, "trim", Yes,
			"fell by 32 MiB on average and rose again, 12 times"},
		{"one thread", profile(), time.Second, "threads", No, "One thread"},
		{"own blocks", change(threaded), time.Second, "threads", Yes, "8 threads called malloc, 4 at once, and free " +
			"their own"},
		{"others' blocks", change(func(p *Profile) {
			threaded(p)
			p.Foreign = Estimate{Value: 0.38, Lo: 0.35, Hi: 0.41}
		}), time.Second, "threads", Yes, "38% [35, 41] of its blocks are freed by another thread"},
		{"one busy thread", change(func(p *Profile) {
			threaded(p)
			p.Threads.Busiest = 0.99
		}), time.Second, "threads", Little, "one of them made 99% of the calls"},
		{"arenas", change(threaded), time.Second, "arenas", Yes, "4 threads at once have up to 4 arenas"},
		{"one arena", profile(), time.Second, "arenas", No, "one arena"},
		{"much lives", profile(), time.Second, "prefault", Little, "64 MiB live at the peak: about 16,384 page faults"},
		{"little lives", change(func(p *Profile) { p.Peak = exact(9000) }), time.Second, "prefault", No,
			"At most 8.79 KiB"},
	} {
		f := finding(t, analysed(tt.p, tt.cpu), tt.part)
		if f.Applies != tt.applies || !strings.Contains(f.Says, tt.says) {
			t.Errorf("%s: %s %s: %s\nwant %s: …%s…", tt.name, tt.part, f.Applies, f.Says, tt.applies, tt.says)
		}
	}
}

func TestFindingsThatApplyComeFirst(t *testing.T) {
	seen := Yes
	for _, f := range analysed(profile(), time.Second).Findings {
		if f.Applies == Yes && seen != Yes || f.Applies == Little && seen == No {
			t.Errorf("%s (%s) stands after one that is %s", f.Part, f.Applies, seen)
		}
		seen = f.Applies
	}
}

func TestStudiedSizes(t *testing.T) {
	for _, tt := range []struct {
		from, to uint64
		want     string
	}{{16, 64, "16 32 64"}, {1, 4, "8"}, {8, 8, "8"}, {8, 1 << 30, "8 512 32768 2097152 134217728"},
		{64, 64 << 9, "64 256 1024 4096 16384"}} {
		if got := strings.Join(studied(tt.from, tt.to), " "); got != tt.want {
			t.Errorf("%d to %d: %s, want %s", tt.from, tt.to, got, tt.want)
		}
	}
}

func TestOverhead(t *testing.T) {
	without := []float64{1, 1.01, 0.99, 1.02, 1.005, 0.995}
	var with []float64
	for _, v := range without {
		with = append(with, v*1.1)
	}
	if o := MeasureOverhead(with, without); math.Abs(o.Ratio-1.1) > 0.01 || o.Lo < 1.05 || o.Hi > 1.15 || o.Runs != 6 {
		t.Errorf("%+v", o)
	}
	if o := MeasureOverhead(with[:3], without[:3]); o.Ratio == 0 || o.Hi != 0 {
		t.Errorf("of 3 runs: %+v, want no interval", o)
	}
	if o := MeasureOverhead([]float64{0}, []float64{0}); o.Ratio != 0 {
		t.Errorf("of no CPU time: %+v", o)
	}
}

func TestSeveralProcesses(t *testing.T) {
	child := profile()
	child.Calls = map[string]uint64{"malloc": 5e6, "free": 5e6}
	u := Analyse(Run{CPU: 2 * time.Second, Cores: 2},
		Processes{Profiles: []*Profile{profile(), child}})
	if u.Processes != 2 || u.Share != 0.5 || u.Rate != 1e7 {
		t.Errorf("%d processes, share %v, rate %v", u.Processes, u.Share, u.Rate)
	}
}
