package exchange

import (
	"strings"
	"unicode"

	"golang.org/x/perf/benchfmt"
)

// oneWord makes s a single field of a benchmark line: what is not printable
// (white space, control characters) becomes "_".
func oneWord(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || !unicode.IsPrint(r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(strings.TrimSpace(s), "_"))
}

// benchmarkName returns the name of a result without "Benchmark", as benchfmt has it.
func benchmarkName(s string) string {
	s = oneWord(s)
	for _, prefix := range []string{"BM_", "Benchmark"} {
		if rest, ok := strings.CutPrefix(s, prefix); ok && rest != "" {
			return rest
		}
	}
	return s
}

// GoogleName returns the name of a Google benchmark, whose arguments are named
// "key:value" and here "key=value".
func GoogleName(s string) string {
	return renameArguments(benchmarkName(s), ":", "=")
}

// toGoogleName undoes GoogleName.
func toGoogleName(s string) string {
	return "BM_" + renameArguments(oneWord(s), "=", ":")
}

// renameArguments replaces the sign between key and value in every part after
// the first. A part whose key is no plain word (std::less<>) is no argument.
func renameArguments(s, from, to string) string {
	parts := strings.Split(s, "/")
	for i, part := range parts[1:] {
		key, value, ok := strings.Cut(part, from)
		if ok && key != "" && !strings.HasPrefix(value, ":") && !strings.ContainsFunc(key, notInKey) {
			parts[i+1] = key + to + value
		}
	}
	return strings.Join(parts, "/")
}

func notInKey(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.", r)
}

// config returns the file configuration key: value, or none when one of them is empty
// after cleaning. A key of the Go benchmark format begins with a lower case letter and
// contains neither space nor upper case; a value is one line.
func config(key, value string) []benchfmt.Config {
	key = strings.Map(func(r rune) rune {
		if r == ':' || unicode.IsSpace(r) || !unicode.IsPrint(r) {
			return '-'
		}
		return unicode.ToLower(r)
	}, strings.TrimSpace(key))
	key = strings.TrimLeftFunc(key, func(r rune) bool { return !unicode.IsLower(r) })
	value = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(value, "_"))
	value = strings.TrimSpace(value)
	if key == "" || value == "" || strings.ContainsFunc(key, unicode.IsUpper) {
		return nil
	}
	return []benchfmt.Config{{Key: key, Value: []byte(value), File: true}}
}
