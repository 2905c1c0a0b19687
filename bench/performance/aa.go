package main

import (
	"context"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"memcost/internal/base/proc"
	"memcost/internal/machine"
)

//go:embed testdata/ordinary/ordinary_test.go
var ordinaryFS embed.FS

// What both methods take of each benchmark and arm.
const (
	aaSamples    = 10
	aaSampleTime = "50ms"
	aaCases      = 7
	aaFull       = 30 // repetitions: 210 pairs
)

// An aa compares identical arms by both methods, alternating.
type aa struct {
	*bench
	pkg       string // folder of the benchmarks
	binary    string
	tool      string // benchstat
	setting   string // what a repetition depends on, hashed
	journal   *journal
	repeating int
}

// identicalArms runs each benchmark against itself: by two runs of go test one after the
// other and benchstat, then by memcost, and so on alternately, so that both methods meet
// the same states of the machine.
func (b *bench) identicalArms(ctx context.Context) error {
	x := &aa{bench: b, repeating: b.times(aaFull, 2)}
	if err := x.prepare(ctx); err != nil {
		return err
	}
	for i := 1; i <= x.repeating; i++ {
		for _, m := range []struct {
			name    string
			compare func(context.Context, string, *repetition) error
		}{{sequential, x.sequentially}, {interleaved, x.interleaved}} {
			if x.journal.has(i, m.name) {
				continue
			}
			r := repetition{Setting: x.setting, Number: i, Method: m.name,
				Begun: time.Now().UTC().Truncate(time.Second)}
			dir := filepath.Join(b.dir, "aa", fmt.Sprintf("%s-%03d-%s", r.Setting, i, m.name))
			var err error
			if err = os.RemoveAll(dir); err == nil {
				err = os.MkdirAll(dir, 0o777)
			}
			if err == nil {
				err = m.compare(ctx, dir, &r)
			}
			if err != nil {
				return fmt.Errorf("repetition %d, %s: %w (the same command goes on from here)", i, m.name, err)
			}
			if err := x.journal.add(r); err != nil {
				return err
			}
			b.logf("aa: %d/%d %-11s %d of %d called different, %.0f s", i, x.repeating, m.name,
				count(r.Pairs, isDifferent), len(r.Pairs), r.Seconds)
		}
	}
	x.print()
	return nil
}

// prepare writes the benchmarks and builds what will be run.
func (x *aa) prepare(ctx context.Context) error {
	err := x.writePackage()
	if err != nil {
		return err
	}
	if x.binary, err = x.build(ctx, x.pkg, "ordinary.test", "test", "-c", "."); err != nil {
		return err
	}
	if x.tool, err = x.benchstat(ctx); err != nil {
		return err
	}
	setting, err := x.hash()
	if err != nil {
		return err
	}
	x.setting = setting
	x.journal, err = openJournal(filepath.Join(x.dir, "aa.jsonl"), setting)
	if err == nil && len(x.journal.done) > 0 {
		x.logf("aa: %d comparisons are done already (%s)", len(x.journal.done), x.journal.path)
	}
	return err
}

// writePackage makes a module of the benchmarks.
func (x *aa) writePackage() error {
	x.pkg = filepath.Join(x.dir, "ordinary")
	source, err := ordinaryFS.ReadFile("testdata/ordinary/ordinary_test.go")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(x.pkg, 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(x.pkg, "ordinary_test.go"), source, 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(x.pkg, "go.mod"), []byte("module ordinary\n\ngo 1.22\n"), 0o666)
}

// hash returns a short hash of everything that a repetition depends on.
func (x *aa) hash() (string, error) {
	fp, err := machine.ReadFingerprint("")
	if err != nil {
		return "", fmt.Errorf("reading what this machine is: %w", err)
	}
	return hashOf([]string{x.memcost, x.binary, x.tool}, aaSamples, aaSampleTime, fp.ID())
}

// sequentially takes the samples in the usual way: all samples of one arm, then all of
// the other.
func (x *aa) sequentially(ctx context.Context, dir string, r *repetition) error {
	args := []string{"-format", "csv", "-filter", ".unit:sec/op"}
	for _, name := range []string{"first.txt", "second.txt"} {
		res, err := x.do(ctx, proc.Cmd{Path: x.binary, Dir: x.pkg, Args: []string{"-test.run=^$", "-test.bench=.",
			"-test.count=" + strconv.Itoa(aaSamples), "-test.benchtime=" + aaSampleTime}})
		if err != nil {
			return err
		}
		r.Seconds += res.Wall.Seconds()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, res.Stdout, 0o666); err != nil {
			return err
		}
		args = append(args, path)
	}
	res, err := x.do(ctx, proc.Cmd{Path: x.tool, Args: args})
	if err != nil {
		return err
	}
	r.Pairs, err = parseBenchstat(res.Stdout)
	return err
}

// interleaved takes the samples with memcost, with an unused environment variable as the
// difference between the arms.
func (x *aa) interleaved(ctx context.Context, dir string, r *repetition) error {
	res, err := x.do(ctx, proc.Cmd{Path: x.memcost, Dir: x.pkg, Limit: 16 << 20, Args: []string{"run", ".",
		"--vary", "MEMCOST_AA=1", "--rounds", strconv.Itoa(aaSamples), "--sample", aaSampleTime, "--no-guards",
		"--json", "--results", dir}})
	if err != nil {
		return err
	}
	a, err := parseAnswer(res.Stdout)
	if err != nil {
		return err
	}
	r.Pairs, r.Seconds, r.Unfit = a.pairs(), res.Wall.Seconds(), a.Unfit
	return nil
}

func (x *aa) print() {
	x.printf("### False alarms on identical configurations\n\n")
	x.commands(
		fmt.Sprintf("go test -c; ordinary.test -test.bench=. -test.count=%d -test.benchtime=%s    twice, one after "+
			"the other; benchstat first.txt second.txt", aaSamples, aaSampleTime),
		fmt.Sprintf("memcost run . --vary MEMCOST_AA=1 --rounds %d --sample %s --no-guards", aaSamples, aaSampleTime))
	seq, inter := x.journal.of(sequential, x.repeating), x.journal.of(interleaved, x.repeating)
	x.printf("%d ordinary benchmarks, each against itself; %d repetitions of both methods in turns, in the same "+
		"session.\n\n", aaCases, x.repeating)
	x.printf("%s\n", alarmTable(seq, inter))
	x.printf("%s\n", alarmsByCase(seq, inter))
	x.printf(`Intervals: Clopper–Pearson at 95%%, as if pairs were independent; those of one repetition share the
machine's mood. "Different" is benchstat's p ≤ 0.05, and a confidence sequence of memcost's at α = 0.05 that
excludes 1 (or every value), which may be looked at after each round; "changed" asks for more than 1%% after
e-BH. memcost draws a random link for each arm and round; benchstat's two files come from one binary.
`)
	unfit := 0
	for _, r := range inter {
		if r.Unfit {
			unfit++
		}
	}
	if unfit > 0 {
		x.printf("\nIn %d of the repetitions memcost calls the machine unfit: so many rounds met the rule for "+
			"exclusion that it excludes none.\n", unfit)
	}
	if missing := aaCases*len(inter) - len(first(all(inter))); missing > 0 {
		x.printf("\n%d of memcost's pairs have no figure: no round of theirs counts, or the case failed.\n", missing)
	}
}

func first(pairs []pair, _, _ []float64) []pair { return pairs }
