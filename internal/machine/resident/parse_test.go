package resident

import (
	"strings"
	"testing"
)

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

func TestParse(t *testing.T) {
	all, err := Parse(strings.NewReader(recorded))
	if err != nil || len(all) != 2 {
		t.Fatalf("%d mappings, %v", len(all), err)
	}
	if m := all[0]; m.Name != "[anon: Go: heap]" || m.From != 0xc000000000 || m.Resident != 1<<20 || m.Share != 1000<<10 ||
		m.LazyFree != 64<<10 || m.Swap != 8<<10 || m.Mode != "rw-p" || m.Flags != "rd wr mr mw me ac sd" {
		t.Errorf("%+v", m)
	}
	if m := all[1]; m.Name != "/usr/lib/a name: with - colons.so" || m.Offset != 0x2000 || m.Share != 1024 {
		t.Errorf("%+v", m)
	}
	for _, bad := range []string{"Rss: 1 kB\n", "no mapping\n", "1-x rw-p 0 0 0\n"} {
		if _, err := Parse(strings.NewReader(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(recorded)
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = Parse(strings.NewReader(text))
		_, _ = residentOf([]byte(text))
	})
}
