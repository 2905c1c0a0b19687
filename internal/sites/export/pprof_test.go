package export

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"memcost/internal/sites"
)

func TestPprof(t *testing.T) {
	var b bytes.Buffer
	r := profiles(report())
	if err := Pprof(&b, r); err != nil {
		t.Fatal(err)
	}
	p, err := profile.ParseData(b.Bytes())
	if err != nil || p.CheckValid() != nil || len(p.Sample) != 6 {
		t.Fatal(err, len(p.Sample))
	}
	found := map[string]int64{}
	for _, s := range p.Sample {
		found[strings.Join([]string{s.Label["cause"][0], strings.Join(s.Label["site"], ""), s.Label["benchmark"][0]},
			" ")] +=
			s.Value[0]*1000 + s.NumLabel["size_class"][0]
	}
	for key, want := range map[string]int64{
		"returned-pointer Decode·&Node{...}·returned-pointer BenchmarkDecode/size=64": 2_000_064,
		"uncategorised (*T).get·· BenchmarkLog":                                       250_016,
		"outside  BenchmarkLog":                                                       1048,
	} {
		if found[key] != want {
			t.Errorf("%s: %d, want %d, of %v", key, found[key], want, found)
		}
	}
	if r.Profiles[0].Memory.Sample[0].Label != nil {
		t.Error("the report's own profile was changed")
	}
	r.Profiles[0].Sites = nil
	if err := Pprof(&b, r); err == nil || !strings.Contains(err.Error(), "3 samples are charged to 0 sites") {
		t.Errorf("%v", err)
	}
	if err := Pprof(&b, &sites.Report{}); err == nil || !strings.Contains(err.Error(), "-b,") {
		t.Errorf("%v", err)
	}
}

// go tool pprof shows the labels.
func TestPprofTags(t *testing.T) {
	file := filepath.Join(t.TempDir(), "labelled.pb.gz")
	var b bytes.Buffer
	if err := Pprof(&b, profiles(report())); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "tool", "pprof", "-tags", "-sample_index=alloc_objects", file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := strings.Join(strings.Fields(string(out)), " ")
	for _, want := range []string{"cause: Total 4502", "4000 (88.85%): returned-pointer", "size_class: Total",
		"4000 (88.85%): 64B", "site: Total", "class: Total", "benchmark: Total"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in:\n%s", want, out)
		}
	}
}
