// Package methods compares ways to decide whether two sides of a benchmark differ: what
// each finds of known changes, and calls different of identical sides, in the same
// seconds. It computes; bench/performance takes the samples.
//
// Samples are recorded once, with the time at which each round was complete. Consecutive
// rounds that fit into T seconds are a block; blocks that share no round are the
// replicates. Each method says of each block what it would have said after T seconds.
package methods
