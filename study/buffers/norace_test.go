//go:build !race
// +build !race

package buffers

// raceDetector reports whether the race detector is built in.
const raceDetector = false
