package mallocprofile

import (
	"fmt"

	"memcost/internal/base/units"
)

// million formats a rate: "9.4 million", "0.03 million", "800".
func million(rate float64) string {
	switch {
	case rate >= 9.95e6:
		return fmt.Sprintf("%.0f million", rate/1e6)
	case rate >= 1e4:
		return units.Brief(rate/1e6, "") + " million"
	}
	return fmt.Sprintf("%.0f", rate)
}

// percent formats a share so that what is not all is never called 100%, nor what is not nothing 0%.
func percent(share float64) string {
	p := 100 * share
	switch {
	case p > 0 && p < 0.1:
		return "under 0.1%"
	case p < 100 && p > 99.9:
		return "over 99.9%"
	case p < 10 && p > 0 || p > 99 && p < 100:
		return fmt.Sprintf("%.1f%%", p)
	}
	return fmt.Sprintf("%.0f%%", p)
}

// between formats a share with its interval: "38% [35, 41]".
func between(share, lo, hi float64) string {
	if hi-lo < 0.005 {
		return percent(share)
	}
	return fmt.Sprintf("%s [%.0f, %.0f]", percent(share), 100*lo, 100*hi)
}

func blocks(n uint64) string {
	if n == 1 {
		return "1 block"
	}
	return units.Thousands(int64(n)) + " blocks"
}

func times(n int64) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return units.Thousands(n) + " times"
}
