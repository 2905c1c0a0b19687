package cli

import (
	"errors"
	"testing"
	"time"

	"memcost/internal/machine"
	"memcost/internal/measure/certificate"
	"memcost/internal/method/stat"
)

// Doctor shows the certificate of this machine, and the attempt that it did not pass.
func TestCertificateOfHere(t *testing.T) {
	t.Setenv("MEMCOST_CONFIG", t.TempDir())
	here, err := machine.Identify("")
	if errors.Is(err, machine.ErrNoIdentity) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	copies := certificate.Count{Comparisons: 612}
	known := []certificate.Slowdown{{By: 0.01, Comparisons: 500, Covered: 490}}
	c := &certificate.Certificate{Format: certificate.Format, Method: stat.Method, Alpha: 0.05, Rounds: 10,
		Made: time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC), Machine: here,
		Under: []certificate.Condition{{Name: certificate.Quiet, Count: copies, Known: known}}}
	for _, tt := range []struct {
		alarms int
		level  machine.Level
		says   string
	}{
		{3, machine.OK, "This machine's certificate of 2026-11-22: 3 false alarms in 612 comparisons (at most 1.4%), " +
			"truth inside 98% of the intervals."},
		{60, machine.Warn, "This machine did not pass memcost certify on 2026-11-22: 60 false alarms in 612 " +
			"comparisons (at most 12.4%), truth inside 98% of the intervals."},
	} {
		c.Under[0].Alarms = tt.alarms
		c.Judge()
		dir, err := certificate.Dir()
		if err == nil {
			_, err = c.Write(dir)
		}
		if err != nil {
			t.Fatal(err)
		}
		got, f := certificateOfHere()
		if got == nil || f.Level != tt.level || f.Detail != tt.says {
			t.Errorf("%v: %q, want %v: %q", f.Level, f.Detail, tt.level, tt.says)
		}
	}
}
