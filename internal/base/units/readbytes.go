package units

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

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
