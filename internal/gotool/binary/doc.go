// Package binary reads executable files of Go: their functions, lines and debug information, and
// the calls of the runtime's functions that allocate.
package binary
