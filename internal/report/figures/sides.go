package figures

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sides are the two sides of a ratio, as they are called in a sentence, and the unit
// that both have.
type Sides struct {
	Num  string `json:"numerator"`
	Den  string `json:"denominator"`
	Unit string `json:"unit"`
}

// does returns the verb that says that one side has so many times of what the other has.
func (s Sides) does() string {
	switch s.Unit {
	case "sec/op", "":
		return "costs"
	case "B/op":
		return "allocates"
	case "allocs/op":
		return "makes"
	}
	return "has"
}

// of returns what stands before the side that a multiple is of: "the bytes of "; "" of costs.
func (s Sides) of() string {
	switch s.Unit {
	case "sec/op", "":
		return ""
	case "B/op":
		return "the bytes of "
	case "allocs/op":
		return "the allocations of "
	}
	return "the " + s.Unit + " of "
}

// Short names the ratio in a table: "heap/stack"; "" where that would be long.
func (s Sides) Short() string {
	const most = 24
	bare := func(side string) string {
		for _, article := range []string{"the ", "an ", "a "} {
			if rest, ok := strings.CutPrefix(side, article); ok {
				return rest
			}
		}
		return side
	}
	name := bare(s.Num) + "/" + bare(s.Den)
	if utf8.RuneCountInString(name) > most {
		return ""
	}
	return name
}

// Sentence says that one side has so many times of what the other has, where that is:
// "The heap costs 2.8 times the stack at 1 MiB".
func (s Sides) Sentence(times, where string) string {
	return fmt.Sprintf("%s %s %s times %s%s%s", upper(s.Num), s.does(), times, s.of(), s.Den, where)
}

// upper returns a sentence that begins in upper case.
func upper(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return s
	}
	return string(unicode.ToUpper(first)) + s[size:]
}
