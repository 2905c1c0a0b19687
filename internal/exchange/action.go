package exchange

import (
	"bufio"
	"errors"
	"fmt"
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
	if err := s.open('[', "github-action-benchmark's array"); err != nil {
		return err
	}
	m := &merger{rd: rd}
	err = s.each(func(i int) error {
		where := fmt.Sprintf("line %d (entry %d)", s.line(), i+1)
		var b actionBench
		bad, err := s.value(&b)
		if err != nil {
			return err
		}
		if bad != nil {
			rd.warn(where, "this is not an object with name, unit and value, and is passed over")
			return nil
		}
		return m.add(where, b, nil, "")
	})
	if err != nil && !errors.Is(err, errCut) {
		return err
	}
	return errors.Join(m.flush(), err)
}
