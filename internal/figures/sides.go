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

// larger says that one of the sides has the larger figure: "heap costs more".
func (s Sides) larger(side string) string {
	switch s.Unit {
	case "sec/op", "":
		return side + " costs more"
	case "B/op":
		return side + " allocates more"
	case "allocs/op":
		return side + " makes more allocations"
	}
	return side + " has more"
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
	does, of := "has", "the "+s.Unit+" of "
	switch s.Unit {
	case "sec/op", "":
		does, of = "costs", ""
	case "B/op":
		does, of = "allocates", "the bytes of "
	case "allocs/op":
		does, of = "makes", "the allocations of "
	}
	first, size := utf8.DecodeRuneInString(s.Num)
	return fmt.Sprintf("%c%s %s %s times %s%s%s", unicode.ToUpper(first), s.Num[size:], does, times, of, s.Den, where)
}
