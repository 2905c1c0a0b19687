package figures

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"memcost/internal/base/units"
)

// Label formats a value of a table's key: sizes are byte counts.
func Label(by, value string) string {
	if row, busy, ok := strings.Cut(value, " busy="); ok {
		return Label(by, row) + ", " + besideBusy(busy)
	}
	if by == "size" {
		number, procs, several := strings.Cut(value, "-")
		if n, err := strconv.ParseFloat(number, 64); err == nil && !several {
			return units.Bytes(n)
		} else if err == nil {
			return units.Bytes(n) + "-" + procs
		}
	}
	return value
}

// SortLabels puts values of a table's key in the order of its rows: numbers first,
// in numerical order.
func SortLabels(labels []string) { slices.SortStableFunc(labels, CompareLabels) }

// CompareLabels puts numbers first, in numerical order (of the part before a load or a
// GOMAXPROCS suffix), and leaves other labels in the order in which they came.
func CompareLabels(a, b string) int {
	x, errX := labelNumber(a)
	y, errY := labelNumber(b)
	switch {
	case errX == nil && errY == nil:
		return cmp.Compare(x, y)
	case errX == nil:
		return -1
	case errY == nil:
		return 1
	}
	return 0
}

func labelNumber(label string) (float64, error) {
	label, _, _ = strings.Cut(label, " busy=")
	if i := strings.LastIndexByte(label, '-'); i > 0 {
		label = label[:i]
	}
	return strconv.ParseFloat(label, 64)
}

// TrimProcs cuts the GOMAXPROCS suffix off.
func TrimProcs(s string) string {
	if i := strings.LastIndexByte(s, '-'); i > 0 {
		if _, err := strconv.Atoi(s[i+1:]); err == nil {
			return s[:i]
		}
	}
	return s
}

// Place prints an element's label in words: "64 KiB" for "size=65536", "cause interface-call",
// "64 KiB on 2 CPUs", "64 KiB beside 1 busy core"; "small, 64 KiB" for "/small size=65536".
func Place(label string) string {
	if first, busy, ok := strings.Cut(label, " busy="); ok && Place(first) != "" {
		return Place(first) + " " + besideBusy(busy)
	}
	if first, cpu, ok := strings.Cut(label, " cpu="); ok && Place(first) != "" {
		if n, err := strconv.Atoi(cpu); err == nil {
			cpu = units.Plural(n, "CPU")
		}
		return Place(first) + " on " + cpu
	}
	if parts, ok := strings.CutPrefix(label, "/"); ok { // those of a name that have no key
		parts, keys, _ := strings.Cut(parts, " ")
		for _, kv := range strings.Fields(keys) {
			parts += ", " + Place(kv)
		}
		return parts
	}
	key, value, ok := strings.Cut(label, "=")
	if !ok || strings.ContainsAny(key, "/ ") || strings.ContainsAny(value, "/ ") {
		return ""
	}
	if key == "size" {
		return Label(key, value)
	}
	return key + " " + value
}

// besideBusy says in words what a case was measured beside: "0", "1" or "all" busy cores.
func besideBusy(busy string) string {
	n, err := strconv.Atoi(busy)
	switch {
	case err != nil:
		return "with " + busy + " cores busy"
	case n == 0:
		return "with no core busy"
	}
	return "beside " + units.Plural(n, "busy core")
}

// ShortName returns a machine's name without what stands in brackets.
func ShortName(s string) string {
	s, _, _ = strings.Cut(s, " (")
	return s
}
