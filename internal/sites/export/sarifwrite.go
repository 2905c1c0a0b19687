package export

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"memcost/internal/base/units"
	"memcost/internal/sites"
)

// GitHub keeps 5,000 results of a file and takes 10 MB, compressed ("SARIF support for code
// scanning" in its documentation).
const (
	mostResults = 5000
	mostZipped  = 10_000_000
)

// SARIF writes a report as a log of SARIF 2.1.0: budgets that are exceeded first, as errors,
// then the sites, those that cost most first, until the limits of GitHub.
func SARIF(w io.Writer, r *sites.Report, findings []Finding, o Options) error {
	b := newSarif(r, o)
	for _, f := range broken(findings) {
		b.finding(f)
	}
	for _, s := range byCost(r) {
		b.site(s)
	}
	text, err := b.within(mostResults, mostZipped)
	if err != nil {
		return fmt.Errorf("writing the sites as SARIF: %w", err)
	}
	_, err = w.Write(text)
	return err
}

// A sarifBuilder collects results and the rules that they need.
type sarifBuilder struct {
	r       *sites.Report
	o       Options
	lines   *lines
	rules   []sarifRule
	index   map[string]int // of each rule
	prints  map[string]int // how often a fingerprint was used
	results []sarifResult
}

func newSarif(r *sites.Report, o Options) *sarifBuilder {
	return &sarifBuilder{r: r, o: o, lines: newLines(o.ReadFile), index: map[string]int{}, prints: map[string]int{},
		results: []sarifResult{}}
}

// rule returns the index of a rule, which it adds if it is new.
func (b *sarifBuilder) rule(id, level, words, help string) int {
	if i, known := b.index[id]; known {
		return i
	}
	if words == "" {
		words = "the reason is not known"
	}
	if help == "" {
		help = "There is no usual fix."
	}
	full := "A heap allocation: " + words + "."
	if id == budgetRule {
		full = words
	}
	b.index[id] = len(b.rules)
	b.rules = append(b.rules, sarifRule{ID: id, Short: message(full), Full: message(full), Help: message(help),
		Configuration: sarifConfiguration{level}, Properties: sarifTags{[]string{"performance", "allocation"}}})
	return b.index[id]
}

// fingerprints returns what a result is recognised by after the lines around it have moved.
// GitHub looks at primaryLocationLineHash alone.
func (b *sarifBuilder) fingerprints(identity string) map[string]string {
	b.prints[identity]++
	if n := b.prints[identity]; n > 1 {
		identity = fmt.Sprintf("%s\x00%d", identity, n)
	}
	sum := sha256.Sum256([]byte(identity))
	text := hex.EncodeToString(sum[:16])
	return map[string]string{"memcostSite/v1": text, "primaryLocationLineHash": text + ":1"}
}

// site adds the result of a site.
func (b *sarifBuilder) site(s *sites.Site) {
	cause := s.Root()
	id, help, level := causeKey(cause), "", "note"
	if cause.Fix != "" {
		help = "The usual fix: " + cause.Fix + "."
	}
	if warns(b.r, s) {
		level = "warning"
	}
	b.results = append(b.results, sarifResult{
		RuleID: id, RuleIndex: b.rule(id, "note", cause.Words, help), Level: level, Rank: 100 * share(b.r, s),
		Message: message(says(b.r, s)), Locations: b.locations(s), CodeFlows: b.o.flow(s), Stacks: b.o.stack(s),
		Related: b.o.related(s), Fingerprints: b.fingerprints(s.Package + "\x00" + s.ID), Properties: b.cost(s),
	})
}

// cost returns what was measured of a site.
func (b *sarifBuilder) cost(s *sites.Site) *sarifCost {
	out := &sarifCost{Site: short(s.ID, longestName), Class: string(s.Class), Package: s.Package,
		Expr: short(s.Expr, longestName), Edit: s.Edit}
	if len(s.Costs) == 0 {
		return out
	}
	c := s.Costs[0]
	out.Objects, out.Bytes, out.Estimated = finite(c.Objects), finite(c.Bytes), c.Estimated
	if c.Benchmark >= 0 && c.Benchmark < len(b.r.Benchmarks) {
		out.Benchmark = benchmarkName(b.r, c.Benchmark)
	}
	return out
}

// locations returns where a site is.
func (b *sarifBuilder) locations(s *sites.Site) []sarifLocation {
	return []sarifLocation{{Physical: b.o.place(s, b.lines), Logical: function(s.Package + "." + s.Function)}}
}

// finding adds the result of a budget.
func (b *sarifBuilder) finding(f Finding) {
	at := &sites.Site{Package: f.Package, Function: f.Function, File: f.File, Path: f.Path, Line: f.Line, Col: f.Col}
	rule := b.rule(budgetRule, "error", "More is allocated than the budget in the source allows.",
		"Remove the allocation, or raise the number behind //memcost:allocs.")
	level, rank := "error", 100.0
	if f.Note {
		level, rank = "note", 0
	}
	b.results = append(b.results, sarifResult{
		RuleID: budgetRule, RuleIndex: rule, Level: level, Rank: rank, Message: message(f.Says),
		Locations: b.locations(at), Fingerprints: b.fingerprints("budget\x00" + f.Package + "\x00" + f.Function),
	})
}

// within returns the log with at most so many results, and fewer where it would be larger,
// compressed, than a number of bytes.
func (b *sarifBuilder) within(results, zipped int) ([]byte, error) {
	keep := min(len(b.results), results)
	for {
		text, err := b.text(keep)
		if err != nil {
			return nil, err
		}
		size, err := zippedSize(text)
		if err != nil || size < zipped || keep == 0 {
			return text, err
		}
		keep = min(keep-1, keep*zipped/size*9/10)
	}
}

// text returns the log with the first results.
func (b *sarifBuilder) text(keep int) ([]byte, error) {
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{Name: "memcost", Version: b.o.Version, Rules: b.rules}},
		Invocations: []sarifInvocation{{Successful: true, Notifications: b.notes(len(b.results) - keep)}},
		UriBases:    map[string]sarifArtifact{rootID: {Description: &sarifText{"the root of the repository"}}},
		ColumnKind:  "utf16CodeUnits", Results: b.results[:keep],
		RunProperties: sarifRunProperties{Go: b.r.Go, Platform: b.r.Platform, Revision: b.r.Revision, Mode: b.r.Mode,
			Exact: b.r.Exact, LeftOut: len(b.results) - keep},
	}
	if run.Tool.Driver.Rules == nil {
		run.Tool.Driver.Rules = []sarifRule{}
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0",
		Runs: []sarifRun{run}})
	return out.Bytes(), err
}

// notes returns the warnings of the report, and what was left out.
func (b *sarifBuilder) notes(left int) []sarifNotification {
	var out []sarifNotification
	if left > 0 {
		out = append(out, sarifNotification{"warning", message(fmt.Sprintf(
			"%s of %s left out, those that cost least: GitHub keeps no more. memcost why --json has all.",
			units.Plural(left, "result"), units.Thousands(len(b.results))))})
	}
	for _, s := range b.r.Warnings {
		out = append(out, sarifNotification{"warning", message(s)})
	}
	for _, p := range b.r.Packages {
		for _, s := range p.Partial {
			out = append(out, sarifNotification{"warning", message(p.Path + ": " + s)})
		}
	}
	return out
}

// zippedSize returns how large a text is when it is compressed.
func zippedSize(text []byte) (int, error) {
	var n counter
	z := gzip.NewWriter(&n)
	if _, err := z.Write(text); err != nil {
		return 0, err
	}
	err := z.Close()
	return int(n), err
}

// A counter counts what is written to it.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
