package toolchain

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
)

// diagnose has the compiler explain its decisions about the package, with the
// same flags as the binary's. `go list -export` compiles and does not link, and
// is answered from the go command's cache the second time.
func (j *job) diagnose(ctx context.Context) error {
	res, err := j.goes(ctx, slices.Concat([]string{"list", "-test", "-export"},
		addToFlag(j.flags(0), "gcflags", j.spec.Pkg, "-m=2"), []string{j.spec.Pkg})...)
	if err != nil {
		return err
	}
	if res.Err("") != nil {
		return j.failure(res)
	}
	j.out.Diagnostics = ownSections(res.Stderr)
	j.warnOfDiagnostics(j.out.Diagnostics, res)
	return nil
}

// warnOfDiagnostics says where the compiler's explanations are missing.
func (j *job) warnOfDiagnostics(kept []byte, res proc.Result) {
	if len(kept) == 0 {
		j.warn("the compiler of %s explains nothing about %s (-gcflags=-m=2): what escapes is not known",
			j.spec.Toolchain.Version, j.spec.Pkg)
	}
	if res.StderrLost > 0 {
		j.warn("the compiler's explanations of %s are too long: %d bytes of them are missing", j.spec.Pkg,
			res.StderrLost)
	}
}

// ownSections keeps the sections ("# package" and what follows) about the
// package's own code as it is in the binary: not the generated main package
// ("# p.test"), and not "# p" where "# p [p.test]" is the same with the tests.
func ownSections(text []byte) []byte {
	kept := make([]byte, 0, len(text))
	headers, bodies := sectionsOf(text)
	for _, h := range headers {
		if _, withTests := bodies[h+" ["+h+".test]"]; !withTests && !strings.HasSuffix(h, ".test") {
			kept = append(kept, bodies[h]...)
		}
	}
	return kept
}

// sectionsOf cuts the output of a go command at its headers "# package", each of which begins its
// section. One that occurs twice has both.
func sectionsOf(text []byte) (headers []string, bodies map[string][]byte) {
	bodies = map[string][]byte{}
	start := 0
	if !bytes.HasPrefix(text, []byte("# ")) {
		start = len(text)
		if i := bytes.Index(text, []byte("\n# ")); i >= 0 {
			start = i + 1
		}
	}
	for start < len(text) {
		section := text[start:]
		if i := bytes.Index(section, []byte("\n# ")); i >= 0 {
			section = section[:i+1]
		}
		start += len(section)
		line, _, _ := bytes.Cut(section, []byte("\n"))
		name := strings.TrimSpace(string(line[len("# "):]))
		if old, known := bodies[name]; known {
			bodies[name] = slices.Concat(old, section)
			continue
		}
		headers = append(headers, name)
		bodies[name] = section
	}
	return headers, bodies
}

// failure returns the error of a go command that did not build.
func (j *job) failure(res proc.Result) error {
	text := strings.TrimSpace(string(res.Stderr) + string(res.Stdout))
	if text == "" {
		return res.Err(fmt.Sprintf("building %s in %s with %s", j.spec.Pkg, j.spec.Dir, j.spec.Toolchain.Version))
	}
	lines := strings.Split(text, "\n")
	if more := len(lines) - 20; more > 0 {
		lines = append(lines[:20], fmt.Sprintf("… and %d lines more", more))
	}
	v := j.spec.Toolchain.Version
	advice := advise(text, []remark{
		{[]string{"go.mod requires go >=", "requires newer Go version"}, "the module asks for a newer Go than " + v +
			": choose one with --go, or lower the go line of its go.mod"},
		{[]string{"unknown flag", "flag provided but not defined"}, v + " does not know one of the flags " +
			strings.Join(j.spec.Flags, " ")},
		{[]string{"cannot find main module", "cannot find module"},
			"the package must be in a Go module: run memcost in a folder with a go.mod or below one"}})
	return hint.With(advice, fmt.Errorf("building %s in %s with %s failed:\n\t%s", j.spec.Pkg, j.spec.Dir, v,
		strings.Join(lines, "\n\t")))
}

// A remark is advice on what a go command says in one of some ways.
type remark struct {
	says   []string
	advice string
}

// advise returns the advice of the first remark that a text calls for, "" of none.
func advise(text string, all []remark) string {
	for _, r := range all {
		if slices.ContainsFunc(r.says, func(part string) bool { return strings.Contains(text, part) }) {
			return r.advice
		}
	}
	return ""
}

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
