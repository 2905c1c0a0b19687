package toolchain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"memcost/internal/base/proc"
)

// exe is the ending of a program's name.
var exe = map[bool]string{true: ".exe"}[runtime.GOOS == "windows"]

// session runs go commands outside any module, in a clean environment.
type session struct {
	runner *proc.Runner
	goCmd  string
	dir    string // empty, so that no go.mod, go.work or vendor folder is found
	env    []string
}

// openSession makes the folder and the environment.
func openSession(r *proc.Runner, goCmd string, user []string) (*session, error) {
	env, err := Environ(user)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "memcost-go-")
	if err != nil {
		return nil, fmt.Errorf("making an empty folder to run go in: %w", err)
	}
	return &session{runner: r, goCmd: goCmd, dir: dir, env: env}, nil
}

// Environ returns the environment in which a go command is to be run: the user's (nil is
// memcost's own), with the file of `go env -w` below it, both without the variables that
// proc.CleanEnv removes, and then set. So the user's proxy, folders and C compiler
// count, and no GOFLAGS. The file is read here and GOENV is off, because cmd/go takes an
// empty variable for an unset one: GOFLAGS= would not hide a GOFLAGS in the file, and a
// release that does not support one of its flags refuses to run.
func Environ(user []string, set ...string) ([]string, error) {
	user = environ(user)
	saved, err := readEnvFile(user)
	if err != nil {
		return nil, err
	}
	set = slices.Concat([]string{"GOENV=off", "GOTOOLCHAIN=local"}, quietGit(user), set)
	return proc.CleanEnv(append(saved, user...), set...), nil
}

// quietGit are the settings with which the git that cmd/go asks for the revision of a package runs no program that the
// repository names: no monitor of its files, and no hook. The user's own stay.
func quietGit(user []string) []string {
	n := 0
	for _, kv := range user {
		if count, is := strings.CutPrefix(kv, "GIT_CONFIG_COUNT="); is {
			n, _ = strconv.Atoi(count)
		}
	}
	at := func(i int, key, value string) []string {
		return []string{fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n+i, key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n+i, value)}
	}
	return slices.Concat([]string{"GIT_OPTIONAL_LOCKS=0", fmt.Sprintf("GIT_CONFIG_COUNT=%d", n+2)},
		at(0, "core.fsmonitor", "false"), at(1, "core.hooksPath", os.DevNull))
}

// readEnvFile reads the file of `go env -w`: lines KEY=value, without quotes
// (cmd/go/internal/cfg, Go 1.26). There need not be one.
func readEnvFile(user []string) ([]string, error) {
	path := ""
	for _, kv := range user {
		if v, ok := strings.CutPrefix(kv, "GOENV="); ok {
			path = v
		}
	}
	if path == "" {
		config, err := os.UserConfigDir()
		if err != nil {
			return nil, nil // as the go command does
		}
		path = filepath.Join(config, "go", "env")
	}
	if path == "off" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the settings of go env -w: %w", err)
	}
	var set []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if line != "" && 'A' <= line[0] && line[0] <= 'Z' && strings.Contains(line, "=") {
			set = append(set, line)
		}
	}
	return set, nil
}

func (s *session) close() { os.RemoveAll(s.dir) }

// run runs the go command with further variables set.
func (s *session) run(ctx context.Context, set []string, args ...string) (proc.Result, error) {
	return s.runner.Run(ctx, proc.Cmd{Path: s.goCmd, Args: args, Dir: s.dir, Env: slices.Concat(s.env, set)})
}

// settings returns the output of `go env`.
func (s *session) settings(ctx context.Context) (map[string]string, error) {
	what := "asking " + s.goCmd + " for its settings (go env -json)"
	res, err := s.run(ctx, nil, "env", "-json")
	if err == nil {
		err = res.Err(what)
	}
	if err != nil {
		return nil, err
	}
	var values map[string]string
	if err := json.Unmarshal(res.Stdout, &values); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return values, nil
}

// identify asks the go command for its version and root.
func (s *session) identify(ctx context.Context) (Toolchain, error) {
	what := "asking " + s.goCmd + " for its version"
	res, err := s.run(ctx, nil, "version")
	if err == nil {
		err = res.Err(what)
	}
	if err != nil {
		return Toolchain{}, err
	}
	tc := Toolchain{GoCmd: s.goCmd}
	// "go version go1.26.8 linux/amd64", "go version devel go1.27-2f1b1a linux/amd64"
	for _, word := range strings.Fields(string(res.Stdout)) {
		if strings.HasPrefix(word, "go1") {
			tc.Version = word
			break
		}
	}
	if tc.Version == "" {
		return Toolchain{}, fmt.Errorf("%s: it says %q", what, strings.TrimSpace(string(res.Stdout)))
	}
	res, err = s.run(ctx, nil, "env", "GOROOT")
	if err == nil {
		err = res.Err("asking " + s.goCmd + " for its GOROOT")
	}
	if err != nil {
		return Toolchain{}, err
	}
	tc.GOROOT, err = filepath.EvalSymlinks(strings.TrimSpace(string(res.Stdout)))
	if err != nil {
		return Toolchain{}, fmt.Errorf("finding the GOROOT of %s: %w", s.goCmd, err)
	}
	return tc, nil
}

func environ(env []string) []string {
	if env == nil {
		return os.Environ()
	}
	return env
}
