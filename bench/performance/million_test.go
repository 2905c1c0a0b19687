package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/measure/store"
	"memcost/internal/method/series"
)

// What is made up must pass for a run: memcost reads it without a warning, and
// the claims of the study find their cases.
func TestWriteRun(t *testing.T) {
	const rounds = 40
	dir := filepath.Join(t.TempDir(), "run")
	cases := madeCases()
	if len(cases) != 60 {
		t.Errorf("%d cases, want 60", len(cases))
	}
	if err := writeRun(dir, cases, rounds); err != nil {
		t.Fatal(err)
	}
	a := readAnswer(t, dir)
	if a.Rounds != rounds || a.Samples != rounds*len(cases) {
		t.Errorf("%d rounds, %d samples", a.Rounds, a.Samples)
	}
	if d := a.Disturbed; !(d > 0 && d < 0.1) || a.Unfit {
		t.Errorf("%.3f of the rounds are disturbed: some percent were meant", d)
	}
	s := a.Studies[0]
	if len(s.Cases) != len(cases) {
		t.Errorf("%d cases, want %d", len(s.Cases), len(cases))
	}
	judged := 0
	for _, c := range s.Claims {
		if v := c.Verdicts[0].Status; v == "holds" || v == "fails" {
			judged++
		}
	}
	if judged < len(s.Claims)/2 || judged == 0 {
		t.Errorf("only %d of %d claims are judged", judged, len(s.Claims))
	}
}

// Each sample holds the units of a real one, and the same call the same bytes.
func TestWriteSamples(t *testing.T) {
	var first, second bytes.Buffer
	for _, w := range []*bytes.Buffer{&first, &second} {
		if err := writeSamples(w, madeCases(), 3); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two runs differ")
	}
	next := map[string]float64{}
	n := 0
	warnings, err := store.Read(&first, "made", func(r *benchfmt.Result) error {
		n++
		if len(r.Values) < 23 || r.GetConfig(series.KeySide) != madeArm {
			t.Errorf("%s has %d values and arm %q", r.Name, len(r.Values), r.GetConfig(series.KeySide))
		}
		if round, _ := r.Value(series.UnitRound); round != next[string(r.Name)] {
			t.Errorf("%s: round %v, want %v", r.Name, round, next[string(r.Name)])
		}
		next[string(r.Name)]++
		wall, _ := r.Value(series.UnitWall)
		sec, _ := r.Value("sec/op")
		if loop := sec * float64(r.Iters); !(loop > 0 && wall > loop && wall < loop+0.01) {
			t.Errorf("%s: loop %v s in a process of %v s", r.Name, loop, wall)
		}
		return nil
	})
	if err != nil || len(warnings) > 0 || n != 180 {
		t.Errorf("%d samples, %v, %v", n, warnings, err)
	}
}

func TestUsage(t *testing.T) {
	dir := t.TempDir()
	text := "study: s\narm: a\n\n" +
		"BenchmarkX 1000000 100 ns/op 0.102 wall-sec 0 round\n" +
		"BenchmarkY 10 10000000 ns/op 0.110 wall-sec 0 round\n" +
		"BenchmarkX 1000000 100 ns/op 0.104 wall-sec 1 round\n" +
		"failed: exit status 2\n\nBenchmarkY 10 1 failed 0.05 wall-sec 1 round\n"
	if err := os.WriteFile(filepath.Join(dir, store.SamplesFile), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	u, err := readUsage(dir)
	if err != nil {
		t.Fatal(err)
	}
	near := func(got, want float64) bool { return got > want-1e-9 && got < want+1e-9 }
	if u.samples != 4 || !near(u.loops, 0.3) || !near(u.processes, 0.366) {
		t.Errorf("%d samples, loops %v, processes %v", u.samples, u.loops, u.processes)
	}
	o := u.overheads()
	if len(o) != 2 || o[0].name != "Y" || !near(o[0].median, 0.03) || !near(o[0].share, 0.06/0.066) ||
		!near(o[1].median, 0.003) {
		t.Errorf("%+v", o)
	}
	if _, err := readUsage(t.TempDir()); err == nil {
		t.Error("a folder without samples passes")
	}
}

func TestReadingTable(t *testing.T) {
	rows := readingTable([]string{"memcost", "other"}, []reading{
		{walls: []float64{1, 2, 3}, cpus: []float64{1, 1, 1}, peaks: []float64{10 << 20, 10 << 20, 10 << 20}},
		{walls: []float64{2, 2, 2}, cpus: []float64{4, 2, 2}, peaks: []float64{20 << 20, 20 << 20, 20 << 20},
			atMost: true},
	})
	for _, want := range []string{"2.00 s", "1.00 (0.500 to 1.50)", "0.500 (0.250 to 0.500)", " at most 20.0 MiB |",
		"| 10.0 MiB |"} {
		if !bytes.Contains([]byte(rows), []byte(want)) {
			t.Errorf("no %q in\n%s", want, rows)
		}
	}
}
