//go:build !race

package arena

// raceDetector reports whether the race detector is built in.
const raceDetector = false
