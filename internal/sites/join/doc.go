// Package join joins what the compiler says of allocations, what a profile counted, and the calls
// in the binary, into one list of sites, ranked by what they cost. It starts nothing and reads no
// files but those it is given.
package join
