// Package compare puts several answers beside each other: the studies that they share,
// which case of one is which of another, and the ratios of their times.
package compare
