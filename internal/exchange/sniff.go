package exchange

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"strings"
)

// Sniff determines the format of a file from its beginning, of which 4 KiB are plenty. A
// file that looks like none of the others is taken to be in the Go format, which allows
// other lines between its own.
func Sniff(prefix []byte) Format {
	prefix = bytes.TrimPrefix(prefix, []byte(byteOrderMark))
	trimmed := bytes.TrimSpace(prefix)
	switch {
	case len(trimmed) == 0:
		return Go
	case bytes.HasPrefix(trimmed, []byte(historyPrefix)):
		return Action
	case trimmed[0] == '[':
		if next := bytes.TrimSpace(trimmed[1:]); len(next) > 0 && (next[0] == '{' || next[0] == ']') {
			return Action
		}
	case trimmed[0] == '{':
		return sniffObject(trimmed)
	case sniffCSV(trimmed):
		return CSV
	}
	return Go
}

// sniffObject distinguishes the two formats that are JSON objects by the keys of the
// object. An object whose values are not objects is neither: the lines of go test -json,
// for one, have a "Time".
func sniffObject(prefix []byte) Format {
	prefix, _ = io.ReadAll(newJSONFilter(bytes.NewReader(prefix)))
	dec := json.NewDecoder(bytes.NewReader(prefix))
	dec.Token()
	guess := Go
	for dec.More() {
		tok, err := dec.Token()
		key, ok := tok.(string)
		if err != nil || !ok {
			return guess
		}
		next := bytes.TrimLeft(prefix[dec.InputOffset():], " \t\r\n:")
		switch {
		case key == "benchmarks" && bytes.HasPrefix(next, []byte("[")), key == "context" &&
			bytes.HasPrefix(next, []byte("{")):
			return Google
		case bytes.HasPrefix(next, []byte("{")):
			guess = Bencher
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return guess
		}
	}
	return guess
}

// sniffCSV reports whether the first line is a header that readCSV takes.
func sniffCSV(prefix []byte) bool {
	line, _, _ := bytes.Cut(prefix, []byte("\n"))
	header, err := csv.NewReader(strings.NewReader(string(line))).Read()
	if err != nil {
		return false
	}
	_, ok := tableOf(header)
	return ok
}
