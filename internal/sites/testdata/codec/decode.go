// Package codec is what the reports of this folder are about.
package codec

import (
	"fmt"
	"strconv"
	"strings"
)

// A Record is a decoded line.
type Record struct {
	Key    string
	Values []int
	Note   any
}

// Decode reads the lines of a text.
func Decode(text string) []*Record {
	var out []*Record
	for _, line := range strings.Split(text, "\n") {
		if r := record(line); r != nil {
			out = append(out, r)
		}
	}
	return out
}

// record reads one line.
func record(line string) *Record {
	key, rest, ok := strings.Cut(line, "=")
	if !ok {
		return nil
	}
	r := &Record{Key: strings.ToUpper(key)}
	for _, field := range strings.Fields(rest) {
		n, err := strconv.Atoi(field)
		if err != nil {
			r.Note = fmt.Sprintf("%s: %v", field, err)
			continue
		}
		r.Values = append(r.Values, n)
	}
	return r
}

// Encode writes a record as a line.
func (r *Record) Encode() string {
	s := r.Key + "="
	for _, v := range r.Values {
		s += fmt.Sprint(v) + " "
	}
	return s
}

// Index returns the records by key.
func Index(records []*Record) map[string]*Record {
	out := make(map[string]*Record, len(records))
	for _, r := range records {
		out[r.Key] = r
	}
	return out
}

// Sizes returns how many values the records have.
func Sizes(records []*Record) []int {
	out := make([]int, 0, len(records))
	for _, r := range records {
		out = append(out, len(r.Values))
	}
	return out
}
