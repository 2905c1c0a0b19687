package language

import (
	"slices"
	"strconv"
	"strings"
)

// A Show holds what is shown of a study, as its study.toml has it (memcost.toml in a
// user's package): the question, which claims answer it, the names of the sides of
// ratios, tables, pictures, and the sets of columns that several of them share. It is
// stored in a run folder unchanged; Parse makes tables and pictures of it.
type Show struct {
	Ask     string   `toml:"ask" json:"ask,omitempty"`
	Command string   `toml:"command" json:"command,omitempty"`
	Answer  []string `toml:"answer" json:"answer,omitempty"`
	// Names holds what sides of ratios are called in sentences, by the terms of their
	// selectors: "from:arena" = "an arena".
	Names map[string]string `toml:"names" json:"names,omitempty"`
	// Sets are columns that tables and pictures have in common, each
	// "HEADER = SELECTOR".
	Sets     map[string][]string `toml:"sets" json:"sets,omitempty"`
	Tables   []View              `toml:"table" json:"tables,omitempty"`
	Pictures []View              `toml:"picture" json:"pictures,omitempty"`
	Vary     Vary                `toml:"vary" json:"vary,omitzero"`
	Latency  Latency             `toml:"latency" json:"latency,omitzero"`
	Front

	File  string         `toml:"-" json:"file,omitempty"` // its path; "" when there is none
	lines map[string]int // line numbers of its parts: see place
}

// A View is a table or a picture of a Show.
type View struct {
	Title string `toml:"title" json:"title"`
	By    string `toml:"by" json:"by"`
	// Of is the benchmark that all columns are of which do not name one themselves.
	Of string `toml:"of" json:"of,omitempty"`
	// Unit is that of all columns which do not have one themselves; "" is sec/op.
	Unit string `toml:"unit" json:"unit,omitempty"`
	// Each names sets whose columns come first, of the cases that Cases selects besides:
	// SELECTOR, or SELECTOR / SELECTOR for a ratio.
	Each    []string `toml:"each" json:"each,omitempty"`
	Cases   string   `toml:"cases" json:"cases,omitempty"`
	Columns []string `toml:"columns" json:"columns,omitempty"` // HEADER = COLUMN
	// Floor is the last column, what the others cannot go below. A table has no row for
	// a figure of its alone; a picture draws it as the roofline.
	Floor string `toml:"floor" json:"floor,omitempty"`
	// Repeat names a set: there is a view for each of its columns, whose header replaces
	// {} in the title, and whose selector is added to that of every column.
	Repeat string `toml:"repeat" json:"repeat,omitempty"`

	// Of pictures.
	Kind    string   `toml:"kind" json:"kind,omitempty"`
	Against []string `toml:"against" json:"against,omitempty"` // claims whose bounds are drawn

	Line int `toml:"-" json:"line,omitempty"`
}

// Vary describes the settings of a C++ program that //memcost:vary lists.
type Vary struct {
	// Published are the settings that someone published, by their keys
	// ("allocator=glibc/setting=default"): the others are the study's own.
	Published []string `toml:"published" json:"published,omitempty"`
	// Replaces names the sets whose columns are replaced by the user's own settings: see
	// WithVariants.
	Replaces []string `toml:"replaces" json:"replaces,omitempty"`
}

// A naming is the name of a side of a ratio whose selector has these terms.
type naming struct {
	terms []string
	words string
}

// Latency describes the search for the slowest calls of malloc and free.
type Latency struct {
	// Sizes are the block sizes, with the number of operations in the quick and in the
	// full profile.
	Sizes []LatencySize `toml:"sizes" json:"sizes,omitempty"`
	// Skip are the settings that the quick profile leaves out.
	Skip []string `toml:"skip" json:"skip,omitempty"`
}

// A LatencySize is a block size in bytes and how many operations each profile does of it.
type LatencySize struct {
	Bytes int `toml:"bytes" json:"bytes"`
	Quick int `toml:"quick" json:"quick"`
	Full  int `toml:"full" json:"full"`
}

// place returns the key of an element of a list.
func place(list string, i int) string { return list + "." + strconv.Itoa(i) }

// ordinals are the first numbers in words.
var ordinals = strings.Fields("first second third fourth fifth sixth seventh eighth ninth tenth")

// spoken returns the name of a part in words: "by of the first [[table]]" of "table.0.by",
// "the second of columns of the first [[table]]" of "table.0.columns.1".
func spoken(part string) string {
	words := strings.Split(part, ".")
	if words[0] == "names" { // a selector may have dots of its own
		return part
	}
	nth := func(at int) string {
		if i, err := strconv.Atoi(words[at]); err == nil && i < len(ordinals) {
			return "the " + ordinals[i]
		} else if err == nil {
			return "number " + strconv.Itoa(i+1)
		}
		return ""
	}
	if words[0] == "sets" && len(words) > 2 && nth(len(words)-1) != "" {
		return nth(len(words)-1) + " of " + strings.Join(words[:len(words)-1], ".")
	}
	lists := []string{"table", "picture", "advise", "axis", "article"}
	if !slices.Contains(lists, words[0]) || len(words) < 2 || nth(1) == "" {
		return part
	}
	out := nth(1) + " [[" + words[0] + "]]"
	if strings.HasPrefix(out, "number") {
		out = "[[" + words[0] + "]] " + nth(1)
	}
	if len(words) > 2 {
		out = words[2] + " of " + out
	}
	if len(words) > 3 {
		out = nth(3) + " of " + out
	}
	return out
}

// pos returns the line of a part of the file, or of the part that contains it where the
// part itself is not found.
func (s *Show) pos(part string) Pos {
	for {
		if line, ok := s.lines[part]; ok {
			return Pos{s.File, line}
		}
		i := strings.LastIndexByte(part, '.')
		if i < 0 {
			return Pos{s.File, s.lineOf(part)}
		}
		if line := s.lineOf(part); line > 0 {
			return Pos{s.File, line}
		}
		part = part[:i]
	}
}

// lineOf returns the line that a run folder stored for a view.
func (s *Show) lineOf(part string) int {
	list, index, _ := strings.Cut(part, ".")
	views := map[string][]View{"table": s.Tables, "picture": s.Pictures}[list]
	if i, err := strconv.Atoi(index); err == nil && i < len(views) {
		return views[i].Line
	}
	return 0
}
