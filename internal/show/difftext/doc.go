// Package difftext lays out what became of the sites of one report in another, as text for a
// terminal, as Markdown, and as JSON.
package difftext
