//go:build unix

package onaxis

import "syscall"

// faults returns the minor page faults of the process so far.
func faults() int64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return int64(usage.Minflt)
}
