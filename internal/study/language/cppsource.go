package language

import (
	"go/doc"
	"regexp"
	"strings"
)

// A C++ benchmark, as Google Benchmark has it: a function of a benchmark::State, which
// may carry directives in the // comment above it, or a registration by macro or call.
var (
	cppFunction = regexp.MustCompile(`^(?:static\s+|inline\s+)*void\s+(\w+)\s*\(\s*(?:::)?benchmark::State\b`)
	cppMacro    = regexp.MustCompile(`^BENCHMARK(?:_[A-Z_]+)?\s*\(\s*(\w+)`)
	cppCall     = regexp.MustCompile(`\bRegisterBenchmark\s*\(\s*"([^"/]+)`)
)

// readCPP reads the line comments that start a line. A directive behind code is a
// warning, because telling it from a string literal takes a C++ lexer.
func (f *folder) readCPP(name, src string) {
	x := &file{}
	f.files = append(f.files, x)
	type comment struct {
		text string
		pos  Pos
	}
	var block []comment // the // lines right above
	flush := func(scope string) string {
		text := ""
		for _, c := range block {
			x.comment(c.text, scope, c.pos)
			if !strings.HasPrefix(c.text, prefix) {
				text += strings.TrimPrefix(c.text, "//") + "\n"
			}
		}
		block = nil
		return new(doc.Package).Synopsis(text)
	}
	for i, line := range strings.Split(src, "\n") {
		line = strings.TrimSpace(line)
		pos := Pos{name, i + 1}
		if strings.HasPrefix(line, "//") {
			block = append(block, comment{line, pos})
			continue
		}
		if i := strings.Index(line, prefix); i >= 0 {
			d := newDirective(line[i+len(prefix):], "", pos)
			x.warnings = append(x.warnings, syntaxError(d, "is not read: in C++ a directive has a line of its own", ""))
		}
		bench := cppBenchmark(line)
		first := len(block) > 0 && block[0].pos.Line == 1
		text := flush(bench)
		if first && bench == "" && !isLicense(text) {
			x.doc = text
		}
		if bench != "" {
			x.benchmarks = append(x.benchmarks, Benchmark{Name: bench, Doc: text, Pos: pos})
		}
	}
	flush("")
}

// cppBenchmark returns the name of the benchmark that a line defines or registers,
// without the prefix that C++ benchmarks carry by custom, or "".
func cppBenchmark(line string) string {
	for _, re := range []*regexp.Regexp{cppFunction, cppMacro, cppCall} {
		if m := re.FindStringSubmatch(line); m != nil {
			return strings.TrimPrefix(strings.TrimPrefix(m[1], "BM_"), "Benchmark")
		}
	}
	return ""
}

func isLicense(text string) bool {
	return strings.HasPrefix(text, "Copyright") || strings.HasPrefix(text, "SPDX")
}
