package units

import (
	"fmt"
	"math"
)

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
