package sample

import (
	"fmt"
	"regexp"
	"strings"
)

// A pattern is the user's -bench: as for go test, a regular expression for each
// part of the name, between slashes.
type pattern []string

// newPattern splits like go test: a slash inside brackets does not count.
func newPattern(bench string) (pattern, error) {
	if bench == "" {
		return nil, nil
	}
	var parts pattern
	depth, start := 0, 0
	for i := 0; i < len(bench); i++ {
		switch bench[i] {
		case '\\':
			i++
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		case '/':
			if depth == 0 {
				parts = append(parts, bench[start:i])
				start = i + 1
			}
		}
	}
	parts = append(parts, bench[start:])
	for _, p := range parts {
		if _, err := regexp.Compile(p); err != nil {
			return nil, fmt.Errorf("-bench %q: %w", bench, err)
		}
	}
	return parts, nil
}

// top reports whether a top-level benchmark is asked for.
func (p pattern) top(name string) bool {
	return len(p) == 0 || regexp.MustCompile(p[0]).MatchString(name)
}

// within is the -test.bench argument for one top-level benchmark and the parts
// of it that are asked for.
func (p pattern) within(name string) string {
	parts := []string{"^" + regexp.QuoteMeta("Benchmark"+name) + "$"}
	if len(p) > 1 {
		parts = append(parts, p[1:]...)
	}
	return strings.Join(parts, "/")
}
