package history

import (
	"regexp"
	"slices"
	"strings"

	"memcost/internal/report/figures"
)

// pattern returns what go test -bench has to be given so that at least these benchmarks run.
// Names with parts are selected part by part, down to the parts that all of them have.
func pattern(of []Benchmark) string {
	var names [][]string
	least := 0
	for _, b := range of {
		parts := strings.Split(figures.TrimProcs(b.Name), "/")
		names = append(names, parts)
		if least == 0 || len(parts) < least {
			least = len(parts)
		}
	}
	var levels []string
	for i := range least {
		var any []string
		for _, parts := range names {
			if p := regexp.QuoteMeta(parts[i]); !slices.Contains(any, p) {
				any = append(any, p)
			}
		}
		begin := "^("
		if i == 0 {
			begin = "^Benchmark("
		}
		// What looks like GOMAXPROCS may be a part of the name.
		levels = append(levels, begin+strings.Join(any, "|")+")(-[0-9]+)?$")
	}
	return strings.Join(levels, "/")
}
