//go:build race

package arena

// raceDetector tells whether the race detector is built in.
const raceDetector = true
