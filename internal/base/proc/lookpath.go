package proc

import (
	"fmt"
	"os/exec"
	"path/filepath"
)

// ErrNotFound is in the error of LookPath when the program is in no directory.
var ErrNotFound = exec.ErrNotFound

// LookPath finds a program on the PATH of env (in the form of os.Environ, the
// last PATH counts), which need not be memcost's own. The path is absolute.
func LookPath(program string, env []string) (string, error) {
	path := ""
	for _, kv := range env {
		if k, v, ok := cutEnv(kv); ok && foldKey(k) == "PATH" {
			path = v
		}
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue // a program found through "." depends on the working directory
		}
		if found, err := exec.LookPath(filepath.Join(dir, program)); err == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf("looking for %s on PATH: %w", program, ErrNotFound)
}
