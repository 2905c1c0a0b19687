package toolchain

import (
	"bytes"
	"path/filepath"
)

// absolute returns diagnostics with the whole name of each file. The go command prints one
// relative to the folder in which it runs where that is shorter: "./x.go:1:2: …", and at the
// end of a step "… at ../y/x.go:3:4".
func absolute(text []byte, dir string) []byte {
	out := make([]byte, 0, len(text)+len(text)/2)
	names := map[string]string{}
	for line := range bytes.Lines(text) {
		if line[0] == '#' || line[0] == ' ' || line[0] == '\t' || line[0] == '<' {
			out = append(out, line...)
			continue
		}
		name, rest := fileOf(line)
		out = append(out, wholeName(names, dir, name)...)
		if at := bytes.LastIndex(rest, []byte(" at ")); at >= 0 {
			at += len(" at ")
			out = append(out, rest[:at]...)
			name, rest = fileOf(rest[at:])
			out = append(out, wholeName(names, dir, name)...)
		}
		out = append(out, rest...)
	}
	return out
}

// fileOf cuts the name of a Go file off the beginning of a position; "" is none.
func fileOf(text []byte) (name, rest []byte) {
	const suffix = ".go"
	end := bytes.Index(text, []byte(suffix+":"))
	if end < 0 || bytes.Contains(text[:end], []byte(": ")) {
		return nil, text
	}
	return text[:end+len(suffix)], text[end+len(suffix):]
}

func wholeName(known map[string]string, dir string, name []byte) string {
	if len(name) == 0 {
		return ""
	}
	whole, ok := known[string(name)]
	if !ok {
		whole = string(name)
		if !filepath.IsAbs(whole) {
			whole = filepath.Join(dir, whole)
		}
		known[string(name)] = whole
	}
	return whole
}
