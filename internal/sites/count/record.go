package count

import (
	"bytes"
	"strconv"
	"strings"
)

// A pass is one call of a benchmark function, as package testing recorded it (see
// toolchain.CountVar).
type pass struct {
	name            string
	asked, ops      int64 // b.N at the start and at the end: b.Loop changes it
	ns, wall        int64 // of the timed part, and of all
	mallocs, bytes  uint64
	tiny            int64 // -1 where it is not known
	resets, starts  int   // of the timer
	counted, failed bool
}

// A record is what a process recorded.
type record struct {
	ended   []pass
	open    []string // benchmarks whose last pass did not end
	parents map[string]bool
	errors  []string
	done    bool // the process came to its end
}

// readRecord reads the file of a process. Its last line may be cut off.
func readRecord(text []byte) record {
	r := record{parents: map[string]bool{}}
	for line := range bytes.Lines(text) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		kind, fields, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), "\t")
		if kind == "error" {
			r.errors = append(r.errors, fields)
			continue
		}
		p := readPass(fields)
		switch kind {
		case "done":
			r.done = true
		case "begin":
			r.open = append(r.open, p.name)
		case "parent":
			r.parents[p.name] = true
			r.close(p.name)
		case "end":
			r.ended = append(r.ended, p)
			r.close(p.name)
		}
	}
	return r
}

func (r *record) close(name string) {
	for i := len(r.open) - 1; i >= 0; i-- {
		if r.open[i] == name {
			r.open = append(r.open[:i], r.open[i+1:]...)
			return
		}
	}
}

func readPass(fields string) pass {
	var p pass
	for field := range strings.SplitSeq(fields, "\t") {
		key, value, _ := strings.Cut(field, "=")
		n, _ := strconv.ParseInt(value, 10, 64)
		switch key {
		case "name":
			p.name = value
		case "n":
			p.asked = n
		case "ops":
			p.ops = n
		case "ns":
			p.ns = n
		case "wall":
			p.wall = n
		case "mallocs":
			p.mallocs = uint64(n)
		case "bytes":
			p.bytes = uint64(n)
		case "tiny":
			p.tiny = n
		case "resets":
			p.resets = int(n)
		case "starts":
			p.starts = int(n)
		case "counted":
			p.counted = value == "true"
		case "failed":
			p.failed = value == "true"
		}
	}
	return p
}

// leaves are the last passes of each benchmark that has no sub-benchmarks, in the order in
// which they ran, and which of them loop by b.Loop.
func (r record) leaves() []pilotRun {
	var all []pilotRun
	at := map[string]int{}
	for _, p := range r.ended {
		if r.parents[p.name] {
			continue
		}
		i, known := at[p.name]
		if !known {
			i = len(all)
			at[p.name] = i
			all = append(all, pilotRun{})
		}
		all[i].pass = p
		all[i].loop = all[i].loop || p.ops != p.asked
	}
	return all
}

// A pilotRun is what is known of a benchmark from a short run.
type pilotRun struct {
	pass
	loop bool
}

// each is the time that an operation takes, in ns: with what is not timed where the timer is
// stopped again and again.
func (p pilotRun) each() float64 {
	ns := p.ns
	if p.toggles() {
		ns = p.wall
	}
	return float64(ns) / float64(max(p.ops, 1))
}

// toggles reports whether the benchmark stops its timer, or resets it, in its loop.
func (p pilotRun) toggles() bool { return max(p.starts, p.resets) > 4 }

// first is the pass that is counted, of a run with a fixed number of operations: the first
// pass is of one operation alone, except of b.Loop.
func (p pilotRun) first(ops int64) int {
	if p.loop || ops == 1 {
		return 1
	}
	return 2
}

// counted is the pass that was counted.
func (r record) counted() (pass, bool) {
	for _, p := range r.ended {
		if p.counted {
			return p, true
		}
	}
	return pass{}, false
}
