package latency

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memcost/internal/measure/plan"
	"memcost/internal/study/language"
)

// judged judges settings by what the program says of each of them in each situation.
func judged(t *testing.T, use *plan.Use, beside string, settings []language.Variant,
	faults func(setting, situation string) string) *RealTime {
	t.Helper()
	j := NewJudge(0, settings, plan.Search{Sizes: []int64{64}, Use: use, Beside: beside})
	for _, v := range settings {
		for _, situation := range Situations() {
			text := strings.Replace(string(answered(`{"seconds": 0}`, 0)), `"passed_allocator": true, "faults": 0`,
				faults(v.Keys, situation), 1)
			m := Mode{Args: []string{"--latency", "--sizes=64"}}
			if situation != OneBlock {
				m.Situation = situation
			}
			records, _, err := m.Records(v, []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range records {
				j.Add(r)
			}
		}
	}
	return j.Verdict()
}

// The verdict stands by size, too, and the answer says for which sizes the defaults are fit.
func TestVerdictBySize(t *testing.T) {
	settings := []language.Variant{{Keys: "allocator=glibc/setting=default"}, {Keys: "allocator=glibc/setting=rt"}}
	j := NewJudge(0, settings, plan.Search{Sizes: []int64{1 << 20, 64}})
	for _, v := range settings {
		for _, size := range []string{"64", "1048576"} {
			text := strings.Replace(string(answered(`{"seconds": 0}`, 0)), `"size": 64`, `"size": `+size, 1)
			if size != "64" && strings.HasSuffix(v.Keys, "=default") {
				text = strings.Replace(text, `"passed_allocator": true, "faults": 0`, `"passed_allocator": false, "faults": 7`, 1)
			}
			records, _, err := Mode{Args: []string{"--latency", "--sizes=" + size}}.Records(v, []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range records {
				j.Add(r)
			}
		}
	}
	r := j.Verdict()
	if got := r.Settings[0].Sizes; len(got) != 2 || !got[0].Fit || got[0].Bytes != 64 || got[1].Fit || !got[1].Broken {
		t.Errorf("%+v", got)
	}
	const want = "Fit for all sizes and situations that were tried: glibc rt. The default settings of glibc: " +
		"fit for blocks of 64 B; not fit for 1 MiB."
	if got := r.Answer(); got != want || r.Settings[0].NotFor() != "1 MiB" || r.Settings[1].NotFor() != "" {
		t.Errorf("%s", got)
	}
}

// A setting is fit in the situations in which it breaks nothing, and the gate judges those that
// were asked for.
func TestSituations(t *testing.T) {
	const broken, kept = `"passed_allocator": false, "faults": 7`, `"passed_allocator": true, "faults": 0`
	settings := []language.Variant{{Keys: "allocator=glibc/setting=default"}, {Keys: "allocator=glibc/setting=rt"},
		{Keys: "allocator=glibc/setting=pool", Args: []string{"-mM_MMAP_MAX=0"}}}
	use := DefaultUse()
	r := judged(t, &use, settings[0].Keys, settings, func(setting, situation string) string {
		if strings.HasSuffix(setting, "=default") || strings.HasSuffix(setting, "=rt") && situation == FirstUse {
			return broken
		}
		return kept
	})
	if len(r.Situations) != 5 || len(r.Settings) != 3 {
		t.Fatalf("%+v", r)
	}
	for i, want := range []string{"not fit", "in part", "fit"} {
		if got := r.Settings[i].Verdict(); got != want {
			t.Errorf("%s is %q, want %q", r.Settings[i].Setting, got, want)
		}
	}
	rt := r.Settings[1]
	if rt.At(FirstUse) != "7 of 1,000" || rt.At(LiveSet) != "fit" ||
		!strings.HasPrefix(rt.First, "first use, 64 B: ") ||
		rt.Violations != 7 || rt.Operations != 5000 || math.Abs(rt.Longest()-16e-6) > 1e-9 || len(rt.Paste) != 0 {
		t.Errorf("%+v", rt)
	}
	if got := r.Broken(); !slices.Equal(got, []string{"glibc rt"}) {
		t.Errorf("broken: %q, and the default stands beside what was asked for", got)
	}
	if pool := r.Settings[2]; pool.Says() == "" || len(pool.Paste) != 1 {
		t.Errorf("nothing to paste: %+v", pool)
	}

	// one situation that was asked for, and a folder of before
	use.Situations = []string{LiveSet}
	for _, u := range []*plan.Use{&use, nil} {
		r = judged(t, u, "", settings[1:2], func(_, situation string) string {
			return map[bool]string{true: broken, false: kept}[situation == FirstUse]
		})
		if got := r.Settings[0].Verdict(); got != "fit" || len(r.Situations) != 1+len(use.Situations) && u != nil {
			t.Errorf("%v: %s in %+v", u, got, r.Situations)
		}
	}
}

// Each situation is a process of its own, and the live set is as large as was asked for.
func TestModesOfSituations(t *testing.T) {
	use := DefaultUse()
	o := Options{Limit: 20_000, Use: &use,
		Sizes: []language.LatencySize{{Bytes: 64, Quick: 100_000}, {Bytes: 32 << 20, Quick: 100}}}
	seen := map[string]bool{}
	all := ""
	for _, m := range o.Modes() {
		p := m.Process(language.Variant{Keys: "x"})
		if seen[p] {
			t.Errorf("two processes are called %q", p)
		}
		seen[p] = true
		all += strings.Join(m.Args, " ") + "\n"
	}
	for _, want := range []string{"--sizes=64 --operations=100 --pattern=pairs,warmup=0,form=json --rt=20us",
		"--sizes=64 --operations=262144 --pattern=live,live=4194304,warmup=0,", "live=67108864,warmup=16,",
		"--sizes=33554432 --operations=100 --threads=2 --pattern=live"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	if o.Use = nil; len(o.Modes()) != 4 {
		t.Errorf("without a use: %d modes", len(o.Modes()))
	}
}

// What is to be pasted compiles, and does what it says: a pool that is resident, so that what is
// allocated behind it has no page fault.
func TestPaste(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler is here")
	}
	dir := t.TempDir()
	faults := func(lines []string) string {
		source := `#define _GNU_SOURCE
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
static long faults(void) { struct rusage u; getrusage(RUSAGE_SELF, &u); return u.ru_minflt + u.ru_majflt; }
static void *blocks[1000];
int main(void) {
` + strings.Join(lines, "\n") + `
  long before = faults();
  for (int i = 0; i < 1000; i++)
    if ((blocks[i] = malloc(40000)))
      for (int at = 0; at < 40000; at += 4096) ((volatile char *)blocks[i])[at] = 1;
  long after = faults();
  for (int i = 0; i < 1000; i++) free(blocks[i]);
  printf("%s", after - before < 50 ? "none" : "many");
}
`
		file, program := filepath.Join(dir, "p.c"), filepath.Join(dir, "p")
		if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(cc, "-O2", "-Wall", "-Werror", "-o", program, file).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s\n%s", err, out, source)
		}
		out, err := exec.Command(program).Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	recipe := language.Variant{Args: []string{"-mM_MMAP_MAX=0,M_TRIM_THRESHOLD=2147483647", "--prefault=64MiB"}}
	if got := faults(nil); got != "many" {
		t.Errorf("by the defaults there are %s faults", got)
	}
	if got := faults(Paste(recipe)); got != "none" {
		t.Errorf("with the recipe there are %s faults", got)
	}
	lines := Paste(language.Variant{Env: []string{"GLIBC_TUNABLES=a=b"}, Args: []string{"-L", "--thp=never",
		"--prefault=4096"}})
	if all := strings.Join(lines, "\n"); !strings.Contains(all, "mlockall(") || !strings.Contains(all, "4096UL") ||
		!strings.HasPrefix(all, "// in the environment of the program: GLIBC_TUNABLES=a=b") {
		t.Errorf("%s", all)
	}
}
