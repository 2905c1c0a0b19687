package machine

import (
	"math"

	"golang.org/x/sys/windows"
)

// ownCPU returns the CPU time that this process has used, user and kernel, in seconds.
func ownCPU() float64 {
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &created, &exited, &kernel, &user); err != nil {
		return math.NaN()
	}
	return seconds(kernel) + seconds(user)
}
