// Package text lays out what there is to say, as data of package result and of
// the readers, for a terminal and as Markdown. It computes nothing, and is pure:
// the same data in the same style gives the same bytes.
package text
