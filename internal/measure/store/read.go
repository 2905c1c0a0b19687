package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/perf/benchfmt"

	"memcost/internal/base/hint"
)

// ReadQuestion reads run.json into v.
func ReadQuestion(dir string, v any) error {
	if err := exists(dir); err != nil {
		return err
	}
	path := filepath.Join(dir, QuestionFile)
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading run folder %s: %w", dir, err)
	}
	err = json.Unmarshal(data, v)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return unusable(dir, fmt.Sprintf(" line %d", lineAt(data, syntax.Offset)), err)
	case errors.As(err, &kind):
		return unusable(dir, fmt.Sprintf(" line %d", lineAt(data, kind.Offset)), err)
	}
	return Unusable(dir, err)
}

// Unusable returns the error of a run folder whose run.json holds what no run can have
// written, with what is left of the run; nil for nil.
func Unusable(dir string, err error) error {
	if err == nil {
		return nil
	}
	return unusable(dir, "", err)
}

func unusable(dir, where string, err error) error {
	return hint.New("its samples can be read by themselves: memcost report "+filepath.Join(dir, SamplesFile),
		"reading run folder %s: %s%s: %w", dir, QuestionFile, where, err)
}

func lineAt(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(int(offset), len(data))], []byte("\n"))
}

// ReadSamples streams the samples of a run folder to fn. The Result belongs to
// the reader and changes with the next call.
//
// A line that is damaged is passed over and named in the warnings, and so is an
// unfinished last line; err is set when reading itself failed or fn returned an
// error. A folder without samples is an empty one, not an error.
func ReadSamples(dir string, fn func(*benchfmt.Result) error) (warnings []error, err error) {
	path := filepath.Join(dir, SamplesFile)
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading run folder %s: %w", dir, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("reading run folder %s: %w", dir, err)
	}
	whole, err := wholeLines(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("reading run folder %s: %w", dir, err)
	}
	warnings, err = Read(io.LimitReader(f, whole), path, fn)
	if lost := info.Size() - whole; lost > 0 {
		warnings = append(warnings, partialLine(path, lost))
	}
	return warnings, err
}

// maxWarnings bounds the number of warnings about a damaged file.
const maxWarnings = 20

// Read streams a file in the Go benchmark format to fn; see ReadSamples. name
// is the file's name for messages.
func Read(r io.Reader, name string, fn func(*benchfmt.Result) error) (warnings []error, err error) {
	dropped := 0
	warn := func(err error) {
		if len(warnings) < maxWarnings {
			warnings = append(warnings, err)
		} else {
			dropped++
		}
	}
	br := benchfmt.NewReader(newLineChecker(r, name, warn), name)
	for br.Scan() {
		switch rec := br.Result().(type) {
		case *benchfmt.Result:
			if err := fn(rec); err != nil {
				return warnings, err
			}
		case *benchfmt.SyntaxError:
			warn(fmt.Errorf("%s line %d: passed over: %s", rec.FileName, rec.Line, rec.Msg))
		}
	}
	if dropped > 0 {
		warnings = append(warnings, fmt.Errorf("%s: %d more damaged lines", name, dropped))
	}
	if err := br.Err(); err != nil {
		return warnings, fmt.Errorf("reading %s: %w", name, err)
	}
	return warnings, nil
}

// wholeLines returns the number of leading bytes of f, of size bytes in all,
// that end with a newline.
func wholeLines(f io.ReaderAt, size int64) (int64, error) {
	const step = 64 << 10
	buf := make([]byte, step)
	for end := size; end > 0; {
		start := max(end-step, 0)
		n, err := f.ReadAt(buf[:end-start], start)
		if err != nil && err != io.EOF {
			return 0, err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return start + int64(i) + 1, nil
		}
		end = start
	}
	return 0, nil
}

func partialLine(path string, lost int64) error {
	return fmt.Errorf("%s: the last line was not finished when its writer stopped; its %d bytes are left out", path,
		lost)
}
