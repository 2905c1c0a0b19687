//go:build !unix

package onaxis

// faults returns 0: this platform does not count page faults.
func faults() int64 { return 0 }
