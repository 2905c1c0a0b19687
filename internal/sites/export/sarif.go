package export

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/sites"
)

// The parts of SARIF 2.1.0 that are written, by the names of the standard (OASIS, Static
// Analysis Results Interchange Format, section 3). Column numbers are UTF-16 code units.

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool          sarifTool                `json:"tool"`
	Invocations   []sarifInvocation        `json:"invocations"`
	UriBases      map[string]sarifArtifact `json:"originalUriBaseIds"`
	ColumnKind    string                   `json:"columnKind"`
	Results       []sarifResult            `json:"results"`
	RunProperties sarifRunProperties       `json:"properties"`
}

type sarifRunProperties struct {
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Revision string `json:"revision,omitempty"`
	Mode     string `json:"mode"`
	Exact    bool   `json:"exactCounts"`
	LeftOut  int    `json:"resultsLeftOut"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID            string             `json:"id"`
	Short         sarifText          `json:"shortDescription"`
	Full          sarifText          `json:"fullDescription"`
	Help          sarifText          `json:"help"`
	Configuration sarifConfiguration `json:"defaultConfiguration"`
	Properties    sarifTags          `json:"properties"`
}

type sarifConfiguration struct {
	Level string `json:"level"`
}

type sarifTags struct {
	Tags []string `json:"tags"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifInvocation struct {
	Successful    bool                `json:"executionSuccessful"`
	Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
}

type sarifNotification struct {
	Level   string    `json:"level"`
	Message sarifText `json:"message"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Rank         float64           `json:"rank"` // 0 to 100: the share of a benchmark's bytes or objects
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations"`
	CodeFlows    []sarifCodeFlow   `json:"codeFlows,omitempty"`
	Stacks       []sarifStack      `json:"stacks,omitempty"`
	Related      []sarifLocation   `json:"relatedLocations,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints"`
	Properties   *sarifCost        `json:"properties,omitempty"`
}

// sarifCost is what was measured of a site, in the benchmark in which it costs most.
type sarifCost struct {
	Site      string      `json:"site"`
	Class     string      `json:"class"`
	Package   string      `json:"package"`
	Expr      string      `json:"expression,omitempty"`
	Benchmark string      `json:"benchmark,omitempty"`
	Objects   float64     `json:"objectsPerOp"`
	Bytes     float64     `json:"bytesPerOp"`
	Estimated bool        `json:"estimated,omitempty"`
	Edit      *sites.Edit `json:"proposedEdit,omitempty"` // nobody applies it unasked
}

type sarifLocation struct {
	ID       int            `json:"id,omitempty"`
	Physical *sarifPhysical `json:"physicalLocation,omitempty"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	Message  *sarifText     `json:"message,omitempty"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI         string     `json:"uri,omitempty"`
	BaseID      string     `json:"uriBaseId,omitempty"`
	Description *sarifText `json:"description,omitempty"`
}

type sarifRegion struct {
	StartLine   int        `json:"startLine"`
	StartColumn int        `json:"startColumn,omitempty"`
	EndColumn   int        `json:"endColumn,omitempty"`
	Snippet     *sarifText `json:"snippet,omitempty"`
}

type sarifLogical struct {
	FullName string `json:"fullyQualifiedName"`
	Kind     string `json:"kind"`
}

type sarifCodeFlow struct {
	Message     sarifText         `json:"message"`
	ThreadFlows []sarifThreadFlow `json:"threadFlows"`
}

type sarifThreadFlow struct {
	Locations []sarifStep `json:"locations"`
}

type sarifStep struct {
	Location sarifLocation `json:"location"`
}

type sarifStack struct {
	Message sarifText    `json:"message"`
	Frames  []sarifFrame `json:"frames"`
}

type sarifFrame struct {
	Location sarifLocation `json:"location"`
}

// rootID stands for the root of the repository in SARIF; GitHub resolves it.
const rootID = "%SRCROOT%"

const (
	longestMessage = 2000 // of a message, in bytes
	longestName    = 500  // of a name, an expression or a source line
	mostSteps      = 100  // of a flow or a chain
)

// link and placeholder are what viewers do not take as text in a message of SARIF (sections
// 3.11.5 and 3.11.6).
var (
	link        = regexp.MustCompile(`\]\(`)
	placeholder = regexp.MustCompile(`\{(\d)`)
)

// message returns a text that is shown as it is.
func message(s string) sarifText {
	s = link.ReplaceAllString(short(s, longestMessage), "] (")
	return sarifText{placeholder.ReplaceAllString(s, "{ $1")}
}

// short cuts a text to a number of bytes, between characters.
func short(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// artifact returns a file as SARIF names it: from the repository's root, or absolute.
func (o Options) artifact(file string) sarifArtifact {
	if rel, ok := o.inRepository(file); ok {
		return sarifArtifact{URI: (&url.URL{Path: rel}).String(), BaseID: rootID}
	}
	return sarifArtifact{URI: fileURI(file)}
}

// fileURI returns the URI of an absolute path.
func fileURI(file string) string {
	file = strings.ReplaceAll(file, `\`, "/")
	if !strings.HasPrefix(file, "/") {
		file = "/" + file
	}
	return (&url.URL{Scheme: "file", Path: file}).String()
}

// at returns a line of a file; nil if the file is not known.
func (o Options) at(file string, line int) *sarifPhysical {
	if file == "" {
		return nil
	}
	p := &sarifPhysical{Artifact: o.artifact(file)}
	if line > 0 {
		p.Region = &sarifRegion{StartLine: line}
	}
	return p
}

// place returns where a site is, with its source line.
func (o Options) place(s *sites.Site, l *lines) *sarifPhysical {
	p := o.at(s.File, s.Line)
	if p == nil || p.Region == nil {
		return p
	}
	if s.Text != "" {
		p.Region.Snippet = &sarifText{short(s.Text, longestName)}
	}
	o.columns(p.Region, s, l)
	return p
}

// columns sets the columns of a region, if they can be counted in UTF-16 code units: from the
// line itself, or where every character is a byte.
func (o Options) columns(region *sarifRegion, s *sites.Site, l *lines) {
	if s.Col <= 0 {
		return
	}
	if line, ok := l.line(o.onMachine(s.File, s.Path), s.Line); ok {
		at := spanOf(line, s.Col, s.Expr)
		region.StartColumn, region.EndColumn = at.from+1, at.to+1
	} else if s.Text != "" && ascii(s.Text) {
		region.StartColumn = s.Col
	}
}

// frame returns a line of a call chain.
func (o Options) frame(f sites.Frame) sarifLocation {
	return sarifLocation{Physical: o.at(f.File, f.Line), Logical: function(f.Function)}
}

func function(name string) []sarifLogical {
	if name == "" {
		return nil
	}
	return []sarifLogical{{short(name, longestName), "function"}}
}

// flow returns how a value reaches the heap. A step whose place is not known stands at the
// site: viewers leave out steps without a place.
func (o Options) flow(s *sites.Site) []sarifCodeFlow {
	if len(s.Flow) == 0 {
		return nil
	}
	var steps []sarifStep
	for i, says := range s.Flow[:min(len(s.Flow), mostSteps)] {
		at := o.at(s.File, s.Line)
		if len(s.FlowAt) == len(s.Flow) && s.FlowAt[i].File != "" {
			at = o.at(s.FlowAt[i].File, s.FlowAt[i].Line)
		}
		m := message(says)
		steps = append(steps, sarifStep{sarifLocation{Physical: at, Message: &m}})
	}
	return []sarifCodeFlow{{sarifText{"how the value reaches the heap"}, []sarifThreadFlow{{steps}}}}
}

// stack returns the chain of inlined calls, if there is more than the site's function.
func (o Options) stack(s *sites.Site) []sarifStack {
	if len(s.Chain) < 2 {
		return nil
	}
	var frames []sarifFrame
	for _, f := range s.Chain[:min(len(s.Chain), mostSteps)] {
		frames = append(frames, sarifFrame{o.frame(f)})
	}
	return []sarifStack{{sarifText{"the calls that were inlined here, innermost first"}, frames}}
}

// related returns where what the site calls allocates.
func (o Options) related(s *sites.Site) []sarifLocation {
	if s.Callee == nil || s.Callee.File == "" {
		return nil
	}
	at := o.frame(s.Callee.Frame)
	m := message(calleeSays(s.Callee))
	at.ID, at.Message = 1, &m
	return []sarifLocation{at}
}

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
	out.Objects, out.Bytes, out.Estimated = sites.Finite(c.Objects), sites.Finite(c.Bytes), c.Estimated
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
