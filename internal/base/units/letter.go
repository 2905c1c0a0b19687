package units

import "fmt"

// Letter names the n-th of several things: A to Z, then A1 and so on.
func Letter(n int) string {
	s := string(rune('A' + n%26))
	if n >= 26 {
		s += fmt.Sprint(n / 26)
	}
	return s
}
