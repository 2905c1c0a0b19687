//go:build race

package onaxis

// raceDetector reports whether the race detector is built in.
const raceDetector = true
