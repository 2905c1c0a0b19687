package resident

import "testing"

const recorded = `c000000000-c000400000 rw-p 00000000 00:00 0                              [anon: Go: heap]
Size:               4096 kB
KernelPageSize:        4 kB
Rss:                1024 kB
Pss:                1000 kB
Private_Dirty:      1024 kB
Anonymous:          1020 kB
LazyFree:             64 kB
AnonHugePages:         0 kB
Swap:                  8 kB
SwapPss:               4 kB
VmFlags: rd wr mr mw me ac sd
7f0000000000-7f0000001000 r--p 00002000 fd:00 131 /usr/lib/a name: with - colons.so
Rss:                   4 kB
Pss:                   1 kB
VmFlags: rd mr
`

func TestSizes(t *testing.T) {
	sum, err := sizesOf(recorded)
	if want := (Sizes{Resident: 1<<20 + 4<<10, Share: 1001 << 10, SwapShare: 4 << 10}); err != nil || sum != want {
		t.Errorf("%+v, %v, want %+v", sum, err, want)
	}
	for _, bad := range []string{"", "Pss: 1 kB\n", "Rss: x kB\n", "Rss: -1 kB\n", "no mapping\n"} {
		if sum, err := sizesOf(bad); err == nil {
			t.Errorf("%q was read: %+v", bad, sum)
		}
	}
}

func FuzzSizes(f *testing.F) {
	f.Add(recorded)
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = sizesOf(text)
		_, _ = residentOf([]byte(text))
	})
}
