package machine

import (
	"math"

	"golang.org/x/sys/windows"
)

// OwnCPU returns the CPU time that this process has used, user and kernel, in seconds.
func OwnCPU() float64 {
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &created, &exited, &kernel, &user); err != nil {
		return math.NaN()
	}
	return seconds(kernel) + seconds(user)
}
