package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"memcost/internal/machine"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
	"memcost/internal/method/series"
	"memcost/internal/study/language"
	"memcost/study"
)

// A madeCase is a case of a made-up run: what it costs.
type madeCase struct {
	name               string
	sec, bytes, allocs float64 // per op
	size               float64 // bytes that an op moves, for MB/s; 0 prints none
	n                  int64
	group              int
}

// madeCases returns 60 cases of the study stackheap, whose costs are of the order of
// those on an ordinary server.
func madeCases() []madeCase {
	var cs []madeCase
	add := func(group int, sec, bytes, allocs, size float64, format string, args ...any) {
		cs = append(cs, madeCase{name: fmt.Sprintf(format, args...) + "-2", sec: sec, bytes: bytes, allocs: allocs,
			size: size,
			n:    max(int64(plan.QuickSample.Seconds()/sec), 1), group: group})
	}
	add(0, 1e-9, 0, 0, 0, "Bilbo/place=stack")
	add(0, 12e-9, 16, 1, 0, "Bilbo/place=heap")
	group := 1
	for size := 1024.0; size <= 1<<20; size, group = 2*size, group+1 {
		copied := size * 10e-12
		add(group, copied, 0, 0, size, "Copy/size=%.0f", size)
		add(group, 0.6*copied, 0, 0, size, "Read/size=%.0f", size)
		add(group, 0.5*copied, 0, 0, size, "Write/size=%.0f", size)
		add(group, 2.2*copied, 0, 0, 0, "Smaug/place=stack/size=%.0f", size)
		add(group, 6*copied+100e-9, size, 1, 0, "Smaug/place=heap/size=%.0f", size)
	}
	add(group, 0.26e-9, 0, 0, 0, "Empty")
	group++
	add(group, 9e-9, 0, 0, 0, "Thorin/pass=array/size=64")
	add(group, 48e-9, 64, 1, 0, "Thorin/pass=pointer/size=64")
	return cs
}

// writeRun makes a run folder of the shipped study: one arm, so many rounds of
// the cases. The same arguments give the same bytes.
func writeRun(dir string, cases []madeCase, rounds int) error {
	st, err := language.ReadDir(study.FS, "stackheap")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	f, err := store.Create(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.WriteQuestion(madeQuestion(st, cases)); err != nil {
		return err
	}
	samples, err := os.Create(filepath.Join(dir, store.SamplesFile))
	if err != nil {
		return err
	}
	defer samples.Close()
	w := bufio.NewWriterSize(samples, 1<<20)
	if err := writeSamples(w, cases, rounds); err != nil {
		return fmt.Errorf("writing %s: %w", samples.Name(), err)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("writing %s: %w", samples.Name(), err)
	}
	return samples.Close()
}

// madeArm is the name of the arm, and of its toolchain.
const madeArm = "go1.26.8"

// layouts is how many links each side has.
const layouts = 12

func madeQuestion(st *language.Study, cases []madeCase) *plan.Question {
	q := &plan.Question{
		Format: plan.Format, Tool: "memcost 0.0.0", Created: time.Date(2026, 11, 21, 10, 15, 30, 0, time.UTC),
		Command: []string{"memcost", "run", "stackheap"},
		Machine: machine.Fingerprint{Hostname: "made-up", OS: "linux", Arch: "amd64", CPUModel: "made up", CPUs: 2,
			MemoryBytes: 8 << 30},
		Plan: plan.Plan{
			Options: plan.Options{Profile: "quick", Seed: 1, Alpha: plan.Alpha, Precision: plan.QuickPrecision,
				Sample: plan.QuickSample, Layouts: layouts},
			Sides: []plan.Side{{Name: madeArm, Toolchain: madeArm}},
			Studies: []plan.Study{{Name: "stackheap", Pkg: "memcost/study/stackheap", Shipped: true,
				Directives: st.Directives, Show: st.Show}},
		},
		Builds: []plan.Build{{Layouts: []uint64{1, 2, 3, 4}, FloatAllocs: true}},
	}
	for _, c := range cases {
		q.Plan.Cases = append(q.Plan.Cases, plan.Case{Name: c.name, Base: c.name[:len(c.name)-2], Procs: 2, N: c.n,
			Group: c.group, Estimate: c.sec, Short: c.sec})
	}
	return q
}

// writeSamples writes the lines as a run does: rounds in which the groups, and
// the cases inside them, come in random order, each sample with all its units.
func writeSamples(w io.Writer, cases []madeCase, rounds int) error {
	header := "goos: linux\ngoarch: amd64\ncpu: made up\nmachine: made-up\n" + series.KeyStudy + ": stackheap\n" +
		series.KeyPkg + ": memcost/study/stackheap\n" +
		series.KeySide + ": " + madeArm + "\n" + series.KeyToolchain + ": " + madeArm + "\n\n"
	if _, err := io.WriteString(w, header); err != nil {
		return err
	}
	var groups [][]madeCase
	for _, c := range cases {
		for len(groups) <= c.group {
			groups = append(groups, nil)
		}
		groups[c.group] = append(groups[c.group], c)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	mood := 0.0 // of the machine, in units of ln(time); it drifts
	var line []byte
	for round := range rounds {
		mood = 0.9*mood + 0.02*rng.NormFloat64()
		order := 0
		for _, g := range rng.Perm(len(groups)) {
			members := slices.Clone(groups[g])
			rng.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
			for _, c := range members {
				line = appendSample(line[:0], c, c.sec*math.Exp(mood+0.03*rng.NormFloat64()), round, order, rng)
				if _, err := w.Write(line); err != nil {
					return err
				}
				order++
			}
		}
	}
	return nil
}

// appendSample appends the line of one sample. One in 200 shows so much of other
// processes that its round does not count.
func appendSample(line []byte, c madeCase, sec float64, round, order int, rng *rand.Rand) []byte {
	field := func(v float64, precision int, unit string) {
		line = append(line, ' ')
		line = strconv.AppendFloat(line, v, 'g', precision, 64)
		line = append(append(line, ' '), unit...)
	}
	exact := func(v int, unit string) {
		line = append(line, ' ')
		line = strconv.AppendInt(line, int64(v), 10)
		line = append(append(line, ' '), unit...)
	}
	loop := sec * float64(c.n)
	line = append(append(line, "Benchmark"...), c.name...)
	line = strconv.AppendInt(append(line, ' '), c.n, 10)
	field(sec*1e9, 6, "ns/op")
	if c.size > 0 {
		field(c.size/sec/1e6, 7, "MB/s")
	}
	field(c.bytes, 6, "B/op")
	field(c.allocs, 6, "allocs/op")
	exact(int(c.bytes*float64(c.n)/4e6), "gc-cycles")
	field(c.allocs*loop*0.02*1e9, 6, "gc-pause-ns")
	field(c.allocs*0.1, 6, "gc-cpu-share")
	exact(6_000_000+rng.IntN(1<<18), series.UnitRSS)
	field(loop*(0.9+0.1*rng.Float64()), 6, series.UnitUser)
	field(0.004*rng.Float64(), 4, series.UnitSys)
	exact(900+rng.IntN(99), series.UnitMinorFaults)
	exact(0, series.UnitMajorFaults)
	exact(180+rng.IntN(60), series.UnitVoluntary)
	exact(rng.IntN(60), series.UnitInvoluntary)
	field(loop+0.007+0.002*rng.Float64(), 9, series.UnitWall)
	exact(0, series.UnitSteal)
	foreign := 0.008 * rng.Float64()
	if rng.IntN(200) == 0 {
		foreign = loop / 2
	}
	field(foreign, 6, series.UnitForeign)
	field(0.01*rng.Float64(), 16, series.UnitPSICPU)
	exact(0, series.UnitPSIMemory)
	exact(0, series.UnitPSIIO)
	exact(round, series.UnitRound)
	exact(order, series.UnitOrder)
	exact(rng.IntN(layouts), series.UnitLayout)
	exact(rng.IntN(4096), series.UnitPadding)
	return append(line, '\n')
}
