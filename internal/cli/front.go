// Package front is what the commands share: progress on standard error, whether there is a
// terminal and its width, the values of flags, their completion, formats of answers, files
// that are written whole or not at all, and the plan of a run that is only printed.
package cli
