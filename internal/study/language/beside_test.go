package language

import (
	"testing"
	"testing/fstest"
)

// A Go package with a C++ program in cpp is one study: the directives of both are read, and the
// benchmarks are those in Go.
func TestProgramBesideGoBenchmarks(t *testing.T) {
	goFile := &fstest.MapFile{Data: []byte("package s\n\n// BenchmarkBlock has a block.\nfunc BenchmarkBlock() {}\n")}
	cpp := &fstest.MapFile{Data: []byte("// Ways to run it.\n//memcost:vary by=c: --plain\n\n" +
		"void BM_Block(benchmark::State& state) {}\nvoid BM_Other(benchmark::State& state) {}\n")}
	make := &fstest.MapFile{Data: []byte("project(s)\n")}
	for _, tt := range []struct {
		name   string
		files  fstest.MapFS
		beside string
		cpp    bool
		ways   int
	}{
		{"beside", fstest.MapFS{"s/a_test.go": goFile, "s/cpp/b.cpp": cpp, "s/cpp/CMakeLists.txt": make},
			BesideDir, false, 1},
		{"no build file", fstest.MapFS{"s/a_test.go": goFile, "s/cpp/b.cpp": cpp}, "", false, 0},
		{"another folder", fstest.MapFS{"s/a_test.go": goFile, "s/c/b.cpp": cpp, "s/c/CMakeLists.txt": make},
			"", false, 0},
		{"in C++ alone", fstest.MapFS{"s/b.cpp": cpp, "s/cpp/b.cpp": cpp, "s/cpp/CMakeLists.txt": make}, "", true, 1},
	} {
		s, err := ReadDir(tt.files, "s")
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if s.Beside != tt.beside || s.CPP != tt.cpp || len(s.Variants) != tt.ways {
			t.Errorf("%s: beside %q, C++ %v, %d ways to run it", tt.name, s.Beside, s.CPP, len(s.Variants))
		}
		if !tt.cpp && (len(s.Benchmarks) != 1 || s.Benchmarks[0].Pos.File != "s/a_test.go") {
			t.Errorf("%s: benchmarks %v", tt.name, s.Benchmarks)
		}
	}
}
