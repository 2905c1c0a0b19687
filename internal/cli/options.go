package cli

import (
	"fmt"
	"go/version"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"memcost/internal/plan"
	"memcost/internal/sample"
)

// options turns the flags into what the plan records.
func (f *runFlags) options(changed func(string) bool) (plan.Options, error) {
	o := plan.Options{Profile: "quick", Alpha: f.alpha, Precision: plan.QuickPrecision, Budget: plan.QuickBudget,
		Sample: plan.QuickSample, Layouts: plan.QuickLayouts, Seed: f.seed, Rounds: f.rounds, Timeout: f.timeout, Bench: f.bench, NoGuards: f.noGuards}
	if f.full {
		o.Profile, o.Precision, o.Budget = "full", plan.FullPrecision, plan.FullBudget
		o.Sample, o.Layouts = plan.FullSample, plan.FullLayouts
	}
	if !changed("seed") {
		o.Seed = rand.Uint64N(1e9)
	}
	if changed("sample") {
		o.Sample = f.sample
	}
	if changed("layouts") {
		o.Layouts = f.layouts
	}
	if err := f.stopping(&o, changed); err != nil {
		return o, err
	}
	var err error
	if o.CPU, err = parseCPU(f.cpu); err != nil {
		return o, err
	}
	if o.Shard, o.Shards, err = parseShard(f.shard); err != nil {
		return o, err
	}
	if err := f.check(changed); err != nil {
		return o, err
	}
	return o, checkOptions(o)
}

// stopping applies the flags that say when a run ends.
func (f *runFlags) stopping(o *plan.Options, changed func(string) bool) error {
	if changed("precision") {
		p, err := parsePercent(f.precision)
		if err != nil {
			return err
		}
		o.Precision = p
	}
	if changed("budget") {
		o.Budget = f.budget
	}
	return nil
}

// checkOptions reports numbers that make no sense.
func checkOptions(o plan.Options) error {
	for _, bad := range []struct {
		is        bool
		flag, say string
	}{
		{!(o.Alpha > 0 && o.Alpha < 0.5), "alpha", "must be between 0 and 0.5"},
		{o.Rounds < 0, "rounds", "must not be negative"},
		{o.Budget <= 0, "budget", "must be a positive time, like 3m"},
		{o.Sample < time.Millisecond, "sample", "must be at least 1ms"},
		{o.Timeout <= o.Sample, "timeout", fmt.Sprintf("must be longer than a sample (%v)", o.Sample)},
		{o.Layouts < 1 || o.Layouts > 256, "layouts", "must be between 1 and 256"},
	} {
		if bad.is {
			return usage("memcost run --help lists the flags", "--%s %s", bad.flag, bad.say)
		}
	}
	return nil
}

// check reports flags that are wrong by their form, or beside each other, before
// anything is built for them.
func (f *runFlags) check(changed func(string) bool) error {
	if f.only != "" && f.only != "published" {
		return usage("--only published", "--only %q: unknown", f.only)
	}
	if f.quick && f.full {
		return usage("choose one of the profiles", "--quick and --full exclude each other")
	}
	if f.shard != "" && !changed("seed") {
		return usage("give every shard the same seed: --seed 1", "--shard needs --seed: the shards must draw the same plan")
	}
	if err := sample.CheckPattern(f.bench); err != nil {
		return usage("regular expressions as in go test -bench: https://pkg.go.dev/regexp/syntax", "%w", err)
	}
	for _, v := range f.vary {
		if err := checkSetting(v); err != nil {
			return err
		}
	}
	for v := range strings.SplitSeq(f.goVersions, ",") {
		switch v = strings.TrimSpace(v); v {
		case "", "local", "published", "all":
		default:
			if !version.IsValid("go" + strings.TrimPrefix(v, "go")) {
				return usage("write local, published, all, 1.25.4, or 1.25 for the latest patch of Go 1.25", "--go %q: not a Go version", v)
			}
		}
	}
	return nil
}

// checkSetting reports what --vary cannot take.
func checkSetting(v string) error {
	if !strings.HasPrefix(v, "-") {
		name, _, ok := strings.Cut(v, "=")
		switch {
		case !ok || name == "":
			return usage("an environment variable (GOGC=off) or a build flag (-gcflags=-l)", "--vary %q: not a setting", v)
		case name == "GOMAXPROCS":
			return usage("use --cpu 1,2", "--vary %s: the number of CPUs is part of a case, not of an arm", v)
		}
		return nil
	}
	flag, _, _ := strings.Cut(strings.TrimPrefix(v, "-"), "=")
	if flag = strings.TrimPrefix(flag, "-"); flag == "race" || flag == "asan" || flag == "msan" || strings.HasPrefix(flag, "cover") {
		return usage("such a build changes what every memory access costs", "--vary %s: times taken with it mean nothing", v)
	}
	return nil
}

func parsePercent(s string) (float64, error) {
	num, percent := strings.CutSuffix(strings.TrimSpace(s), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(num), 64)
	if percent {
		v /= 100
	}
	if err != nil || v <= 0 || v >= 1 {
		return 0, usage("for example --precision 1%", "--precision %q: not a share between 0 and 100%%", s)
	}
	return v, nil
}

func parseCPU(s string) ([]int, error) {
	var out []int
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 {
			return nil, usage("for example --cpu 1,2", "--cpu %q: %q is not a number of CPUs", s, part)
		}
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out, nil
}

func parseShard(s string) (i, n int, err error) {
	if s == "" {
		return 0, 0, nil
	}
	a, b, ok := strings.Cut(s, "/")
	i, errI := strconv.Atoi(a)
	n, errN := strconv.Atoi(b)
	if !ok || errI != nil || errN != nil || i < 1 || i > n {
		return 0, 0, usage("for example --shard 3/8 for the third of eight parts", "--shard %q: not a part i/n", s)
	}
	return i, n, nil
}
