package exchange

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// github-action-benchmark's results are defined by BenchmarkResult in
// src/extract.ts of github.com/benchmark-action/github-action-benchmark, and
// its history, data.js, by DataJson and SCRIPT_PREFIX in src/write.ts.
//
// Lost in reading: the range, which is text of any form ("± 20", "5%"), and of
// a history all but the newest entry of each suite.

func readAction(rd *reading, br *bufio.Reader) error {
	lines, err := skipSpace(br)
	if err != nil {
		return err
	}
	if start, _ := br.Peek(len(historyPrefix)); string(start) == historyPrefix {
		return readHistory(rd, br)
	}
	s := newJSONStream(br)
	s.filter.line = lines
	m := &merger{rd: rd}
	err = entries(s, rd, "github-action-benchmark's array", "", benchForm, func(where string, b actionBench) error {
		return m.add(where, b, nil, "")
	})
	if err != nil && !errors.Is(err, errCut) {
		return err
	}
	return errors.Join(m.flush(), err)
}

// actionBench is BenchmarkResult, whose schema coerces: any scalar is a string.
type actionBench struct {
	Name  scalar          `json:"name"`
	Unit  scalar          `json:"unit"`
	Value json.RawMessage `json:"value"`
	Extra scalar          `json:"extra"`
}

const benchForm = "an object with name, unit and value"

type scalar string

func (s *scalar) UnmarshalJSON(raw []byte) error {
	*s = scalar(text(raw))
	return nil
}

// add adds an entry of the Action's.
func (m *merger) add(where string, b actionBench, conf []benchfmt.Config, tool string) error {
	first, _, _ := strings.Cut(strings.TrimSpace(string(b.Unit)),
		"\t") // "ns/op\t 3 B/op": all that the Go tool had on the line
	if tool == "go" {
		first, _, _ = strings.Cut(first, " ")
	}
	name := strings.TrimSuffix(string(b.Name), " - "+first)
	if pkg := goPackage.FindStringSubmatch(name); tool == "go" && pkg != nil {
		name, conf = pkg[1], append(conf[:len(conf):len(conf)], config("pkg", pkg[2])...)
	}
	v, err := number(b.Value)
	if err == nil && oneWord(name) == "" {
		err = errors.New("cannot be used without a name")
	}
	if err != nil {
		m.rd.warn(where, "the value of %.80q %v, and it is passed over", b.Name, err)
		return nil
	}
	u, _ := parseUnit(first)
	return m.value(where, benchmarkName(name), conf, tool, v, u, iterations(string(b.Extra)))
}

// goPackage is a name with the package that the Action added to it.
var goPackage = regexp.MustCompile(`^(\S+) \((\S+)\)$`)

// extraIterations finds the count in what the Action's own extractors write:
// "30000 times" (Go), "iterations: 30000" (Google Benchmark).
var extraIterations = regexp.MustCompile(`(?m)^(?:(\d+) times|iterations: (\d+))$`)

func iterations(extra string) int {
	if m := extraIterations.FindStringSubmatch(extra); m != nil {
		if n, err := strconv.Atoi(m[1] + m[2]); err == nil && n > 0 {
			return n
		}
	}
	return 1
}

// skipSpace reads white space and counts its lines.
func skipSpace(br *bufio.Reader) (lines int, err error) {
	for {
		c, err := br.ReadByte()
		switch {
		case err == io.EOF:
			return lines, fmt.Errorf("line %d: %w", lines+1, errCut)
		case err != nil:
			return lines, err
		case c == '\n':
			lines++
		case c != ' ' && c != '\t' && c != '\r':
			return lines, br.UnreadByte()
		}
	}
}
