// Package series groups a stream of samples by study, case, side and role, excludes
// disturbed rounds, and pairs the samples of a round.
//
// It keeps only what the statistics need: a run of a million samples must be evaluated
// in less memory than its file has bytes.
package series
