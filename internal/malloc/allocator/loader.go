package allocator

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Process is one process of a program, as the dynamic loader of the GNU C library saw it.
type Process struct {
	Programs []string // what it executed, as it was called, one after the other
	Loaded   []string // the files of the libraries that were set up in it
}

// LoaderEnv returns the variables by which the loader writes what it loads into files in a folder,
// one for each process: see ld.so(8). A program that ignores LD_PRELOAD ignores them, too.
func LoaderEnv(dir string) []string {
	return []string{"LD_DEBUG=files", "LD_DEBUG_OUTPUT=" + filepath.Join(dir, loaderFile)}
}

const loaderFile = "loader"

// ReadLoader reads what the loader wrote into a folder.
func ReadLoader(dir string) ([]Process, error) {
	names, err := filepath.Glob(filepath.Join(dir, loaderFile+".*"))
	if err != nil {
		return nil, err
	}
	var out []Process
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		out = append(out, parseLoader(text))
	}
	return out, nil
}

// parseLoader reads what the loader wrote of one process. Each line has the process's number in
// front; the lines that count are "calling init: FILE" and "initialize program: NAME".
func parseLoader(text []byte) (p Process) {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		_, line, _ := strings.Cut(lines.Text(), ":\t")
		if file, ok := strings.CutPrefix(line, "calling init: "); ok && !slices.Contains(p.Loaded, file) {
			p.Loaded = append(p.Loaded, file)
		}
		if name, ok := strings.CutPrefix(line, "initialize program: "); ok {
			p.Programs = append(p.Programs, name)
		}
	}
	return p
}

// Loads reports whether a process loaded a library.
func (p Process) Loads(library string) bool {
	real, err := filepath.EvalSymlinks(library)
	return slices.ContainsFunc(p.Loaded, func(file string) bool {
		if file == library {
			return true
		}
		other, errOther := filepath.EvalSymlinks(file)
		return err == nil && errOther == nil && other == real
	})
}
