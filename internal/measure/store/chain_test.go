package store

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
)

// written returns a samples.txt of several sides, and its samples as text, each with its configuration.
func written(t *testing.T, blocks int) (text []byte, samples []string) {
	t.Helper()
	f := create(t)
	for i := range blocks {
		s := sample([]string{"a", "b", "c"}[i%3], i)
		s.Config = slices.Concat([]benchfmt.Config{{Key: "goos", Value: []byte("linux"), File: true}}, s.Config)
		if i%5 == 0 {
			s.Config = append(s.Config, benchfmt.Config{Key: "role", Value: []byte("A'"), File: true})
		}
		if err := f.Append(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(f.Dir, SamplesFile))
	if err != nil {
		t.Fatal(err)
	}
	samples, warnings := samplesIn(t, text)
	if len(samples) != blocks || len(warnings) > 0 {
		t.Fatalf("%d of %d samples are read, %v", len(samples), blocks, warnings)
	}
	return text, samples
}

// samplesIn reads a samples.txt in a folder.
func samplesIn(t *testing.T, text []byte) (samples []string, warnings []error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, SamplesFile), text, 0o666); err != nil {
		t.Fatal(err)
	}
	warnings, err := ReadSamples(dir, func(r *benchfmt.Result) error {
		samples = append(samples, textOf(r))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return samples, warnings
}

func textOf(r *benchfmt.Result) string {
	text := fmt.Sprintf("%s %d", r.Name, r.Iters)
	for _, v := range r.Values {
		text += fmt.Sprintf(" %v %s", v.Value, v.Unit)
	}
	var config []string
	for _, c := range r.Config {
		config = append(config, c.Key+"="+string(c.Value))
	}
	slices.Sort(config)
	return text + " " + strings.Join(config, " ")
}

// Whatever single bit flips, no sample is read that was not written, and what is missing is named.
func TestNoBitFlipsUnseen(t *testing.T) {
	text, want := written(t, 40)
	step := 7 // of a word's bits each comes up
	if os.Getenv("MEMCOST_LONG") != "" {
		step = 1
	}
	for at := 0; at < 8*len(text); at += step {
		bad := bytes.Clone(text)
		bad[at/8] ^= 1 << (at % 8)
		r := bytes.NewReader(bad)
		var got []string
		warnings, err := read(r, "f.txt", false, func(r *benchfmt.Result) error {
			got = append(got, textOf(r))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		where := fmt.Sprintf("bit %d of %q", at%8, text[max(at/8-20, 0):min(at/8+20, len(text))])
		if missing := lost(got, want); missing < 0 || missing > 2*blocksAtOnce {
			t.Errorf("%s: %d samples of %d, one of which was not written", where, len(got), len(want))
		} else if len(warnings) == 0 && missing > 0 {
			t.Errorf("%s: %d samples are missing without a word", where, missing)
		}
		// A flip in what no reader reads, the first check, may pass: all samples are there.
	}
}

// lost returns how many of the samples that were written are not among those that were read, and -1 where one was
// read that was not written, or in another order, or twice.
func lost(got, want []string) int {
	at := 0
	for _, s := range got {
		i := slices.Index(want[at:], s)
		if i < 0 {
			return -1
		}
		at += i + 1
	}
	return len(want) - len(got)
}

// mutations are what can become of a text on its way.
var mutations = []struct {
	name   string
	change func(r *rand.Rand, lines [][]byte) [][]byte
}{
	{"a line is lost", func(r *rand.Rand, l [][]byte) [][]byte { i := r.IntN(len(l)); return slices.Delete(l, i, i+1) }},
	{"a line is doubled", func(r *rand.Rand, l [][]byte) [][]byte { i := r.IntN(len(l)); return slices.Insert(l, i, l[i]) }},
	{"two lines change places", func(r *rand.Rand, l [][]byte) [][]byte {
		i, j := r.IntN(len(l)), r.IntN(len(l))
		l[i], l[j] = l[j], l[i]
		return l
	}},
	{"a foreign line", func(r *rand.Rand, l [][]byte) [][]byte {
		foreign := []string{"arm: b\n", "BenchmarkX/size=8-2 100 3 ns/op 1 round\n", "role:\n", "\n", first.String()}
		return slices.Insert(l, r.IntN(len(l)), []byte(foreign[r.IntN(len(foreign))]))
	}},
	{"some lines are lost", func(r *rand.Rand, l [][]byte) [][]byte {
		i := r.IntN(len(l))
		return slices.Delete(l, i, min(i+1+r.IntN(20), len(l)))
	}},
	{"some lines are doubled", func(r *rand.Rand, l [][]byte) [][]byte {
		i := r.IntN(len(l))
		return slices.Insert(l, i, slices.Clone(l[i:min(i+1+r.IntN(20), len(l))])...)
	}},
	{"the end is lost", func(r *rand.Rand, l [][]byte) [][]byte {
		l = l[:1+r.IntN(len(l)-1)]
		last := l[len(l)-1]
		l[len(l)-1] = last[:r.IntN(len(last)+1)]
		return l
	}},
	{"zeros", func(r *rand.Rand, l [][]byte) [][]byte {
		i := r.IntN(len(l))
		l[i] = make([]byte, len(l[i]))
		return l
	}},
	{"bits flip", func(r *rand.Rand, l [][]byte) [][]byte {
		for range 1 + r.IntN(4) {
			if i := r.IntN(len(l)); len(l[i]) > 0 {
				l[i][r.IntN(len(l[i]))] ^= 1 << r.IntN(8)
			}
		}
		return l
	}},
}

// Of a samples.txt that was damaged in any of many ways, every sample that is read is one that was written, in its
// order and once. A part behind the first check alone may be lost in silence: its end, at the border of a block.
func TestDamagedSamples(t *testing.T) {
	text, want := written(t, 60)
	seed := uint64(20261124)
	n := 2000
	if os.Getenv("MEMCOST_LONG") != "" {
		n = 10_000
	}
	r := rand.New(rand.NewPCG(seed, 0))
	silent := 0
	for i := range n {
		m := mutations[i%len(mutations)]
		var lines [][]byte
		for l := range bytes.Lines(text) {
			lines = append(lines, bytes.Clone(l))
		}
		bad := bytes.Join(m.change(r, lines), nil)
		var got []string
		warnings, err := read(bytes.NewReader(bad), "f.txt", false, func(r *benchfmt.Result) error {
			got = append(got, textOf(r))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		missing := lost(got, want)
		atEnd := len(got) <= len(want) && slices.Equal(got, want[:len(got)])
		switch {
		case missing < 0 && len(warnings) == 0:
			t.Errorf("try %d of seed %d, %s: a sample that was not written, without a word", i, seed, m.name)
		case missing < 0:
			named := errors.Join(warnings...).Error()
			if !strings.Contains(named, "count all the same") { // before the first check
				t.Errorf("try %d of seed %d, %s: a sample that was not written: %s", i, seed, m.name, named)
			}
		case missing > 0 && len(warnings) == 0 && !atEnd:
			t.Errorf("try %d of seed %d, %s: %d samples are missing without a word", i, seed, m.name, missing)
		case missing > 0 && len(warnings) == 0:
			silent++
		}
	}
	t.Logf("%d tries, %d of which ended at the border of a block", n, silent)
}

// Files that stand one behind the other are read as they are, where a file is given by name.
func TestSeveralFiles(t *testing.T) {
	text, want := written(t, 7) // the last one has a role less than the first
	var got []string
	warnings, err := Read(bytes.NewReader(slices.Concat(text, text)), "f.txt", func(r *benchfmt.Result) error {
		got = append(got, textOf(r))
		return nil
	})
	if err != nil || len(warnings) > 0 || !slices.Equal(got, slices.Concat(want, want)) {
		t.Errorf("%d samples of %d, %v, %v", len(got), 2*len(want), warnings, err)
	}
}

// A run of a memcost that made no checks goes on with them.
func TestChecksBehindOldLines(t *testing.T) {
	text, want := written(t, 10)
	var old []byte
	for l := range bytes.Lines(text) {
		if _, is := checkIn(l); !is {
			old = append(old, l...)
		}
	}
	f := create(t)
	f.Close()
	path := filepath.Join(f.Dir, SamplesFile)
	if err := os.WriteFile(path, old, 0o666); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		f, err := Open(f.Dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Append(sample("z", 100+i)); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	text, _ = os.ReadFile(path)
	got, warnings := samplesIn(t, text)
	if len(got) != len(want)+2 || !slices.Equal(got[:len(want)], want) || len(warnings) > 0 {
		t.Errorf("%d samples, %v", len(got), warnings)
	}
	if strings.Contains(got[len(got)-1], "role") || strings.Contains(got[len(got)-1], "goos") {
		t.Errorf("configuration of before is in force: %s", got[len(got)-1])
	}
	text[10] ^= 1
	if _, warnings = samplesIn(t, text); len(warnings) == 0 {
		t.Error("damage to the old lines is not named")
	}
}

// A block that did not fit on the disk leaves no trace, and the next one fits to what is there.
func TestAppendAfterAFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("needs /dev/full")
	}
	f := create(t)
	for i := range 6 {
		good := f.samples
		if i%2 == 1 {
			full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer full.Close()
			f.samples = full
		}
		err := f.Append(sample(fmt.Sprint("side", i), i))
		if f.samples = good; (err != nil) != (i%2 == 1) {
			t.Fatal(err)
		}
	}
	if got, warnings := rounds(t, f.Dir); fmt.Sprint(got) != "[side00 side22 side44]" || len(warnings) > 0 {
		t.Errorf("read %v, %v", got, warnings)
	}
}
