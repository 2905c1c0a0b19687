package join

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"

	"memcost/internal/sites"
)

// files are the source files of the packages that were asked for.
type files struct {
	dir   string // of the module
	read  func(path string) ([]byte, error)
	texts map[string]text // by their paths
}

var generatedBy = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

func (f *files) frame(l line) sites.Frame {
	return sites.Frame{Function: strings.ReplaceAll(l.fn, "%2e", "."), File: f.relative(l.file), Line: l.line}
}

// relative returns a file's path from the module's folder, with slashes; a file outside as it is.
func (f *files) relative(file string) string {
	if f.dir != "" && filepath.IsAbs(file) {
		if rel, err := filepath.Rel(f.dir, file); err == nil && rel != ".." &&
			!strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(file)
}

// A text is a source file by lines.
type text struct {
	lines     [][]byte
	generated bool
}

func (f *files) text(path string) text {
	if t, ok := f.texts[path]; ok || f.read == nil {
		return t
	}
	var t text
	if data, err := f.read(path); err == nil {
		t = text{bytes.Split(data, []byte("\n")), generatedBy.Match(data)}
	}
	if f.texts == nil {
		f.texts = map[string]text{}
	}
	f.texts[path] = t
	return t
}
