package count

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// printed reads what a benchmark printed, of a binary that records nothing itself.
func printed(stdout []byte) []pilotRun {
	var all []pilotRun
	for reader := benchfmt.NewReader(bytes.NewReader(stdout), "stdout"); reader.Scan(); {
		r, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		p := pilotRun{pass: pass{name: "Benchmark" + withoutProcs(string(r.Name)), asked: int64(r.Iters),
			ops: int64(r.Iters)}}
		for _, v := range r.Values {
			switch {
			case v.Unit == "sec/op":
				p.ns = int64(v.Value * 1e9 * float64(r.Iters))
			case v.Unit == "allocs/op":
				p.mallocs = uint64(v.Value * float64(r.Iters))
			case v.Unit == "B/op":
				p.bytes = uint64(v.Value * float64(r.Iters))
			}
		}
		all = append(all, p)
	}
	return all
}

// withoutProcs cuts off the number of GOMAXPROCS, which is there unless it is 1.
func withoutProcs(name string) string {
	i := strings.LastIndexByte(name, '-')
	if i < 0 {
		return name
	}
	if n, err := strconv.Atoi(name[i+1:]); err != nil || n < 2 {
		return name
	}
	return name[:i]
}

// keepWhole keeps the profile of a whole process, of a binary that records nothing itself: what
// ran is a pass of one operation, and that with all of them.
func (b *bench) keepWhole(a answer, what string) {
	for _, p := range printed(a.stdout) {
		if p.name == b.full {
			b.N, b.Memory = p.ops, a.memory
			if p.ops > 1 {
				b.N++
			}
			return
		}
	}
	b.Err = a.err
	if b.Err == nil {
		b.Err = errNotPrinted(what)
	}
}

func errNotPrinted(what string) error {
	return fmt.Errorf("%s: it printed no result that can be read", what)
}
