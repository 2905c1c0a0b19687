package certificate_test

import (
	"strings"
	"testing"
	"time"

	"memcost/internal/measure/certificate"
	"memcost/internal/show/terminal"
)

func TestCertificate(t *testing.T) {
	c := &certificate.Certificate{Alpha: 0.05, Rounds: 10, Layouts: 4, Links: 48, Sample: 12 * time.Millisecond,
		Spent: 90 * time.Second, Cases: []certificate.Case{{Name: "Copy-2", Known: 5, Covered: 5}},
		Under: []certificate.Condition{
			{Name: certificate.Quiet, Count: certificate.Count{Comparisons: 40, Alarms: 1}, Disturbed: 0.4,
				Known: []certificate.Slowdown{{By: 0.005, Comparisons: 10, Covered: 10, AtEnd: 10},
					{By: 0.1, Comparisons: 10, Found: 9, Covered: 9, AtEnd: 9, Rounds: 8, Seconds: 0.51}}},
			{Name: certificate.CPU},
		}}
	c.Judge()
	text := func(s terminal.Style) string {
		var b strings.Builder
		if err := terminal.Write(&b, c.Document(), s); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	all := strings.Join(strings.Fields(text(terminal.Style{Long: true})), " ")
	for _, want := range []string{
		"quiet 40 1 2.5% [0.1, 13.2] 40%",
		"busy core 0 – – 0%",
		"quiet 10% 10 90% 90.0% 8 0.51",
		"quiet 0.5% 10 0% 100.0% – –",
		"all 20 95.0% [75.1, 99.9]",
		"This machine is not certified, after 1m30s of measuring.",
		"in at most 13.2% of comparisons (1 of 40 were), and the truth is inside at least 75.1%",
		"- 40 comparisons of identical copies, and a certificate takes 600",
		"- the machine was not quiet: other programs ran in 40% of the rounds of that condition",
		"Copy-2",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	for line := range strings.Lines(text(terminal.Style{Width: 80})) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	c.Under[0] = certificate.Condition{Name: certificate.Quiet}
	c.Judge()
	if got := text(terminal.Style{}); !strings.Contains(got, "Nothing is known yet") {
		t.Error(got)
	}
}
