// Package pack keeps the samples of many runs as Parquet, in a folder: see docs/fleet.md. It writes
// such a folder, and gives its runs back as their questions and their samples, so that a report of them is
// computed as from run folders, one machine and one study at a time.
package pack
