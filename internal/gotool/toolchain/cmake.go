package toolchain

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
	env := environ(b.Env)
	name := "c++"
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "CXX="); ok && v != "" {
			name = v
		}
	}
	path, err := proc.LookPath(name, env)
	if errors.Is(err, proc.ErrNotFound) {
		return Toolchain{}, hint.New(cppHint, "finding the C++ compiler: there is no %s on PATH", name)
	}
	if err != nil {
		return Toolchain{}, fmt.Errorf("finding the C++ compiler: %w", err)
	}
	res, err := b.Runner.Run(ctx, proc.Cmd{Path: path, Args: []string{"--version"}, Env: env, Timeout: time.Minute})
	if err == nil {
		err = res.Err("asking " + path + " for its version")
	}
	if err != nil {
		return Toolchain{}, err
	}
	return Toolchain{Version: compilerVersion(string(res.Stdout)), GoCmd: path}, nil
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
// is called like the program. A program that was built of the same files with the
// same compiler is taken from the cache. Further arguments (--preset=NAME) are those of cmake.
func (b *Builder) BuildCMake(ctx context.Context, source fs.FS, program string, compiler Toolchain,
	args ...string) (Binaries, error) {
	dir, err := filepath.Abs(b.CacheDir)
	if err != nil {
		return Binaries{}, err
	}
	sum, err := HashDir(source)
	if err != nil {
		return Binaries{}, err
	}
	key := hash(append([]string{"cmake", sum, program, compiler.Version, compiler.GoCmd}, args...)...)
	path := filepath.Join(dir, key, program+exe)
	if _, err := os.Stat(path); err != nil {
		if b.Log != nil {
			b.Log(fmt.Sprintf("building %s with %s", program, compiler.Version))
		}
		if err := b.cmake(ctx, source, program, path, args); err != nil {
			return Binaries{}, err
		}
	}
	cache.Touch(path)
	content, _, err := examine(path, marker)
	return Binaries{Paths: []string{path}, Layouts: []uint64{0}, Hash: content, FloatAllocs: true}, err
}

func (b *Builder) cmake(ctx context.Context, source fs.FS, program, path string, more []string) error {
	env := environ(b.Env)
	cmake, err := proc.LookPath("cmake", env)
	if err != nil {
		return hint.New(cppHint, "building %s: there is no cmake on PATH", program)
	}
	temp, err := b.Temporary()
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	from, to := filepath.Join(temp, "source"), filepath.Join(temp, "build")
	if err := os.CopyFS(from, source); err != nil {
		return fmt.Errorf("copying the sources of %s: %w", program, err)
	}
	for _, args := range [][]string{
		append([]string{"-S", from, "-B", to, "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=OFF"}, more...),
		{"--build", to, "--target", program, "--parallel", "2"},
	} {
		res, err := b.Runner.Run(ctx, proc.Cmd{Path: cmake, Args: args, Dir: temp, Env: env, Timeout: 20 * time.Minute})
		if err != nil {
			return err
		}
		if err := res.Err("building " + program); err != nil {
			return hint.With(cppHint, err)
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fmt.Errorf("keeping the binary of %s: %w", program, err)
	}
	return os.Rename(filepath.Join(to, program+exe), path)
}
