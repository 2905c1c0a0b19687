package latency

import (
	"fmt"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/study/language"
)

// Paste returns what makes a setting of glibc's malloc in a program of one's own: lines of C for
// the beginning of main, in the order that counts (parameters, lock, pool), and what belongs into
// the environment. There is none for the defaults.
func Paste(v language.Variant) (lines []string) {
	for _, e := range v.Env {
		lines = append(lines, "// in the environment of the program: "+e)
	}
	for _, a := range v.Args {
		knobs, ok := strings.CutPrefix(a, "-m")
		if !ok {
			continue
		}
		for k := range strings.SplitSeq(knobs, ",") {
			name, value, _ := strings.Cut(k, "=")
			lines = append(lines, fmt.Sprintf("mallopt(%s, %s); // <malloc.h>", name, value))
		}
	}
	for _, a := range v.Args {
		switch name, value, _ := strings.Cut(a, "="); name {
		case "-L":
			lines = append(lines, "mlockall(MCL_CURRENT | MCL_FUTURE); // <sys/mman.h>; 0 if it was granted")
		case "--thp":
			lines = append(lines, "prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); // <sys/prctl.h>")
		case "--prefault":
			lines = append(lines, fmt.Sprintf("size_t pool = %s;", bytesInC(value)),
				"char *p = malloc(pool); // NULL: less memory is free",
				"for (size_t at = 0; p && at < pool; at += 4096) ((volatile char *)p)[at] = 1;",
				"free(p); // its pages stay")
		}
	}
	return lines
}

// bytesInC returns a size as an expression of C: "256MiB" is "256UL << 20".
func bytesInC(size string) string {
	for _, unit := range []struct {
		suffix string
		shift  int
	}{{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"K", 10}, {"M", 20}, {"G", 30}} {
		if n, ok := strings.CutSuffix(size, unit.suffix); ok {
			return fmt.Sprintf("%sUL << %d", n, unit.shift)
		}
	}
	return size + "UL"
}

// pool returns the bytes that a setting makes resident before anything else.
func pool(v language.Variant) (bytes int64) {
	for _, a := range v.Args {
		if size, ok := strings.CutPrefix(a, "--prefault="); ok {
			bytes, _ = units.ReadBytes(size)
		}
	}
	return bytes
}

// sets returns what a setting of the GNU C library's malloc stands for, as the user would write it.
func sets(v language.Variant) string {
	var words []string
	for _, arg := range v.Args {
		if arg == "-L" {
			arg = "mlockall"
		}
		words = append(words, strings.ReplaceAll(strings.TrimPrefix(arg, "-m"), ",", " "))
	}
	for _, kv := range v.Env {
		if !strings.HasPrefix(kv, "LD_PRELOAD=") {
			words = append(words, kv)
		}
	}
	return strings.Join(words, " ")
}
