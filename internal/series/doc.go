// Package series groups a stream of samples by suite, case, arm and role, says
// which rounds are void, and pairs the samples of a round.
//
// It keeps what the statistics need and no more: a run of a million samples
// must be answered in less memory than its file has bytes.
package series
