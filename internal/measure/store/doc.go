// Package store keeps a run folder: the question in run.json, and every sample
// in samples.txt, in the Go benchmark format (golang.org/design/14313), in the
// order in which it was taken.
//
// samples.txt is append-only and is the only state of a run. A sample is on
// disk (written and synced) when its process has ended, before the next one
// starts. A writer that dies leaves at most one unfinished line at the end;
// readers pass it over, and the next writer removes it, both with a warning.
package store
