// Package pairing finds out which cases belong together: the two sides of a ratio at each place,
// by the keys in their names, by the position of their parts, and by what they were measured
// under.
package claim
