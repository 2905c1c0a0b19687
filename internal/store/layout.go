package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Names of the parts of a run folder.
const (
	QuestionFile   = "run.json"
	SamplesFile    = "samples.txt"
	DiagnosticsDir = "diagnostics"
	LogsDir        = "logs"
	lockFile       = ".lock"
)

func exists(dir string) error {
	_, err := os.Stat(filepath.Join(dir, QuestionFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, derr := os.Stat(dir); derr != nil {
			return fmt.Errorf("opening run folder %s: no such folder", dir)
		}
		return fmt.Errorf("opening run folder %s: it holds no %s, so it is not a run folder", dir, QuestionFile)
	case err != nil:
		return fmt.Errorf("opening run folder: %w", err)
	}
	return nil
}
