package session

import (
	"bytes"
	"crypto/sha256"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memcost/internal/base/hint"
	"memcost/internal/measure/plan"
	"memcost/internal/method/series"
)

func TestSidesOfLines(t *testing.T) {
	library := filepath.Join(t.TempDir(), "lib.so")
	if err := os.WriteFile(library, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want []plan.Side
	}{
		{[]string{"./a  x", "./b"}, []plan.Side{{Name: "./a x", Command: "./a  x"}, {Name: "./b", Command: "./b"}}},
		{[]string{"./a", "./a"}, []plan.Side{{Name: "./a", Command: "./a"}, {Name: "./a (2)", Command: "./a"}}},
		{[]string{"./a", "A=1  B=2"}, []plan.Side{{Name: "./a", Command: "./a"},
			{Name: "A=1 B=2", Command: "./a", Env: []string{"A=1", "B=2"}}}},
		{[]string{"LD_PRELOAD=" + library, "./a"}, []plan.Side{{Name: "./a", Command: "./a"},
			{Name: "LD_PRELOAD=" + library, Command: "./a", Env: []string{"LD_PRELOAD=" + library}}}},
	} {
		got, err := sidesOfLines(c.args)
		if err != nil || !slices.EqualFunc(got, c.want, func(a, b plan.Side) bool {
			return a.Name == b.Name && a.Command == b.Command && slices.Equal(a.Env, b.Env)
		}) {
			t.Errorf("%q: %+v, %v; want %+v", c.args, got, err, c.want)
		}
	}
	for _, bad := range [][]string{nil, {"A=1"}, {"./a"}, {"./a", "./b", "A=1"}, {"./a", "M_TOP_PAD=0"},
		{"./a", "LD_PRELOAD=libnowhere.so.9"}, {"./a", "./b 'c"}} {
		if got, err := sidesOfLines(bad); !hint.IsUsage(err) {
			t.Errorf("%q: %+v, %v; want a usage error", bad, got, err)
		}
	}
}

// A program is looked up from the folder in which the comparison was begun.
func TestTargetOf(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tool"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=" + dir + string(filepath.ListSeparator) + os.Getenv("PATH")}
	for _, text := range []string{"./tool 'a b'", "tool 'a b'", filepath.Join(dir, "tool") + " 'a b'"} {
		got, shell, err := targetOf(text, dir, env)
		if err != nil || shell || got.Path != filepath.Join(dir, "tool") || !slices.Equal(got.Args, []string{"a b"}) {
			t.Errorf("%s: %+v, %v, %v", text, got, shell, err)
		}
	}
	got, shell, err := targetOf("A=1 tool", dir, env)
	if err != nil || shell || !slices.Contains(got.Env, "A=1") || len(env) != 1 {
		t.Errorf("%+v, %v, %v", got, shell, err)
	}
	got, shell, err = targetOf("./tool | cat", dir, env)
	if err != nil || !shell || !slices.Equal(got.Args, []string{"-c", "./tool | cat"}) {
		t.Errorf("%+v, %v, %v", got, shell, err)
	}
	for _, missing := range []string{"./nowhere", "nowhere-at-all", "./"} {
		if _, _, err := targetOf(missing, dir, env); !hint.IsUsage(err) {
			t.Errorf("%s: %v", missing, err)
		}
	}
}

// What is printed is hashed whole, and its end is kept.
func TestPrinted(t *testing.T) {
	sum := func(text string) (size, hash float64, end []byte) {
		x := &printed{hash: sha256.New(), buffer: make([]byte, 1000)}
		x.read(strings.NewReader(text))
		for _, v := range x.values() {
			switch v.Unit {
			case series.UnitOutput:
				size = v.Value
			case series.UnitOutputHash:
				hash = v.Value
			}
		}
		return size, hash, x.end
	}
	long := strings.Repeat("0123456789", 10_000)
	size, hash, end := sum(long)
	if size != 100_000 || len(end) != keptOutput || !bytes.HasSuffix([]byte(long), end) ||
		hash != float64(uint64(hash)) || hash >= 1<<52 {
		t.Errorf("%v bytes, hash %v, %d bytes kept", size, hash, len(end))
	}
	if _, other, _ := sum(long[1:] + "1"); other == hash {
		t.Error("another text has the same hash")
	}
	if size, _, end := sum(""); size != 0 || len(end) != 0 {
		t.Errorf("of nothing, %v bytes and %q", size, end)
	}
}
