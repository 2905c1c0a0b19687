package blocks

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"memcost/internal/machine"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/store"
	"memcost/internal/report/result"
	"memcost/internal/study/language"
	"memcost/study"
)

// releases returns the answer of a folder with records of memcost limits, as they are
// for these releases.
func manyReleases(t testing.TB) *result.Answer {
	t.Helper()
	studies, err := language.ReadAll(study.FS)
	if err != nil {
		t.Fatal(err)
	}
	st := studies[slices.IndexFunc(studies, func(s *language.Study) bool { return s.Name == "limits" })]
	dir := t.TempDir()
	q := &plan.Question{Format: plan.Format, Tool: "memcost 0.0.0", Created: time.Date(2026, 11, 21, 10, 15, 30, 0,
		time.UTC),
		Command: []string{"memcost", "limits"}, Machine: machine.Fingerprint{Hostname: "fixture", OS: "linux",
			Arch: "amd64", CPUs: 2}, Recorded: "limits",
		Plan: plan.Plan{Options: plan.Options{Profile: "limits", Alpha: plan.Alpha},
			Studies: []plan.Study{{Name: "limits", Pkg: "limits", Directives: st.Directives, Show: st.Show}}}}
	var b strings.Builder
	for _, x := range []struct {
		version  string
		explicit int
		steps    int
	}{{"go1.13.15", 10 << 20, 12}, {"go1.15.15", 10 << 20, 1}, {"go1.23.12", 10 << 20, 1}, {"go1.24.13", 128 << 10, 1},
		{"go1.27.4", 128 << 10, 1}} {
		q.Plan.Sides = append(q.Plan.Sides, plan.Side{Name: x.version, Toolchain: x.version})
		fmt.Fprintf(&b, "study: limits\ntoolchain: %s\narm: %s\nhow: by <trying>\n\nBenchmarkLimit/what=explicit 1 "+
			"%d bytes\n"+
			"BenchmarkLimit/what=make-variable 1 0 bytes\nBenchmarkLimit/what=growth-steps/frame=10485760 1 %d "+
			"steps\n\n", x.version, x.version, x.explicit, x.steps)
	}
	run, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, store.QuestionFile), run)
	put(t, filepath.Join(dir, store.SamplesFile), []byte(b.String()))
	ans, err := result.Read(dir, result.Options{Evidence: true})
	if err != nil {
		t.Fatal(err)
	}
	return ans
}

// Figures by toolchain: each release is a step, and the claim says where its
// verdict changes.
func TestReleases(t *testing.T) {
	p := open(t, "", manyReleases(t))
	p.draw()
	steps := 0
	for _, x := range p.pictures() {
		p.matches(x)
		if x.Data.Kind == "steps" {
			steps++
		}
	}
	if steps != 2 {
		t.Errorf("%d pictures by release, not 2", steps)
	}
	p.Check("ticks are powers of two",
		`[...document.querySelectorAll("figure.steps svg text")].some(e => e.textContent === "1 MiB")`)
	p.Check("the claim's history",
		`[...document.querySelectorAll(".claims td[data-label='by release']")].some(e => e.textContent.endsWith("; fails (128 KiB) from go1.24.13"))`)
	p.Check("what a record rests on, as text",
		`[...document.querySelectorAll("details.cases .soft")].some(e => e.textContent.trim() === "by <trying>")`)
}
