package search

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/proc"
	"memcost/internal/study/language"
)

// fake is a program with a cliff at $CLIFF; its other behaviour is chosen by $DO.
const fake = `#!/bin/sh
size=
for a in "$@"; do case "$a" in --probe=*) size=${a#--probe=};; esac; done
if [ -z "$size" ]; then
  [ "$DO" = noeffect ] && echo '{"platform":"Linux, glibc 2.36","malloc_library":"/lib/libc.so.6","checks":[{"name":"M_TOP_PAD","value":"1","status":"no effect","detail":"nothing moved"}]}' && exit 3
  [ "$DO" = lock ] && echo '{"platform":"Linux, glibc 2.36","malloc_library":"/lib/libc.so.6","locked_bytes":"0","memlock_limit":"4000","checks":[{"name":"mlockall","value":"current, future","status":"no effect","detail":"malloc(4194304) returns NULL then: RLIMIT_MEMLOCK is 4000 bytes"}]}' && exit 3
  echo '{"platform":"Linux, glibc 2.36","malloc_library":"/lib/libc.so.6","locked_bytes":"0","memlock_limit":"unlimited","checks":[]}'
  exit 0
fi
case "$DO" in
  die) kill -SEGV $$;;
  hang) sleep 30;;
  garbage) echo 'hello'; exit 0;;
  other) size=7;;
  null|lock) [ "$size" -ge 3000 ] && echo "{\"size\":$size,\"timer_ns\":10,\"null\":\"Cannot allocate memory\"}" && exit 0;;
esac
m=heap; mmap=0
[ "$size" -ge "$CLIFF" ] && m=mmap && mmap=1
echo "{\"size\":$size,\"timer_ns\":10,\"first\":{\"mechanism\":\"$m\"},\"mechanism\":\"$m\",\"malloc_ns\":30,\"touch_ns\":30,\"free_ns\":30,\"malloc_faults\":0,\"touch_faults\":0,\"kept\":true,\"brk\":0,\"mmap\":$mmap,\"munmap\":$mmap,\"madvise\":0}"
`

func fakeProgram(t *testing.T) string {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	path := filepath.Join(t.TempDir(), "malloc_bench")
	if err := os.WriteFile(path, []byte(fake), 0o777); err != nil {
		t.Fatal(err)
	}
	return path
}

func find(t *testing.T, ctx context.Context, found func(Finding) error, does ...string) error {
	o := CliffOptions{Program: fakeProgram(t), Runner: &proc.Runner{}, Env: append(os.Environ(), "CLIFF=5000"),
		Smallest: 1024, Largest: 8192, Timeout: 300 * time.Millisecond, Log: func(string, float64) {}}
	for _, do := range does {
		set := language.Variant{Keys: "setting=" + do, Env: []string{"DO=" + do}}
		if do == "lock" {
			set.Args = []string{"-L"}
		}
		f, err := FindCliffs(ctx, o, set)
		if err == nil {
			err = found(f)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Where every block is a mapping no size is the first, and that is said.
func TestMappedFromTheFirst(t *testing.T) {
	o := CliffOptions{Program: fakeProgram(t), Runner: &proc.Runner{}, Env: append(os.Environ(), "CLIFF=8"),
		Smallest: 1024, Largest: 2048, Timeout: 10 * time.Second, Log: func(string, float64) {}}
	f, err := FindCliffs(context.Background(), o, language.Variant{Keys: "setting=mmap0", Args: []string{"-mM_MMAP_THRESHOLD=0"}})
	if err != nil || f.Failed != "" || len(f.Cliffs) != 1 || len(f.Absent) != 0 {
		t.Fatalf("%v, %+v", err, f)
	}
	if c := f.Cliffs[0]; c.Cause != causeMmap || c.At != 1024 || c.Below != 0 || c.Verdict != Differs && c.Verdict != Agrees {
		t.Errorf("%+v", c)
	}
}

// A setting whose program dies, hangs, or says something else is named, and the next
// one is searched.
func TestFind(t *testing.T) {
	all := map[string]Finding{}
	err := find(t, context.Background(), func(f Finding) error {
		all[strings.TrimPrefix(f.Setting, "setting=")] = f
		return nil
	}, "die", "hang", "garbage", "other", "noeffect", "null", "lock", "nothing")
	if err != nil {
		t.Fatal(err)
	}
	for do, says := range map[string]string{
		"die": "killed by SIGSEGV", "hang": "time limit of 300ms", "garbage": `"hello", which is not the result of a probe`,
		"other":    "not the result of a probe of that size",
		"noeffect": "M_TOP_PAD=1 had no effect: nothing moved",
	} {
		if f := all[do]; !strings.Contains(f.Failed, says) || !strings.Contains(f.Failed, "setting="+do) {
			t.Errorf("%s: failed %q, want %q", do, f.Failed, says)
		}
	}
	if f := all["nothing"]; f.Failed != "" || len(f.Cliffs) != 1 || f.Cliffs[0].Below >= 5000 ||
		f.Cliffs[0].At < 5000 || f.Cliffs[0].At-f.Cliffs[0].Below > fine || f.Cliffs[0].Verdict != NotPredicted &&
		f.Cliffs[0].Verdict != Differs {
		t.Errorf("%+v", f)
	}
	// Memory that may not be locked is the cliff that is looked for.
	if f := all["lock"]; len(f.Cliffs) != 1 || f.Cliffs[0].Verdict != Agrees ||
		!strings.Contains(f.Cliffs[0].What, "RLIMIT_MEMLOCK") {
		t.Errorf("%+v", f)
	}
	if f := all["null"]; len(f.Cliffs) != 1 || f.Cliffs[0].Cause != causeNull || f.Cliffs[0].Below >= 3000 ||
		f.Cliffs[0].At < 3000 {
		t.Errorf("%+v", f)
	}
}

// What is stopped ends with the reason, and hands nothing half done on.
func TestFindStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	err := find(t, ctx, func(Finding) error { calls++; cancel(); return nil }, "nothing", "null")
	if !errors.Is(err, context.Canceled) || calls != 1 {
		t.Errorf("%v after %d findings", err, calls)
	}
}

// The records are read back by the format's own reader.
func TestResults(t *testing.T) {
	f := Finding{Setting: "allocator=glibc/setting=default", Platform: "Linux", Library: "libc.so.6",
		Probes: 12, Largest: 8192,
		Cliffs: []Cliff{{Cause: causeMmap, Below: 4096, At: 4112, What: "to a mapping\nof its own",
			Before: Probe{Size: 4096}, After: Probe{Size: 4112}, Ratio: 3, Verdict: Differs,
			Prediction: &Prediction{causeMmap, 131049, 131049, "by rule"}}},
		Absent: []Prediction{{causeTrim, 5000, 6000, "by rule"}}}
	var text bytes.Buffer
	w := benchfmt.NewWriter(&text)
	for _, r := range f.Results() {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]string{}
	rd := benchfmt.NewReader(&text, "records")
	for rd.Scan() {
		r, ok := rd.Result().(*benchfmt.Result)
		if !ok {
			t.Fatalf("%v", rd.Result())
		}
		name := string(r.Name)
		got[name] = r.GetConfig("how") + " | " + r.GetConfig("note")
		setting, done := Done(r)
		if want := strings.HasPrefix(name, "CliffSearch/"); done != want || done && setting != f.Setting {
			t.Errorf("%s: done %v %q", name, done, setting)
		}
		if at, ok := r.Value("bytes"); strings.HasSuffix(name, "cause=mmap") && (!ok || at != 4112) {
			t.Errorf("%s: %v", name, r.Values)
		}
	}
	const keys = "/allocator=glibc/setting=default"
	mmap := got["Cliff"+keys+"/cause=mmap"]
	if !strings.Contains(mmap, "to a mapping of its own: at 4096 B") ||
		!strings.Contains(mmap, "does not agree: glibc's rules predict mmap from 131049 B") ||
		!strings.Contains(got["Cliff"+keys+"/cause=trim"], "nothing was found") || len(got) != 3 {
		t.Errorf("%q", got)
	}
	f.Failed = "it died"
	if _, done := Done(f.search()); done {
		t.Error("a search that failed counts as done")
	}
}
