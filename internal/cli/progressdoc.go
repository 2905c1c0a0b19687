// Package progress says in words how far a run is: what is being measured, what is decided, when
// it ends, and the answers as they are decided.
package cli
