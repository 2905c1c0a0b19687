package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"memcost/internal/method/stat"
)

// table renders rows in Markdown, as wide as they need; the first row is the
// header, and all columns but the first hold figures.
func table(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell), 3)
		}
	}
	var out strings.Builder
	for r, row := range rows {
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				out.WriteString("| " + cell + pad + " |")
			} else {
				out.WriteString(" " + pad + cell + " |")
			}
		}
		out.WriteByte('\n')
		for i := 0; r == 0 && i < len(row); i++ {
			if i == 0 {
				out.WriteString("|" + strings.Repeat("-", widths[i]+2) + "|")
			} else {
				out.WriteString(strings.Repeat("-", widths[i]+1) + ":|")
			}
		}
		if r == 0 {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// share returns k of n in percent, with its Clopper-Pearson interval at 95%.
func share(k, n int) string {
	if n == 0 {
		return "none of 0"
	}
	iv := stat.ClopperPearson(k, n, 0.05)
	return fmt.Sprintf("%d: %.1f%% (%.1f to %.1f%%)", k, 100*float64(k)/float64(n), 100*iv.Lo, 100*iv.Hi)
}

func percent(x float64) string {
	if math.IsNaN(x) {
		return "?"
	}
	return fmt.Sprintf("%.1f%%", 100*x)
}

// seconds prints a time with three digits: 4.32 ms, 2m47s.
func seconds(s float64) string {
	switch a := math.Abs(s); {
	case math.IsNaN(s):
		return "?"
	case a >= 59.95:
		return (time.Duration(math.Round(s)) * time.Second).String()
	case a >= 0.9995:
		return digits(s) + " s"
	case a >= 0.9995e-3:
		return digits(s*1e3) + " ms"
	}
	return digits(s*1e6) + " µs"
}

// size prints bytes with three digits, in powers of 1,024.
func size(bytes float64) string {
	switch {
	case math.IsNaN(bytes):
		return "?"
	case bytes >= 1000<<20:
		return digits(bytes/(1<<30)) + " GiB"
	case bytes >= 1000<<10:
		return digits(bytes/(1<<20)) + " MiB"
	}
	return digits(bytes/(1<<10)) + " KiB"
}

// digits returns x with three digits.
func digits(x float64) string {
	if x == 0 {
		return "0"
	}
	decimals := 2 - int(math.Floor(math.Log10(math.Abs(x))+1e-3))
	return strconv.FormatFloat(x, 'f', max(decimals, 0), 64)
}

// thousands writes 1000000 as 1,000,000.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// apart reports whether two figures of this ratio differ by more than 25%.
func apart(ratio float64) bool { return math.Abs(math.Log(ratio)) > math.Log(1.25) }

// spread returns the smallest and the largest of x.
func spread(x []float64) (lo, hi float64) {
	if len(x) == 0 {
		return math.NaN(), math.NaN()
	}
	return slices.Min(x), slices.Max(x)
}
