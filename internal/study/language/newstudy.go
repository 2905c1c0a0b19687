// This part of the package writes a study to begin with: a folder of plain benchmarks with their
// expectations and claims, what is shown of them, and tests of its own.

package language

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"memcost/internal/base/hint"
)

//go:embed _files/*.tmpl
var files embed.FS

// OldestGo is the version in the go.mod of a study that is in no module yet.
const OldestGo = "1.22"

// A File is one of a study: its path, and what is in it.
type File struct {
	Path string
	Data []byte
}

var packageName = regexp.MustCompile(`^[a-z][a-z0-9]*$`)

// Files returns the files of a study in a folder, whose last element is its name. A go.mod is
// among them if the folder is in no module.
func Files(dir string) ([]File, error) {
	name := filepath.Base(dir)
	if !packageName.MatchString(name) || token.IsKeyword(name) {
		return nil, hint.Usage("take small letters and digits, a letter first: memcost new study slices",
			"%q cannot be the name of a package", name)
	}
	targets := map[string]string{"bench_test.go": name + "_test.go", "checks_test.go": "checks_test.go",
		"memcost.toml": "memcost.toml"}
	inModule, err := hasModule(dir)
	if err != nil {
		return nil, err
	}
	if !inModule {
		targets["go.mod"] = "go.mod"
	}
	if name == "checks" {
		targets["checks_test.go"] = "sides_test.go"
	}
	var out []File
	for _, from := range []string{"bench_test.go", "checks_test.go", "memcost.toml", "go.mod"} {
		if targets[from] == "" {
			continue
		}
		data, err := filled(from, name)
		if err != nil {
			return nil, err
		}
		out = append(out, File{filepath.Join(dir, targets[from]), data})
	}
	return out, nil
}

func filled(from, name string) ([]byte, error) {
	text, err := fs.ReadFile(files, "_files/"+from+".tmpl")
	if err != nil {
		return nil, err
	}
	t, err := template.New(from).Parse(string(text))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, map[string]string{"Package": name, "Go": OldestGo})
	return b.Bytes(), err
}

// hasModule reports whether a folder, which need not exist, is in a module.
func hasModule(dir string) (bool, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return false, fmt.Errorf("finding the folder %s: %w", dir, err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return true, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return false, nil
		}
		dir = parent
	}
}

// Write writes a study into a folder that does not exist, or is empty: all of it or nothing.
func Write(dir string) ([]File, error) {
	all, err := Files(dir)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	switch {
	case err == nil && len(entries) > 0:
		return nil, hint.Usage("take another name, or remove the folder", "%s exists and is not empty", dir)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, hint.With("name a folder that does not exist", fmt.Errorf("looking into %s: %w", dir, err))
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, fmt.Errorf("making the folder for the study: %w", err)
	}
	// Beside its place, so that the last step is a rename.
	temp, err := os.MkdirTemp(filepath.Dir(dir), ".new-study-")
	if err != nil {
		return nil, fmt.Errorf("making the folder for the study: %w", err)
	}
	defer os.RemoveAll(temp)
	for _, f := range all {
		if err := os.WriteFile(filepath.Join(temp, filepath.Base(f.Path)), f.Data, 0o644); err != nil {
			return nil, fmt.Errorf("writing the study: %w", err)
		}
	}
	if err := os.Chmod(temp, 0o755); err != nil {
		return nil, fmt.Errorf("writing the study: %w", err)
	}
	if err := os.Rename(temp, strings.TrimSuffix(dir, string(filepath.Separator))); err != nil {
		return nil, fmt.Errorf("writing the study to its place: %w", err)
	}
	return all, nil
}
