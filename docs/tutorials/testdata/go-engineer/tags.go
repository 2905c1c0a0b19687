// Package tags reads and writes lines such as "host=a zone=b".
package tags

import (
	"fmt"
	"strings"
)

// A Tag is a key with its value.
type Tag struct{ Key, Value string }

// Parse reads the tags of a line.
func Parse(line string) []Tag {
	var out []Tag
	for _, field := range strings.Fields(line) {
		key, value, _ := strings.Cut(field, "=")
		out = append(out, Tag{key, value})
	}
	return out
}

// Append writes tags behind a line.
func Append(line []byte, tags []Tag) []byte {
	for _, t := range tags {
		line = fmt.Appendf(line, "%s=%s ", t.Key, t.Value)
	}
	return line
}
