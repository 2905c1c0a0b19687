// Package figures holds what is shown of measured figures, as data: a figure with its interval, tables and
// pictures of figures, the two sides of a ratio, and what each of them says in a sentence.
package figures
