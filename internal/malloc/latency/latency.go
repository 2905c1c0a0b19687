// Package latency reads what the program of the study malloc prints of the slowest of
// many calls, of threads and of memory, makes records of it, and judges which settings
// are fit for real time.
//
// A longest call is an observed one, not a bound on future calls.
package latency

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/measure/plan"
	"memcost/internal/study/language"
)

// Options determine which processes are run for each setting.
type Options struct {
	Full  bool
	Limit time.Duration // of one call, for the real-time verdict; 0: no verdict is asked for
	Sizes []language.LatencySize
	Use   *plan.Use // how blocks are used for the verdict; nil: one block at a time
}

// The time of a threads measurement in each profile, in seconds, and what the memory
// measurement allocates, in bytes.
const (
	quickThreadSec = 0.04
	fullThreadSec  = 0.5
	memoryBytes    = 32 << 20
)

// A Mode is one way to run the program.
type Mode struct {
	Args []string // the first names the mode, the second the block size
	// Situation is that in which the setting is judged, where it is another than OneBlock.
	Situation string
}

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
		out = append(out, Mode{Args: o.calls(s.Bytes, n, 1, "pairs"+o.warmup())})
	}
	out = append(out, Mode{Args: []string{"--threads-scaling", "--sizes=64",
		"--seconds=" + strconv.FormatFloat(seconds, 'f', -1, 64), "--pattern=form=gobench"}},
		Mode{Args: []string{"--memory", "--sizes=64", "--operations=" + strconv.Itoa(memoryBytes), "--seconds=0.05",
			"--pattern=form=json"}})
	if o.Limit > 0 && o.Use != nil {
		out = append(out, o.situational()...)
	}
	return out
}

// calls are the arguments that time so many calls of blocks of a size.
func (o Options) calls(bytes, operations, threads int, pattern string) []string {
	args := []string{"--latency", "--sizes=" + strconv.Itoa(bytes), "--operations=" + strconv.Itoa(operations)}
	if threads > 1 {
		args = append(args, "--threads="+strconv.Itoa(threads))
	}
	args = append(args, "--pattern="+pattern+",form=json")
	if o.Limit > 0 {
		args = append(args, "--rt="+strings.Replace(o.Limit.String(), "µ", "u", 1))
	}
	return args
}

// warmup is the word for the untimed calls of one block, where the user chose how many.
func (o Options) warmup() string {
	if o.Use == nil || o.Use.Warmup < 0 {
		return ""
	}
	return ",warmup=" + strconv.FormatInt(o.Use.Warmup, 10)
}

// Of the situations' operations, as multiples of the blocks that are alive: enough to fill a set
// by drawing its places at random (all but 2%), and to have seen each place often.
const (
	toFill = 4
	toWarm = 8
)

// The operations that each situation times at least and at most: a set of two large blocks is
// small, and each of its calls long.
const (
	firstOperations   = 100
	leastFilling      = 8
	mostLive          = 2000
	mostLiveInFull    = 200_000
	fullFirstMultiple = 10
)

// situational returns the processes in which a setting is judged beside that of one block.
func (o Options) situational() (out []Mode) {
	for _, situation := range o.Use.Situations {
		for _, s := range o.Sizes {
			blocks := int(min(max(o.Use.Live/int64(s.Bytes), 2), mostBlocks))
			live := fmt.Sprintf("live,live=%d", blocks*s.Bytes)
			warm := fmt.Sprintf("%s,warmup=%d", live, toWarm*blocks)
			n, first := min(s.Quick, mostLive), firstOperations
			if o.Full {
				n, first = min(s.Full, mostLiveInFull), fullFirstMultiple*firstOperations
			}
			var args []string
			switch situation {
			case FirstUse:
				args = o.calls(s.Bytes, min(first, n), 1, "pairs,warmup=0")
			case Filling:
				args = o.calls(s.Bytes, max(toFill*blocks, leastFilling), 1, live+",warmup=0")
			case LiveSet:
				args = o.calls(s.Bytes, n, 1, warm)
			case Threads:
				args = o.calls(s.Bytes, n, o.Use.Threads, warm)
			default: // OneBlock is measured in any case
				continue
			}
			out = append(out, Mode{Args: args, Situation: situation})
		}
	}
	return out
}

// Process names the process of a mode under a setting, as records do.
func (m Mode) Process(v language.Variant) string {
	name := v.Keys + " " + strings.Join(m.Args[:2], " ")
	if m.Situation != "" {
		name += " " + m.Situation
	}
	return name
}

// Records reads what a process of the mode printed. Warnings are of parts without
// figures; the error is for output that could not be read.
func (m Mode) Records(v language.Variant, stdout []byte) (records []*benchfmt.Result, warnings []string, err error) {
	switch m.Args[0] {
	case "--latency":
		if m.Situation != "" {
			records, err = situationRecords(v, m.Situation, stdout)
			break
		}
		records, err = callRecords(v, stdout)
	case "--memory":
		return memoryRecords(v, stdout)
	default:
		records, err = threadRecords(v, stdout)
	}
	return records, nil, err
}
