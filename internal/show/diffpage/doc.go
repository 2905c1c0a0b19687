// Package diffpage turns comparisons of allocation sites into one HTML page that needs nothing
// else. It has the style of package whypage, and the words of package difftext. What it draws are
// tables with bars; its script sorts and filters alone.
package diffpage
