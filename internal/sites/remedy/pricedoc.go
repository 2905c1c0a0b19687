// Package price measures what allocating costs on this machine now: one object of each size
// class, and the causes of the study escape, with their usual fix.
package remedy
