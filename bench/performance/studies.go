package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"memcost/internal/base/proc"
	"memcost/internal/base/units"
	"memcost/internal/measure/plan"
	"memcost/internal/method/claim"
	"memcost/internal/method/stat"
)

// A seedRun is a run of all studies with one seed: what it decided in which time.
type seedRun struct {
	Seed     int     `json:"seed"`
	Whole    float64 `json:"whole"`    // seconds of the command
	Prepared float64 `json:"prepared"` // seconds of it before the first sample
	Rounds   int     `json:"rounds"`
	Samples  int     `json:"samples"`
	Unfit    bool    `json:"unfit"`
	Holds    int     `json:"holds"`
	Fails    int     `json:"fails"`
	NotDone  int     `json:"not_tested"`

	Undecided []undecided `json:"undecided"`
}

// An undecided claim, with what was known of it.
type undecided struct {
	Study string `json:"study"`
	ID    string `json:"id"`
	Text  string `json:"text"`
	Why   string `json:"why"`
}

// decided is how many claims hold or fail, of those that were tested.
func (r seedRun) decided() (k, n int) {
	k = r.Holds + r.Fails
	return k, k + len(r.Undecided)
}

// runStudies runs all studies once for each seed, as make run does, and prints how many
// claims were decided. A seed that is done is not run again.
func runStudies(b *bench, ctx context.Context) error {
	tool, err := hashOf([]string{b.memcost})
	if err != nil {
		return err
	}
	args := []string{"run", "--json"}
	if b.scale < 1 {
		budget := time.Duration(b.scale * float64(plan.QuickBudget)).Round(time.Second)
		args = append(args, "--budget", max(budget, 10*time.Second).String())
	}
	dir := filepath.Join(b.dir, "studies", tool+fmt.Sprintf("-%g", b.scale))
	var runs []seedRun
	for seed := 1; seed <= b.seeds; seed++ {
		r, err := runSeed(b, ctx, filepath.Join(dir, strconv.Itoa(seed)), seed, args)
		if err != nil {
			return fmt.Errorf("seed %d: %w (the same command goes on from here)", seed, err)
		}
		runs = append(runs, r)
		k, n := r.decided()
		b.logf("studies: seed %d of %d: %d of %d claims decided in %s", seed, b.seeds, k, n, seconds(r.Whole))
	}
	b.printf("### What a run of all studies decides\n\n")
	b.commands(append([]string{"memcost " + strings.Join(args, " ") + " --seed SEED"}, fmt.Sprintf("seeds 1 to %d",
		b.seeds))...)
	b.printf("%s\n%s", seedTable(runs), undecidedTable(runs))
	return nil
}

// runSeed runs all studies with a seed, or reads what an earlier call kept of it.
func runSeed(b *bench, ctx context.Context, dir string, seed int, args []string) (r seedRun, err error) {
	kept := filepath.Join(dir, "seed.json")
	if data, err := os.ReadFile(kept); err == nil {
		if err := json.Unmarshal(data, &r); err != nil {
			return r, fmt.Errorf("reading %s: %w (remove it to run the seed anew)", kept, err)
		}
		return r, nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return r, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return r, err
	}
	began := time.Now()
	g, stdout, err := sampler{b}.recordMemcost(ctx, proc.Cmd{Path: b.memcost,
		Args: append(slices.Clone(args), "--seed", strconv.Itoa(seed), "--results", dir)}, dir, math.Inf(1), false)
	if err != nil {
		return r, err
	}
	a, err := parseAnswer(stdout)
	if err != nil {
		return r, err
	}
	r = a.ofSeed()
	r.Seed, r.Whole, r.Prepared = seed, time.Since(began).Seconds(), g.prepared
	data, err := json.Marshal(r)
	if err != nil {
		return r, err
	}
	if err := os.WriteFile(kept+".new", data, 0o666); err != nil {
		return r, err
	}
	return r, os.Rename(kept+".new", kept)
}

// ofSeed counts the verdicts on what was measured; those on published figures are the
// same in every run.
func (a *answer) ofSeed() (r seedRun) {
	r.Rounds, r.Samples, r.Unfit = a.Rounds, a.Samples, a.Unfit
	for _, s := range a.Studies {
		for _, c := range s.Claims {
			for _, v := range c.Verdicts {
				switch {
				case v.Published:
				case v.Status == string(claim.Holds):
					r.Holds++
				case v.Status == string(claim.Fails):
					r.Fails++
				case v.Status == string(claim.Undecided):
					r.Undecided = append(r.Undecided, undecided{s.Name, c.ID, c.Text, v.why()})
				default:
					r.NotDone++
				}
			}
		}
	}
	return r
}

// why says what of a claim is undecided: its first such case with the figure, and how
// many there are.
func (v verdictAnswer) why() string {
	var words []string
	if v.Busy {
		words = append(words, "the machine was busy")
	}
	n, first := 0, ""
	for _, e := range v.Elements {
		if e.Status != string(claim.Undecided) {
			continue
		}
		if n++; n == 1 {
			f := e.Figure
			first = fmt.Sprintf("%s %.3g [%s, %s] of %s", e.Label, float64(f.Value), boundText(f.Lo), boundText(f.Hi),
				units.Plural(f.Rounds, "round"))
			if f.Note != "" {
				first += ", " + f.Note
			}
		}
	}
	if n > 0 {
		words = append(words, fmt.Sprintf("%d of %d cases, the first: %s", n, len(v.Elements),
			strings.TrimSpace(first)))
	}
	return strings.Join(append(words, v.Notes...), "; ")
}

// boundText returns a bound of an interval, in words where there is none.
func boundText(n number) string {
	if math.IsNaN(float64(n)) {
		return "no bound"
	}
	return fmt.Sprintf("%.3g", float64(n))
}

// seedTable shows what each seed decided.
func seedTable(runs []seedRun) string {
	rows := [][]string{{"seed", "claims decided", "hold", "fail", "undecided", "not tested", "whole command",
		"of it before the first sample", "rounds", "samples"}}
	var all, tested int
	var whole, prepared []float64
	for _, r := range runs {
		k, n := r.decided()
		all, tested = all+k, tested+n
		whole, prepared = append(whole, r.Whole), append(prepared, r.Prepared)
		name := strconv.Itoa(r.Seed)
		if r.Unfit {
			name += " (a busy machine)"
		}
		rows = append(rows, []string{name, fmt.Sprintf("%d of %d: %s", k, n, percent(float64(k)/float64(max(n, 1)))),
			strconv.Itoa(r.Holds), strconv.Itoa(r.Fails), strconv.Itoa(len(r.Undecided)), strconv.Itoa(r.NotDone),
			seconds(r.Whole), seconds(r.Prepared), strconv.Itoa(r.Rounds), thousands(r.Samples)})
	}
	rows = append(rows, []string{"all", fmt.Sprintf("%d of %d: %s", all, tested,
		percent(float64(all)/float64(max(tested, 1)))), "", "", "", "", "median " + seconds(stat.Median(whole)),
		"median " + seconds(stat.Median(prepared)), "", ""})
	return table(rows)
}

// undecidedTable names the claims that some seed left undecided, the most frequent first.
func undecidedTable(runs []seedRun) string {
	type row struct {
		undecided
		times int
	}
	var all []row
	for _, r := range runs {
		for _, u := range r.Undecided {
			i := slices.IndexFunc(all, func(x row) bool { return x.Study == u.Study && x.ID == u.ID })
			if i < 0 {
				i, all = len(all), append(all, row{undecided: u})
			}
			all[i].times++
		}
	}
	if len(all) == 0 {
		return ""
	}
	slices.SortStableFunc(all, func(a, b row) int { return b.times - a.times })
	rows := [][]string{{"undecided", "seeds", "why, with the first of them"}}
	for _, x := range all {
		rows = append(rows, []string{x.Study + " " + x.ID, fmt.Sprintf("%d of %d", x.times, len(runs)),
			strings.ReplaceAll(x.Why, "|", "\\|")})
	}
	return table(rows)
}
