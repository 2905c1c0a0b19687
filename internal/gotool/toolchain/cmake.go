package toolchain

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"memcost/internal/base/cache"
	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
)

// cppHint is the advice for a system without the tools that a C++ study is built with.
const cppHint = "on Debian or Ubuntu: apt-get install cmake g++ libbenchmark-dev"

// Compiler returns the C++ compiler that CMake takes: CXX, or c++ on PATH. Its Version
// reads "g++ 12.2.0".
func (b *Builder) Compiler(ctx context.Context) (Toolchain, error) {
	path, text, err := b.FindCompiler(ctx, "C++", "CXX", "c++", cppHint)
	return Toolchain{Version: compilerVersion(text), GoCmd: path}, err
}

// FindCompiler returns the compiler of a language, which a variable names or which is on PATH, and what it says
// of its version. The advice is for a system without one.
func (b *Builder) FindCompiler(ctx context.Context, language, variable, name, advice string) (path, version string,
	err error) {
	env := environ(b.Env)
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, variable+"="); ok && v != "" {
			name = v
		}
	}
	path, err = name, nil
	if !filepath.IsAbs(name) {
		path, err = proc.LookPath(name, env)
	}
	if errors.Is(err, proc.ErrNotFound) {
		return "", "", hint.New(advice, "finding the %s compiler: there is no %s on PATH", language, name)
	}
	if err != nil {
		return "", "", fmt.Errorf("finding the %s compiler: %w", language, err)
	}
	res, err := b.Runner.Run(ctx, proc.Cmd{Path: path, Args: []string{"--version"}, Env: env, Timeout: time.Minute})
	if err == nil {
		err = res.Err("asking " + path + " for its version")
	}
	return path, string(res.Stdout), err
}

// compilerVersion returns the name and the version in the first line that a compiler
// prints: "g++ (Debian 12.2.0-14) 12.2.0", "Debian clang version 14.0.6".
func compilerVersion(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	name, version := "c++", ""
	for _, w := range strings.Fields(first) {
		switch {
		case strings.Contains(w, "clang"):
			name = "clang"
		case strings.Contains(w, "g++") || strings.Contains(w, "c++") || strings.Contains(w, "gcc"):
			name = "g++"
		case w[0] >= '0' && w[0] <= '9' && strings.Contains(w, "."):
			version, _, _ = strings.Cut(strings.TrimRight(w, ")"), "-")
		}
	}
	return strings.TrimSpace(name + " " + version)
}

// Has reports whether a command is on PATH for what is built.
func (b *Builder) Has(command string) bool {
	_, err := proc.LookPath(command, environ(b.Env))
	return err == nil
}

// BuildCMake builds the program of a C++ study: the target of its CMakeLists.txt that
// is called like the program. Further arguments (--preset=NAME) are those of cmake.
func (b *Builder) BuildCMake(ctx context.Context, source fs.FS, program string, compiler Toolchain,
	args ...string) (Binaries, error) {
	configure := append([]string{"cmake", "-S", "source", "-B", "build", "-DCMAKE_BUILD_TYPE=Release",
		"-DBUILD_TESTING=OFF"}, args...)
	path, err := b.BuildNative(ctx, Native{Name: program, With: compiler.Version, Key: compiler.GoCmd, Advice: cppHint,
		Source: source, Made: "build/" + program + exe, Commands: [][]string{configure,
			{"cmake", "--build", "build", "--target", program, "--parallel", "2"}}})
	if err != nil {
		return Binaries{}, err
	}
	content, _, err := examine(path, marker)
	return Binaries{Paths: []string{path}, Layouts: []uint64{0}, Hash: content, FloatAllocs: true}, err
}

// Native is a file that other tools than Go's build.
type Native struct {
	Name      string // of what is built, for messages
	With, Key string // the compiler, in words, and what else tells it from others
	Advice    string // for a system without the tools
	Source    fs.FS
	// Commands run in a folder with the sources in its folder source, and make the file Made in it.
	Commands [][]string
	Made     string
}

// BuildNative returns the file. One that was built of the same sources by the same commands is taken from the
// cache.
func (b *Builder) BuildNative(ctx context.Context, n Native) (string, error) {
	dir, err := filepath.Abs(b.CacheDir)
	if err != nil {
		return "", fmt.Errorf("finding the build cache: %w", err)
	}
	sum, err := HashDir(n.Source)
	if err != nil {
		return "", err
	}
	key := hash(append([]string{sum, n.Name, n.With, n.Key}, slices.Concat(n.Commands...)...)...)
	path := filepath.Join(dir, key, filepath.Base(n.Made))
	if _, err := os.Stat(path); err != nil {
		if b.Log != nil {
			b.Log(fmt.Sprintf("building %s with %s", n.Name, n.With))
		}
		if err := b.native(ctx, n, path); err != nil {
			return "", err
		}
	}
	cache.Touch(path)
	return path, nil
}

func (b *Builder) native(ctx context.Context, n Native, to string) error {
	env := environ(b.Env)
	temp, err := b.Temporary()
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if err := os.CopyFS(filepath.Join(temp, "source"), n.Source); err != nil {
		return fmt.Errorf("copying the sources of %s: %w", n.Name, err)
	}
	for _, c := range n.Commands {
		path := c[0]
		if !filepath.IsAbs(path) {
			if path, err = proc.LookPath(c[0], env); err != nil {
				return hint.New(n.Advice, "building %s: there is no %s on PATH", n.Name, c[0])
			}
		}
		res, err := b.Runner.Run(ctx, proc.Cmd{Path: path, Args: c[1:], Dir: temp, Env: env, Timeout: 20 * time.Minute})
		if err == nil {
			err = hint.With(n.Advice, res.Err("building "+n.Name))
		}
		if err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return fmt.Errorf("keeping %s: %w", n.Name, err)
	}
	return os.Rename(filepath.Join(temp, filepath.FromSlash(n.Made)), to)
}
