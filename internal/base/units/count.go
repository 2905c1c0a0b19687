package units

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Ratio formats a ratio: "2.35×".
func Ratio(v float64) string { return Digits(v) + "×" }

// Percent formats a share of 1 as a percentage with one decimal.
func Percent(share float64) string {
	if math.IsNaN(share) {
		return None
	}
	return fmt.Sprintf("%.1f%%", 100*share)
}

// Share formats a share of 1 that someone chose as a percentage: "1%", "0.5%".
func Share(share float64) string {
	return strconv.FormatFloat(significant(100*share), 'g', -1, 64) + "%"
}

// Shortened cuts a text to so many characters, the last of which is "…" then.
func Shortened(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// Plural formats a count of things, whose plural ends with s: "1 case", "3 cases".
func Plural[N ~int | ~int64 | ~uint64](n N, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// Thousands formats a count with commas between its thousands: "1,234,567".
func Thousands[N ~int | ~int64](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Letter names the n-th of several things: A to Z, then A1 and so on.
func Letter(n int) string {
	s := string(rune('A' + n%26))
	if n >= 26 {
		s += fmt.Sprint(n / 26)
	}
	return s
}

// Bytes formats a byte count in the binary unit that suits its size, with three
// significant digits: "1.50 KiB", "64 KiB".
func Bytes[N ~int | ~int64 | ~uint64 | ~float64](n N) string {
	v, units := float64(n), []string{"B", "KiB", "MiB", "GiB", "TiB"}
	for len(units) > 1 && math.Abs(v) >= 1023.5 { // what would be printed as 1024 is 1 of the next
		v, units = v/1024, units[1:]
	}
	return Digits(v) + " " + units[0]
}

// ExactBytes formats a byte count of which every byte counts, as a limit does:
// "64 KiB", "1.50 KiB, 1537 B".
func ExactBytes(v float64) string {
	if v >= 1024 && math.Mod(v, 1024) != 0 {
		return fmt.Sprintf("%s, %.0f B", Bytes(v), v)
	}
	return Bytes(v)
}

// ReadBytes reads a number of bytes as people write it: "64", "64KiB", "1.5MiB", "64 MiB", with
// binary units whether they have their i and their B or not.
func ReadBytes(text string) (int64, error) {
	number := strings.TrimSpace(strings.TrimSuffix(text, "B"))
	number = strings.TrimSuffix(number, "i")
	shift := 0
	if n := len(number); n > 0 {
		if at := strings.IndexByte("KMGT", number[n-1]); at >= 0 {
			number, shift = strings.TrimSpace(number[:n-1]), 10*(at+1)
		} else if strings.HasSuffix(text, "iB") {
			number = ""
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	if v = math.Ldexp(v, shift); err != nil || !(v >= 0 && v < math.MaxInt64) || v != math.Trunc(v) {
		return 0, fmt.Errorf("%q is no number of bytes, as 64KiB is", text)
	}
	return int64(v), nil
}

// None stands for a figure that is not known.
const None = "–"

// significant rounds to three significant digits.
func significant(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 2, 64), 64)
	return r
}

// Digits formats a number with three significant digits, and a whole number with
// all of its digits.
func Digits(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return None
	case v == math.Trunc(v) && a < 1e6:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case a >= 1e6 || a < 1e-4:
		return strconv.FormatFloat(v, 'g', 3, 64)
	case a >= 999.5:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	places := 2 - int(math.Floor(math.Log10(math.Abs(significant(v)))))
	return strconv.FormatFloat(v, 'f', max(places, 0), 64)
}
