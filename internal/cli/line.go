package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/units"
	"memcost/internal/measure/sample"
	"memcost/internal/report/figures"
)

// Line returns how far a run is in at most so many columns; 0 is any number. What matters least is
// left out first: where in the round it is, what is open, what is measured.
func Line(x sample.Progress, columns int) string {
	round := fmt.Sprintf("round %d, sample %d of %d", x.Round+1, x.Done+1, x.Total)
	what, open, decided, left := Case(x.Suite, x.Case), questions(x), claims(x), "almost done"
	if x.Left >= time.Second {
		left = fmt.Sprintf("about %v left", x.Left.Round(time.Second))
	}
	line := ""
	for _, parts := range [][]string{{what, round, open, left}, {what, open, left}, {what, decided, left},
		{x.Suite, decided, left}, {decided, left}, {left}} {
		if line = joined(parts); columns <= 0 || utf8.RuneCountInString(line) <= columns {
			break
		}
	}
	return line
}

func joined(parts []string) string {
	line := ""
	for _, p := range parts {
		if line != "" && p != "" {
			line += "; "
		}
		line += p
	}
	return line
}

// questions says what is decided and what is open.
func questions(x sample.Progress) string {
	var out []string
	if x.Claims > 0 {
		out = append(out, claims(x))
	}
	if x.Open > x.Claims-x.Decided {
		out = append(out, units.Plural(x.Open, "question")+" open")
	}
	if x.Precision > 0 {
		out = append(out, fmt.Sprintf("±%.1f%%", 100*x.Precision))
	}
	return strings.Join(out, ", ")
}

// claims says how many are decided, "" where there is none.
func claims(x sample.Progress) string {
	if x.Claims == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s decided", x.Decided, units.Plural(x.Claims, "claim"))
}

// Case returns a study and one of its cases in words: "stackheap: smaug, place heap, 64 KiB" for
// Smaug/place=heap/size=65536.
func Case(study, name string) string {
	base, rest := benchfmt.Name(name).Parts()
	words := []string{spaced(string(base))}
	procs := ""
	for _, r := range rest {
		part := string(r)
		if n, ok := strings.CutPrefix(part, "-"); ok {
			procs = n
			continue
		}
		part = strings.TrimPrefix(part, "/")
		if in := figures.Place(part); in != "" {
			part = in
		}
		words = append(words, part)
	}
	out := study + ": " + strings.Join(words, ", ")
	if n, err := strconv.Atoi(procs); err == nil {
		out += " on " + units.Plural(n, "CPU")
	}
	return out
}

// spaced returns the words of a Go name, in lower case where they are no abbreviations: "stack
// growth" for StackGrowth, "JSON decode" for JSONDecode.
func spaced(name string) string {
	var out []string
	rs := []rune(name)
	for begin, i := 0, 1; i <= len(rs); i++ {
		if i < len(rs) && !(unicode.IsUpper(rs[i]) && (!unicode.IsUpper(rs[i-1]) ||
			i+1 < len(rs) && unicode.IsLower(rs[i+1]))) {
			continue
		}
		word := string(rs[begin:i])
		if len(word) == 1 || strings.ToUpper(word) != word {
			word = strings.ToLower(word)
		}
		out, begin = append(out, word), i
	}
	return strings.Join(out, " ")
}
