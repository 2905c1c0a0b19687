// Package units formats figures for people: quantities with the unit that suits
// their size, ratios, shares, counts and intervals. Every text and every page of
// the program prints a figure through it, so that one figure looks the same
// everywhere. It takes figures in base units (seconds, bytes) and imports nothing
// of the program's own.
package units
