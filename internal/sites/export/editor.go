package export

import (
	"encoding/json"
	"fmt"
	"io"

	"memcost/internal/sites"
)

// The severities of the Language Server Protocol 3.17.
const (
	severityError = iota + 1
	severityWarning
	severityInformation
	severityHint
)

// A diagnostic is one of the Language Server Protocol 3.17: lines and characters from 0, in
// UTF-16 code units.
type diagnostic struct {
	Range    textRange `json:"range"`
	Severity int       `json:"severity"`
	Code     string    `json:"code"`
	Source   string    `json:"source"`
	Message  string    `json:"message"`
	Related  []related `json:"relatedInformation,omitempty"`
	Data     *siteData `json:"data,omitempty"`
}

type siteData struct {
	Site    string  `json:"site"`
	Class   string  `json:"class"`
	Objects float64 `json:"objectsPerOp"`
	Bytes   float64 `json:"bytesPerOp"`
}

type related struct {
	Location location `json:"location"`
	Message  string   `json:"message"`
}

type location struct {
	URI   string    `json:"uri"`
	Range textRange `json:"range"`
}

type textRange struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Diagnostics writes a report for editors: a JSON object that holds, for the URI of each file,
// its diagnostics as a language server publishes them. Sites in files whose folder is not
// known are left out.
func Diagnostics(w io.Writer, r *sites.Report, findings []Finding, o Options) error {
	e := &editor{r: r, o: o, lines: newLines(o.ReadFile)}
	out := map[string][]diagnostic{}
	for _, f := range broken(findings) {
		severity := severityError
		if f.Note {
			severity = severityInformation
		}
		if path := o.onMachine(f.File, f.Path); path != "" {
			uri := fileURI(path)
			out[uri] = append(out[uri], diagnostic{Range: e.span(path, f.Line, f.Col, ""), Severity: severity,
				Code: budgetRule, Source: "memcost", Message: f.Says})
		}
	}
	for _, s := range byCost(r) {
		if path := o.onMachine(s.File, s.Path); path != "" {
			uri := fileURI(path)
			out[uri] = append(out[uri], e.site(s, path))
		}
	}
	j := json.NewEncoder(w)
	j.SetEscapeHTML(false)
	j.SetIndent("", " ")
	if err := j.Encode(out); err != nil {
		return fmt.Errorf("writing the sites as diagnostics for editors: %w", err)
	}
	return nil
}

// An editor makes diagnostics of sites.
type editor struct {
	r     *sites.Report
	o     Options
	lines *lines
}

func (e *editor) site(s *sites.Site, path string) diagnostic {
	d := diagnostic{Range: e.span(path, s.Line, s.Col, s.Expr), Severity: e.severity(s), Code: causeKey(causeOf(s)),
		Source: "memcost", Message: short(says(e.r, s), longestMessage), Related: e.related(s, path),
		Data: &siteData{Site: s.ID, Class: string(s.Class)}}
	if len(s.Costs) > 0 {
		d.Data.Objects, d.Data.Bytes = finite(s.Costs[0].Objects), finite(s.Costs[0].Bytes)
	}
	return d
}

// severity is a warning for what certainly allocates much, and a hint for what did not
// allocate.
func (e *editor) severity(s *sites.Site) int {
	switch {
	case warns(e.r, s):
		return severityWarning
	case len(s.Costs) == 0:
		return severityHint
	}
	return severityInformation
}

// related lists the steps of the flow, and where what the site calls allocates.
func (e *editor) related(s *sites.Site, path string) []related {
	var out []related
	for i, says := range s.Flow[:min(len(s.Flow), mostSteps)] {
		at := location{fileURI(path), e.span(path, s.Line, s.Col, s.Expr)}
		if len(s.FlowAt) == len(s.Flow) {
			if file := e.o.onMachine(s.FlowAt[i].File, ""); file != "" {
				at = location{fileURI(file), e.span(file, s.FlowAt[i].Line, 0, "")}
			}
		}
		out = append(out, related{at, short(says, longestMessage)})
	}
	if s.Callee == nil {
		return out
	}
	if file := e.o.onMachine(s.Callee.File, ""); file != "" {
		at := location{fileURI(file), e.span(file, s.Callee.Line, 0, "")}
		out = append(out, related{at, calleeSays(s.Callee)})
	}
	return out
}

// span returns a part of a line, or the whole line where the file cannot be read.
func (e *editor) span(path string, line, column int, expr string) textRange {
	row := max(line-1, 0)
	text, ok := e.lines.line(path, line)
	if !ok {
		return textRange{position{row, 0}, position{row + 1, 0}}
	}
	at := spanOf(text, column, expr)
	return textRange{position{row, at.from}, position{row, at.to}}
}
