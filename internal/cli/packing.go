// Package packing is the command memcost pack: what it packs, what it says, and what memcost report
// reads of a pack.
package cli
