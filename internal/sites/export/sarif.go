package export

import "memcost/internal/sites"

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
