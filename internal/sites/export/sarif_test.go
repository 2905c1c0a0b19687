package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	_ "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif" // its source has the schema
	"github.com/xeipuuv/gojsonschema"
	"golang.org/x/tools/go/packages"

	"memcost/internal/sites"
	"memcost/internal/testkit"
)

// schema returns the JSON schema of SARIF 2.1.0 (OASIS, errata 01), which the library go-sarif
// has in its source.
func schema(t *testing.T) *gojsonschema.Schema {
	t.Helper()
	found, err := packages.Load(&packages.Config{Mode: packages.NeedFiles},
		"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif")
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	for _, file := range found[0].GoFiles {
		if filepath.Base(file) != "schema.go" {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		value := f.Decls[0].(*ast.GenDecl).Specs[0].(*ast.ValueSpec).Values[0].(*ast.BasicLit)
		text, err := strconv.Unquote(value.Value)
		if err != nil {
			t.Fatal(err)
		}
		s, err := gojsonschema.NewSchema(gojsonschema.NewStringLoader(text))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	t.Fatal("the library has no schema")
	return nil
}

// problems returns what the schema says against a text.
func problems(t *testing.T, s *gojsonschema.Schema, text []byte) []string {
	t.Helper()
	r, err := s.Validate(gojsonschema.NewBytesLoader(text))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range r.Errors() {
		out = append(out, e.String())
	}
	return out
}

// The parts of SARIF 2.1.0 that are written.

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

func sarifOf(t *testing.T, r *sites.Report, f []Finding, o Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := SARIF(&b, r, f, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func read(t *testing.T, text []byte) sarifRun {
	t.Helper()
	var log sarifLog
	if err := json.Unmarshal(text, &log); err != nil || len(log.Runs) != 1 {
		t.Fatal(err, len(log.Runs))
	}
	return log.Runs[0]
}

func TestSARIFIsValid(t *testing.T) {
	s := schema(t)
	static := report()
	static.Mode, static.Benchmarks = "static", nil
	for i := range static.Sites {
		static.Sites[i].Costs, static.Sites[i].Rank = nil, 0
	}
	for name, text := range map[string][]byte{
		"sites": sarifOf(t, report(), budgets, options), "no options": sarifOf(t, report(), budgets, Options{}),
		"static": sarifOf(t, static, nil, options), "nothing": sarifOf(t, &sites.Report{}, nil, Options{}),
		"hostile": sarifOf(t, hostile(20), []Finding{{Says: "\xff"}, {Says: "\xff"}}, Options{}),
	} {
		for _, p := range problems(t, s, text) {
			t.Errorf("%s: %s", name, p)
		}
	}
	for _, wrong := range []string{`"text"`, `"ruleId"`, `"startLine"`, `"threadFlows"`, `"version": "2.1.0"`,
		`"warning"`} {
		text := bytes.Replace(sarifOf(t, report(), budgets, options), []byte(wrong), []byte(`"x"`), 1)
		if json.Valid(text) && len(problems(t, s, text)) == 0 {
			t.Errorf("without %s it is valid, too", wrong)
		}
	}
}

func TestSARIFGolden(t *testing.T) {
	testkit.Golden(t, "testdata/sites.sarif", string(sarifOf(t, report(), budgets, options)))
}

// The results stand by cost behind the budgets; flows, chains and callees are there.
func TestSARIFResults(t *testing.T) {
	run := read(t, sarifOf(t, report(), budgets, options))
	var got []string
	for _, r := range run.Results {
		got = append(got, r.RuleID+" "+r.Level)
		if rule := run.Tool.Driver.Rules[r.RuleIndex]; rule.ID != r.RuleID {
			t.Errorf("rule %d is %s, not %s", r.RuleIndex, rule.ID, r.RuleID)
		}
	}
	want := "budget error, budget note, returned-pointer warning, fmt note, uncategorised note, append-growth note"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("%s; want %s", s, want)
	}
	decode := run.Results[2]
	if at := decode.Locations[0].Physical; at.Artifact.URI != "go/codec/decode.go" || at.Artifact.BaseID != rootID ||
		at.Region.StartLine != 4 || at.Region.StartColumn != 20 || at.Region.EndColumn != 28 {
		t.Errorf("%+v %+v", at.Artifact, at.Region) // ü is one unit and 𝛼 two, of two and four bytes
	}
	if steps := decode.CodeFlows[0].ThreadFlows[0].Locations; len(steps) != 2 ||
		strings.Contains(steps[0].Location.Message.Text, "](") {
		t.Errorf("%+v", steps)
	}
	if decode.Rank != 80 || len(decode.Stacks[0].Frames) != 2 || decode.Properties.Objects != 2 {
		t.Errorf("%+v", decode)
	}
	if log := run.Results[3]; log.Related[0].Physical.Artifact.URI != "file:///usr/go/src/fmt/print.go" ||
		log.Locations[0].Physical.Artifact.URI != "go/codec/log%20a:b.go" {
		t.Errorf("%+v", log.Locations[0].Physical)
	}
}

// A site is recognised although its line changed, and not mistaken for another.
func TestFingerprints(t *testing.T) {
	old, moved := report(), report()
	for i := range moved.Sites {
		moved.Sites[i].Line += 100
		moved.Sites[i].Costs = nil
	}
	a, b := read(t, sarifOf(t, old, budgets, options)), read(t, sarifOf(t, moved, budgets, options))
	prints := func(run sarifRun) map[string]string {
		out := map[string]string{}
		for _, r := range run.Results {
			id := r.RuleID
			if r.Properties != nil {
				id = r.Properties.Site
			}
			out[id] = r.Fingerprints["primaryLocationLineHash"]
		}
		return out
	}
	seen := map[string]bool{}
	for id, p := range prints(a) {
		if p == "" || seen[p] || prints(b)[id] != p {
			t.Errorf("%s: %q and %q", id, p, prints(b)[id])
		}
		seen[p] = true
	}
}

// hostile returns a report of many sites whose names cannot be compressed.
func hostile(n int) *sites.Report {
	r := &sites.Report{Mode: "benchmarks", Benchmarks: []sites.Benchmark{{Name: "X", N: 1, Objects: 1e9, Bytes: 1e12}}}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		name := make([]byte, 1500)
		for j := range name {
			name[j] = byte(random.UintN(256))
		}
		r.Sites = append(r.Sites, sites.Site{ID: fmt.Sprint(i), Rank: i + 1, Class: sites.CertainHeap,
			Function: string(name),
			File:     string(name[:200]), Line: i - 1, Col: 3, Text: string(name), Flow: []string{string(name)},
			Expr:  string(name),
			Costs: []sites.Cost{{Objects: float64(n - i), Bytes: 16 * float64(n-i)}}})
	}
	return r
}

// Of too many results those that cost most are kept, and the rest is counted.
func TestSARIFLimits(t *testing.T) {
	r := &sites.Report{Mode: "static"}
	for i := range 7000 {
		r.Sites = append(r.Sites, sites.Site{ID: fmt.Sprint(i), Class: sites.Conditional, Function: "F", File: "f.go",
			Line: 1 + i})
	}
	r.Sites[6999].Rank = 1
	run := read(t, sarifOf(t, r, budgets, options))
	if len(run.Results) != mostResults || run.RunProperties.LeftOut != 2002 || run.Results[0].RuleID != budgetRule ||
		run.Results[2].Properties.Site != "6999" {
		t.Errorf("%d results, %d left out", len(run.Results), run.RunProperties.LeftOut)
	}
	if n := run.Invocations[0].Notifications; len(n) != 1 || !strings.HasPrefix(n[0].Message.Text,
		"2002 results of 7,002") {
		t.Errorf("%+v", n)
	}
	b := newSarif(hostile(400), Options{})
	for _, s := range byCost(b.r) {
		b.site(s)
	}
	const limit = 300_000
	text, err := b.within(mostResults, limit)
	size, err2 := zippedSize(text)
	if err != nil || err2 != nil || size >= limit || size < limit/2 {
		t.Errorf("%d bytes, %v, %v", size, err, err2)
	}
	if run := read(t, text); len(run.Results) == 0 || len(run.Results)+run.RunProperties.LeftOut != 400 {
		t.Errorf("%d results, %d left out", len(run.Results), run.RunProperties.LeftOut)
	}
}
