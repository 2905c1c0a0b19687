//go:build !race

package parallel

// raceDetector tells whether the race detector is built in.
const raceDetector = false
