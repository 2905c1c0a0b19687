package budget

import (
	"path"
	"strconv"
	"strings"
)

// Seen holds which functions the compiler was given: by file, as in why.Site, and line. It
// tells what allocates nothing from what was not compiled: a file for another system, or
// a generic function that nobody uses.
type Seen map[string]map[int]bool

// Add adds the functions of a package, from what its compiler printed with -gcflags=-m=2:
// that prints of each function whether it can be inlined. dir is the package's folder, from
// that of its module.
func (s Seen) Add(diagnostics []byte, dir string) {
	for line := range strings.Lines(string(diagnostics)) {
		at, text, ok := strings.Cut(line, ": ")
		if !ok || !strings.HasPrefix(text, "can inline ") && !strings.HasPrefix(text, "cannot inline ") {
			continue
		}
		file, number, ok := strings.Cut(at, ".go:")
		number, _, _ = strings.Cut(number, ":")
		n, err := strconv.Atoi(number)
		if !ok || err != nil {
			continue
		}
		file = path.Join(dir, path.Base(strings.ReplaceAll(file, `\`, "/"))+".go")
		if s[file] == nil {
			s[file] = map[int]bool{}
		}
		s[file][n] = true
	}
}

// why says why nothing is known of a budget's place, "" where the compiler saw it.
func (s Seen) why(b Budget) string {
	lines, ok := s[b.File]
	switch {
	case s == nil:
		return ""
	case !ok:
		return b.File + " was not compiled"
	case b.declared != 0 && !lines[b.declared]:
		return b.Function + " was not compiled"
	}
	return ""
}
