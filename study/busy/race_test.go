//go:build race

package busy

// raceDetector reports whether the race detector is built in.
const raceDetector = true
