// Package commands compares what needs no building, without the command line: command lines,
// programs of benchmarks that the user built, and settings of malloc under which the study malloc
// runs. It reads what the sides are, finds what they cost, takes samples in rounds, records them,
// and goes on with a comparison that was interrupted.
package session
