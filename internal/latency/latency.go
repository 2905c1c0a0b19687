// Package latency reads what the program of the study malloc prints of the slowest of
// many calls, of threads and of memory, makes records of it, and judges which settings
// are fit for real time.
//
// A longest call is an observed one, not a bound on future calls.
package latency

import (
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/catalog"
)

// Options determine which processes are run for each setting.
type Options struct {
	Full  bool
	Limit time.Duration // of one call, for the real-time verdict; 0: no verdict is asked for
	Sizes []catalog.LatencySize
}

// The time of a threads measurement in each profile, in seconds, and what the memory
// measurement allocates, in bytes.
const (
	quickThreadSec = 0.04
	fullThreadSec  = 0.5
	memoryBytes    = 32 << 20
)

// A Mode is one way to run the program: its arguments, of which the first names the mode
// and the second the block size.
type Mode []string

// Modes returns the ways in which the program is run under each setting.
func (o Options) Modes() []Mode {
	seconds := quickThreadSec
	if o.Full {
		seconds = fullThreadSec
	}
	var out []Mode
	for _, s := range o.Sizes {
		n := s.Quick
		if o.Full {
			n = s.Full
		}
		m := Mode{"--latency", "--sizes=" + strconv.Itoa(s.Bytes), "--operations=" + strconv.Itoa(n),
			"--pattern=pairs,form=json"}
		if o.Limit > 0 {
			m = append(m, "--rt="+strings.Replace(o.Limit.String(), "µ", "u", 1))
		}
		out = append(out, m)
	}
	return append(out,
		Mode{"--threads-scaling", "--sizes=64", "--seconds=" + strconv.FormatFloat(seconds, 'f', -1, 64),
			"--pattern=form=gobench"},
		Mode{"--memory", "--sizes=64", "--operations=" + strconv.Itoa(memoryBytes), "--seconds=0.05",
			"--pattern=form=json"})
}

// Process names the process of a mode under a setting, as records do.
func (m Mode) Process(v catalog.Variant) string {
	return v.Keys + " " + strings.Join(m[:2], " ")
}

// Records reads what a process of the mode printed. Warnings are of parts without
// figures; the error is for output that could not be read.
func (m Mode) Records(v catalog.Variant, stdout []byte) (records []*benchfmt.Result, warnings []string, err error) {
	switch m[0] {
	case "--latency":
		records, err = callRecords(v, stdout)
	case "--memory":
		return memoryRecords(v, stdout)
	default:
		records, err = threadRecords(v, stdout)
	}
	return records, nil, err
}
