//go:build !race
// +build !race

package buffers

// raceDetector tells whether the race detector is built in.
const raceDetector = false
