package session

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/measure/sample"
)

// targetOf returns the program that runs a command line, and whether that is a shell. Programs
// are looked up from the folder dir.
func targetOf(text, dir string, env []string) (t sample.Target, shell bool, err error) {
	l, err := readLine(text)
	if err != nil {
		return t, false, fmt.Errorf("%q: %w", text, err)
	}
	if l.shell != "" {
		sh, err := proc.LookPath("sh", env)
		if err != nil {
			return t, true, hint.New("leave out what only a shell understands", "%q needs a shell because of %s: %w",
				text, l.shell, err)
		}
		return sample.Target{Path: sh, Args: []string{"-c", text}, Dir: dir, Env: env}, true, nil
	}
	program := l.words[0]
	if strings.ContainsRune(program, filepath.Separator) || strings.Contains(program, "/") {
		if !filepath.IsAbs(program) {
			program = filepath.Join(dir, program)
		}
		err = executable(program)
	} else {
		program, err = proc.LookPath(program, env)
	}
	if err != nil {
		return t, false, hint.Usage("a side of --command is a command line, or settings NAME=VALUE of the first one",
			"--command %q: %w", text, err)
	}
	return sample.Target{Path: program, Args: l.words[1:], Dir: dir, Env: slices.Concat(env, l.env)}, false, nil
}

// executable returns why a file cannot be run, nil if it can.
func executable(file string) error {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder", file)
	case !runnable(info):
		return fmt.Errorf("%s is not executable", file)
	}
	return nil
}

// hashOf returns the hash of a file's content.
func hashOf(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("reading %s: %w", file, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
