// Package sitefile writes the sites of a why.Report, and budgets that are exceeded, in the
// formats of other tools: SARIF, annotations of GitHub Actions, and profiles with labels for
// pprof.
package export
