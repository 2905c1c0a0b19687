package proc

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"

	"memcost/internal/base/units"
)

// String returns a line for a POSIX shell that repeats the command from memcost's own
// environment: directory, differences of the environment, quoted words.
func (c Cmd) String() string {
	var words []string
	if c.Dir != "" {
		words = append(words, "cd", units.ShellWord(c.Dir), "&&")
	}
	if c.Env != nil {
		if diff := envDiff(os.Environ(), c.Env); len(diff) > 0 {
			words = append(append(words, "env"), diff...)
		}
	}
	words = append(words, units.ShellWord(c.Path))
	for _, a := range c.Args {
		words = append(words, units.ShellWord(a))
	}
	return strings.Join(words, " ")
}

// envDiff returns the arguments of env(1) that turn the environment from into to.
func envDiff(from, to []string) []string {
	have, want := envMap(from), envMap(to)
	var unset, set []string
	for k := range have {
		if _, ok := want[k]; !ok {
			unset = append(unset, "-u "+units.ShellWord(k))
		}
	}
	for k, v := range want {
		if old, ok := have[k]; !ok || old != v {
			if v != "" {
				v = units.ShellWord(v)
			}
			set = append(set, k+"="+v)
		}
	}
	sort.Strings(unset)
	sort.Strings(set)
	return append(unset, set...)
}

func envMap(env []string) map[string]string {
	m := make(map[string]string, len(env))
	for _, kv := range env {
		if k, v, ok := cutEnv(kv); ok {
			m[k] = v
		}
	}
	return m
}

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
