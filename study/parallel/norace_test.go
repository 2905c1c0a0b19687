//go:build !race

package parallel

// raceDetector reports whether the race detector is built in.
const raceDetector = false
