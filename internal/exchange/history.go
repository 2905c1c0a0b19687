package exchange

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// historyEntry is one run of a benchmark suite in data.js: Benchmark in src/extract.ts.
type historyEntry struct {
	Commit struct {
		ID string `json:"id"`
	} `json:"commit"`
	Date    float64           `json:"date"`
	Tool    string            `json:"tool"`
	Benches []json.RawMessage `json:"benches"`
}

// readHistory reads data.js after its prefix: an object, and perhaps a
// semicolon.
func readHistory(rd *reading, br *bufio.Reader) error {
	br.Discard(len(historyPrefix))
	lines, err := skipSpace(br)
	if err != nil {
		return err
	}
	if c, err := br.ReadByte(); err != nil || c != '=' {
		return fmt.Errorf("line %d: %q should follow %s", lines+1, "=", historyPrefix)
	}
	s := newJSONStream(br)
	s.filter.line = lines
	found := false
	err = s.eachKey(historyPrefix, func(key string) error {
		if key != "entries" {
			return s.skip()
		}
		found = true
		return s.eachKey(`"entries"`, func(study string) error { return readStudy(rd, s, study) })
	})
	if err == nil && !found {
		return errors.New(`there is no "entries": this is not github-action-benchmark's data.js`)
	}
	return err
}

// readSuite emits the newest entry of a suite. Only one is held in memory at a time; of
// two with one date the later one counts, since entries are appended.
func readStudy(rd *reading, s *jsonStream, study string) error {
	of := fmt.Sprintf("suite %.80q", study)
	var newest *historyEntry
	where := ""
	err := entries(s, rd, of, of+", ", "an object with commit, date and benches", func(at string, e historyEntry) error {
		if newest == nil || e.Date >= newest.Date {
			newest, where = &e, at
		}
		return nil
	})
	if err != nil && !errors.Is(err, errCut) || newest == nil {
		return err
	}
	return errors.Join(newest.emit(rd, where, study), err)
}

func (e *historyEntry) emit(rd *reading, where, study string) error {
	conf := slices.Concat(config("suite", study), config("commit", e.Commit.ID), config("date", millis(e.Date)),
		config("tool", e.Tool))
	m := &merger{rd: rd}
	for i, raw := range e.Benches {
		at := fmt.Sprintf("%s, bench %d", where, i+1)
		var b actionBench
		if err := json.Unmarshal(raw, &b); err != nil {
			rd.warn(at, "this is not %s, and is passed over", benchForm)
			continue
		}
		if err := m.add(at, b, conf, e.Tool); err != nil {
			return err
		}
	}
	return m.flush()
}

// historyPrefix is the beginning of data.js; the text from there to the JSON may vary in
// space.
const historyPrefix = "window.BENCHMARK_DATA"

// millis returns a time of data.js, in milliseconds since 1970, in the form of the file
// configuration.
func millis(ms float64) string {
	const year10000 = 253402300800e3
	if ms <= 0 || !(ms < year10000) {
		return ""
	}
	return time.UnixMilli(int64(ms)).UTC().Format(time.RFC3339)
}
