package export

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/url"
	"reflect"
	"regexp"
	"strings"

	"memcost/internal/base/units"
	"memcost/internal/sites"
)

// An object is one of SARIF 2.1.0, by the names of the standard (OASIS, Static Analysis Results
// Interchange Format, section 3). Column numbers are UTF-16 code units.
type object map[string]any

// known leaves out of an object what is not known.
func known(o object) object {
	maps.DeleteFunc(o, func(_ string, value any) bool {
		v := reflect.ValueOf(value)
		return !v.IsValid() || v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0
	})
	return o
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

// text returns a text.
func text(s string) object { return object{"text": s} }

// message returns a text that is shown as it is.
func message(s string) object {
	s = link.ReplaceAllString(short(s, longestMessage), "] (")
	return text(placeholder.ReplaceAllString(s, "{ $1"))
}

// short cuts a text to a number of bytes, between characters.
func short(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// artifact returns a file as SARIF names it: from the repository's root, or absolute.
func (o Options) artifact(file string) object {
	if rel, ok := o.inRepository(file); ok {
		return known(object{"uri": (&url.URL{Path: rel}).String(), "uriBaseId": rootID})
	}
	return known(object{"uri": fileURI(file)})
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
func (o Options) at(file string, line int) object {
	if file == "" {
		return nil
	}
	p := object{"artifactLocation": o.artifact(file)}
	if line > 0 {
		p["region"] = object{"startLine": line}
	}
	return p
}

// place returns where a site is, with its source line.
func (o Options) place(s *sites.Site, l *sites.Files) object {
	p := o.at(s.File, s.Line)
	region, ok := p["region"].(object)
	if !ok {
		return p
	}
	if s.Text != "" {
		region["snippet"] = text(short(s.Text, longestName))
	}
	o.columns(region, s, l)
	return p
}

// columns sets the columns of a region, if they can be counted in UTF-16 code units: from the
// line itself, or where every character is a byte.
func (o Options) columns(region object, s *sites.Site, l *sites.Files) {
	if s.Col <= 0 {
		return
	}
	if lines := l.Lines(o.onMachine(s.File, s.Path)); s.Line >= 1 && s.Line <= len(lines) {
		at := spanOf(strings.TrimSuffix(lines[s.Line-1], "\r"), s.Col, s.Expr)
		region["startColumn"], region["endColumn"] = at.from+1, at.to+1
	} else if s.Text != "" && ascii(s.Text) {
		region["startColumn"] = s.Col
	}
}

// location returns a place in a function.
func location(place object, function string) object {
	out := known(object{"physicalLocation": place})
	if function != "" {
		out["logicalLocations"] = []object{{"fullyQualifiedName": short(function, longestName), "kind": "function"}}
	}
	return out
}

// frame returns a line of a call chain.
func (o Options) frame(f sites.Frame) object { return location(o.at(f.File, f.Line), f.Function) }

// flow returns how a value reaches the heap. A step whose place is not known stands at the
// site: viewers leave out steps without a place.
func (o Options) flow(s *sites.Site) []object {
	if len(s.Flow) == 0 {
		return nil
	}
	var steps []object
	for i, says := range s.Flow[:min(len(s.Flow), mostSteps)] {
		at := o.at(s.File, s.Line)
		if len(s.FlowAt) == len(s.Flow) && s.FlowAt[i].File != "" {
			at = o.at(s.FlowAt[i].File, s.FlowAt[i].Line)
		}
		step := location(at, "")
		step["message"] = message(says)
		steps = append(steps, object{"location": step})
	}
	return []object{{"message": text("how the value reaches the heap"),
		"threadFlows": []object{{"locations": steps}}}}
}

// stack returns the chain of inlined calls, if there is more than the site's function.
func (o Options) stack(s *sites.Site) []object {
	if len(s.Chain) < 2 {
		return nil
	}
	var frames []object
	for _, f := range s.Chain[:min(len(s.Chain), mostSteps)] {
		frames = append(frames, object{"location": o.frame(f)})
	}
	return []object{{"message": text("the calls that were inlined here, innermost first"), "frames": frames}}
}

// related returns where what the site calls allocates.
func (o Options) related(s *sites.Site) []object {
	if s.Callee == nil || s.Callee.File == "" {
		return nil
	}
	at := o.frame(s.Callee.Frame)
	at["id"], at["message"] = 1, message(calleeSays(s.Callee))
	return []object{at}
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
	lines   sites.Files
	rules   []object
	index   map[string]int // of each rule
	prints  map[string]int // how often a fingerprint was used
	results []object
}

func newSarif(r *sites.Report, o Options) *sarifBuilder {
	return &sarifBuilder{r: r, o: o, lines: sites.Files{Read: o.ReadFile}, index: map[string]int{}, prints: map[string]int{},
		rules: []object{}, results: []object{}}
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
	b.rules = append(b.rules, object{"id": id, "shortDescription": message(full), "fullDescription": message(full),
		"help": message(help), "defaultConfiguration": object{"level": level},
		"properties": object{"tags": []string{"performance", "allocation"}}})
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
	out := known(object{"codeFlows": b.o.flow(s), "stacks": b.o.stack(s), "relatedLocations": b.o.related(s),
		"properties": b.cost(s)})
	b.result(out, id, b.rule(id, "note", cause.Words, help), level, 100*share(b.r, s), says(b.r, s), s, s.Package,
		s.ID)
}

// result adds a result of a rule at a site, which is recognised by an identity.
func (b *sarifBuilder) result(out object, id string, rule int, level string, rank float64, says string, at *sites.Site,
	identity ...string) {
	maps.Copy(out, object{"ruleId": id, "ruleIndex": rule, "level": level, "rank": rank, "message": message(says),
		"locations":           []object{location(b.o.place(at, &b.lines), at.Package+"."+at.Function)},
		"partialFingerprints": b.fingerprints(strings.Join(identity, "\x00"))})
	b.results = append(b.results, out)
}

// cost returns what was measured of a site, in the benchmark in which it costs most.
func (b *sarifBuilder) cost(s *sites.Site) object {
	out := known(object{"expression": short(s.Expr, longestName), "proposedEdit": s.Edit}) // nobody applies it unasked
	maps.Copy(out, object{"site": short(s.ID, longestName), "class": s.Class, "package": s.Package, "objectsPerOp": 0,
		"bytesPerOp": 0})
	if len(s.Costs) == 0 {
		return out
	}
	c := s.Costs[0]
	out["objectsPerOp"], out["bytesPerOp"] = sites.Finite(c.Objects), sites.Finite(c.Bytes)
	if c.Estimated {
		out["estimated"] = true
	}
	if c.Benchmark >= 0 && c.Benchmark < len(b.r.Benchmarks) {
		out["benchmark"] = benchmarkName(b.r, c.Benchmark)
	}
	return out
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
	b.result(object{}, budgetRule, rule, level, rank, f.Says, at, "budget", f.Package, f.Function)
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
	left := len(b.results) - keep
	driver := known(object{"version": b.o.Version})
	driver["name"], driver["rules"] = "memcost", b.rules
	properties := known(object{"revision": b.r.Revision})
	maps.Copy(properties, object{"go": b.r.Go, "platform": b.r.Platform, "mode": b.r.Mode, "exactCounts": b.r.Exact,
		"resultsLeftOut": left})
	invocation := known(object{"executionSuccessful": true, "toolExecutionNotifications": b.notes(left)})
	run := object{"tool": object{"driver": driver}, "invocations": []object{invocation}, "columnKind": "utf16CodeUnits",
		"originalUriBaseIds": object{rootID: object{"description": text("the root of the repository")}},
		"results":            b.results[:keep], "properties": properties}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(object{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []object{run}})
	return out.Bytes(), err
}

// notes returns the warnings of the report, and what was left out.
func (b *sarifBuilder) notes(left int) (out []object) {
	warn := func(says string) { out = append(out, object{"level": "warning", "message": message(says)}) }
	if left > 0 {
		warn(fmt.Sprintf("%s of %s left out, those that cost least: GitHub keeps no more. memcost why --json has all.",
			units.Plural(left, "result"), units.Thousands(len(b.results))))
	}
	for _, s := range b.r.Warnings {
		warn(s)
	}
	for _, p := range b.r.Packages {
		for _, s := range p.Partial {
			warn(p.Path + ": " + s)
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
