package export

import (
	"io"

	"memcost/internal/report/compare"
	"memcost/internal/sites"
)

// Annotations writes workflow commands of GitHub Actions: budgets that are exceeded as errors,
// certain heap allocations that make a tenth of a benchmark or more as warnings, other sites
// that allocated as notices. Of each kind the last one counts those for which there is no
// room.
func Annotations(w io.Writer, r *sites.Report, findings []Finding, o Options) error {
	out := compare.NewCommands(w, "memcost why", "memcost why lists them all")
	for _, f := range broken(findings) {
		level := "error"
		if f.Note {
			level = "notice"
		}
		out.Put(o.annotation(level, "Budget of "+f.Function, f.Says, f.File, f.Line, f.Col))
	}
	for _, s := range byCost(r) {
		if len(s.Costs) == 0 {
			continue
		}
		level := "notice"
		if warns(r, s) {
			level = "warning"
		}
		out.Put(o.annotation(level, s.Function+" allocates", short(says(r, s), longestMessage), s.File, s.Line, s.Col))
	}
	return out.End()
}

// annotation returns an annotation at a line of a file, if the file is in the repository.
func (o Options) annotation(level, title, message, file string, line, column int) compare.Annotation {
	a := compare.Annotation{Level: level, Title: title, Message: message}
	if rel, ok := o.inRepository(file); ok && line > 0 {
		a.File, a.Line, a.Column = rel, line, column
	}
	return a
}
