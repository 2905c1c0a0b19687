package proc

import (
	"slices"
	"strings"
	"testing"
)

func TestCleanEnv(t *testing.T) {
	base := []string{
		"PATH=/bin", "HOME=/h", "GOFLAGS=-mod=vendor", "GOTOOLCHAIN=local", "GOROOT=/r", "GODEBUG=x=1", "GOGC=off",
		"GOMEMLIMIT=1GiB", "GOMAXPROCS=1", "GOEXPERIMENT=arenas", "GOENV=/file", "GOPROXY=corp", "GOSUMDB=off",
		"GOPATH=/p", "GOMODCACHE=/m", "GOCACHE=/c", "https_proxy=p", "A=first", "A=second", "=odd=1", "junk",
	}
	want := []string{
		"PATH=/b", "HOME=/h", "GOENV=/file", "GOPROXY=corp", "GOSUMDB=off",
		"GOPATH=/p", "GOMODCACHE=/m", "GOCACHE=/c", "A=second", "=odd=1", "GOGC=50", "B=x=y",
	}
	before := slices.Clone(base)
	got := CleanEnv(base, "PATH=/b", "GOGC=100", "GOGC=50", "https_proxy", "B=x=y")
	if !slices.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), strings.Join(want, " "))
	}
	if !slices.Equal(base, before) {
		t.Error("the base was changed")
	}
}

func TestClipKeepsBothEnds(t *testing.T) {
	const text = "abcdefghijklmnopqrstuvwxyz"
	for size := range len(text) + 1 {
		for _, step := range []int{1, 3, 26} {
			c := newClip(10)
			for rest := text[:size]; rest != ""; {
				n := min(step, len(rest))
				c.Write([]byte(rest[:n]))
				rest = rest[n:]
			}
			kept, lost := c.bytes()
			if size <= 10 {
				if string(kept) != text[:size] || lost != 0 {
					t.Errorf("%d bytes in steps of %d: kept %q, lost %d", size, step, kept, lost)
				}
				continue
			}
			if lost != int64(size-10) || !strings.HasPrefix(string(kept), "abcde\n[") ||
				!strings.HasSuffix(string(kept), "]\n"+text[size-5:size]) {
				t.Errorf("%d bytes in steps of %d: kept %q, lost %d", size, step, kept, lost)
			}
		}
	}
}
