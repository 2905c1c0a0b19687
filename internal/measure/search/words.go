package search

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"memcost/internal/gotool/escape"
)

// words holds the compiler's diagnostics on one line of a program.
type words struct {
	heap bool   // something of the line is put on the heap
	text string // the statement: "moved to heap: x", "make([]byte, n) does not escape"; "" for none
	why  string // "too large for stack"; "" for none
}

// reason matches the compiler's reason for putting something on the heap:
//
//	./main.go:9:6:     from x (too large for stack) at ./main.go:9:6     (Go 1.14 and newer)
//	./main.go:9:6: 	x (too large for stack) at ./main.go:9:6             (Go 1.13)
var reason = regexp.MustCompile(`^[^ ]*main\.go:(\d+):\d+:.*\((too large for stack|non-constant size)\) at `)

// readWords reads -m=2 output of a program that is one file, main.go: the diagnostics on
// each of its lines. A statement that a value goes to the heap takes precedence over one
// that a value stays.
func readWords(text []byte) (map[int]words, error) {
	log, err := escape.ReadLog(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("reading what the compiler says: %w", err)
	}
	said := map[int]words{}
	for _, d := range log.Diagnostics {
		if path.Base(d.File) != "main.go" || !d.Kind.Heap() && d.Kind != escape.DoesNotEscape {
			continue
		}
		if old := said[d.Line]; old.text == "" || d.Kind.Heap() && !old.heap {
			said[d.Line] = words{heap: d.Kind.Heap(), text: strings.TrimPrefix(d.Message, d.Func+" ")}
		}
	}
	for line := range bytes.Lines(text) {
		if m := reason.FindSubmatch(line); m != nil {
			n, _ := strconv.Atoi(string(m[1]))
			if w := said[n]; w.heap {
				w.why = string(m[2])
				said[n] = w
			}
		}
	}
	return said, nil
}

func (w words) String() string {
	switch {
	case w.text == "":
		return "nothing"
	case w.why == "":
		return strconv.Quote(w.text)
	}
	return strconv.Quote(w.text) + " (" + w.why + ")"
}

// answer is the result of one size of one site.
type answer struct {
	allocs int
	words  words
}

// readCounts reads the output of a generated program: lines "probe SITE n allocs".
func readCounts(out string) (map[string]map[int64]int, error) {
	counts := map[string]map[int64]int{}
	for line := range strings.Lines(out) {
		var name string
		var n int64
		var allocs int
		if !strings.HasPrefix(line, "probe ") {
			continue
		}
		if _, err := fmt.Sscanf(line, "probe %s %d %d", &name, &n, &allocs); err != nil || allocs < 0 {
			return nil, fmt.Errorf("reading the allocation counts: %q is not one", strings.TrimSpace(line))
		}
		if counts[name] == nil {
			counts[name] = map[int64]int{}
		}
		counts[name][n] = allocs
	}
	return counts, nil
}
