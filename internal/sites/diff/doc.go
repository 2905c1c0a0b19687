// Package sitediff puts the allocation sites of two reports beside each other: which are gone,
// new, moved or changed. Two reports are of two revisions, or of two Go versions.
package diff
