package gccost

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// Both ways make the same values, and nothing of it is optimised away.
func TestSums(t *testing.T) {
	const n = 1000
	if c, p, want := Copies(n), Pointers(n), n*(n-1)/2; c != want || p != want {
		t.Errorf("%d values by copy and by pointer sum up to %d and %d, want %d", n, c, p, want)
	}
	if v, p := createCopy(7), createPointer(7); v != *p || v.A != 7 || v.F != "GHI" || !v.I {
		t.Errorf("by copy %+v, by pointer %+v", v, *p)
	}
}

// allocated returns how many objects and bytes f allocates, and how often the collector
// ran.
func allocated(f func()) (objects, bytes uint64, cycles uint32) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc, after.NumGC - before.NumGC
}

func TestAllocations(t *testing.T) {
	const n = 100000
	// The runtime may make a few objects of its own meanwhile.
	if objects, _, _ := allocated(func() { Copies(n) }); objects > n/100 {
		t.Errorf("%d copies make %d objects, want none", n, objects)
	}
	objects, bytes, _ := allocated(func() { Pointers(n) })
	if objects < n || objects > n+n/100 || bytes < 80*n || bytes > 81*n {
		t.Errorf("%d pointers make %d objects of %d bytes, want one of 80 each", n, objects, bytes)
	}
}

// The settings act while they are set, and not longer.
func TestSettings(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	cycles := func() uint32 {
		debug.FreeOSMemory()
		_, _, c := allocated(func() { Pointers(300000) }) // 24 MB
		return c
	}
	var off, small, large uint32
	withGOGC("off", func() { off = cycles() })
	withGOGC("50", func() { small = cycles() })
	withGOGC("400", func() { large = cycles() })
	if off != 0 || large < 1 || small <= large {
		t.Errorf("24 MB of garbage are collected %d times with GOGC=off, %d times with 400, %d times with 50", off,
			large, small)
	}
	if now := debug.SetGCPercent(100); now != 100 {
		t.Errorf("GOGC=%d is left behind, it was 100", now)
	}
	if setMemoryLimit == nil {
		return // before Go 1.19
	}
	defer setMemoryLimit(setMemoryLimit(16 << 20))
	withGOGC("off", func() { off = cycles() })
	if off == 0 {
		t.Error("24 MB of garbage are never collected under a limit of 16 MiB")
	}
}

// What measure reports is what happened in its timed parts: the collections that
// it forces between them are left out.
func TestMeasure(t *testing.T) {
	if testing.Short() {
		t.Skip("takes twice the -benchtime")
	}
	r := testing.Benchmark(func(b *testing.B) {
		withGOGC("off", func() { measure(b, Pointers, 10000, true) })
	})
	if got := r.Extra["NumGC/op"]; got != 0 {
		t.Errorf("%g collections in each operation without the collector", got)
	}
	r = testing.Benchmark(func(b *testing.B) {
		withGOGC("50", func() { measure(b, Pointers, 200000, true) })
	})
	cycles, stops := r.Extra["NumGC/op"], r.Extra["STW/op"]
	if cycles < 1 || r.Extra["GC-pause-ns/op"] <= 0 {
		t.Errorf("16 MB with GOGC=50: %v", r.Extra)
	}
	if _, known := r.Extra["STW/op"]; known && (stops < 1.5*cycles || stops > 4*cycles) {
		t.Errorf("%g collections stop the world %g times, want two or so each", cycles, stops)
	}
}
