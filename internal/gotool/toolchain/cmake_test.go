package toolchain

import (
	"context"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"memcost/internal/base/proc"
)

func TestCompilerVersion(t *testing.T) {
	for text, want := range map[string]string{
		"g++ (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright (C)":     "g++ 12.2.0",
		"c++ (Ubuntu 13.2.0-23ubuntu4) 13.2.0":                     "g++ 13.2.0",
		"Debian clang version 14.0.6\nTarget: x86_64-pc-linux-gnu": "clang 14.0.6",
		"Ubuntu clang version 18.1.3 (1ubuntu1)":                   "clang 18.1.3",
		"Apple clang version 15.0.0 (clang-1500.3.9.4)":            "clang 15.0.0",
		"something else": "c++",
	} {
		if got := compilerVersion(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A program is built once; one that does not compile says why.
func TestBuildCMake(t *testing.T) {
	if _, err := proc.LookPath("cmake", os.Environ()); err != nil {
		t.Skip("no cmake here")
	}
	b := &Builder{Runner: &proc.Runner{}, CacheDir: t.TempDir()}
	ctx := context.Background()
	compiler, err := b.Compiler(ctx)
	if err != nil {
		t.Skip(err)
	}
	source := fstest.MapFS{
		"CMakeLists.txt": {Data: []byte("cmake_minimum_required(VERSION 3.16)\nproject(x CXX)\nadd_executable(hello " +
			"src/hello.cpp)\n")},
		"src/hello.cpp": {Data: []byte("#include <cstdio>\nint main() { std::puts(\"hello\"); }\n")},
	}
	builds := 0
	b.Log = func(string) { builds++ }
	first, err := b.BuildCMake(ctx, source, "hello", compiler)
	if err != nil {
		t.Fatal(err)
	}
	second, err := b.BuildCMake(ctx, source, "hello", compiler)
	if err != nil || second.Hash != first.Hash || builds != 1 {
		t.Errorf("again: %v, hash %s and %s, %d builds", err, first.Hash, second.Hash, builds)
	}
	res, err := b.Runner.Run(ctx, proc.Cmd{Path: first.Paths[0]})
	if err != nil || string(res.Stdout) != "hello\n" {
		t.Errorf("it prints %q, %v", res.Stdout, err)
	}
	source["src/hello.cpp"] = &fstest.MapFile{Data: []byte("int main() { return missing; }\n")}
	if _, err := b.BuildCMake(ctx, source, "hello", compiler); err == nil ||
		!strings.Contains(err.Error(), "missing") || !strings.Contains(err.Error(), "hint: ") {
		t.Errorf("an error in the code: %v", err)
	}
}
