package toolchain

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestPrepareStudies(t *testing.T) {
	dest := t.TempDir()
	dir, err := PrepareStudies(study, dest, Toolchain{Version: "go1.25.4"})
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Collect(maps.Keys(study))
	want = append(want, "go.mod", sealName)
	var got []string
	fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if !d.IsDir() {
			got = append(got, path)
		}
		return err
	})
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("copied %q\nwant   %q", got, want)
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil || string(mod) != "module memcost/study\n\ngo 1.25\n" {
		t.Errorf("go.mod is %q, %v", mod, err)
	}

	// The same again is the same folder, untouched; another tree or Go is another.
	before, _ := os.Stat(filepath.Join(dir, "go.mod"))
	second := prepare(t, dest, Toolchain{Version: "go1.25.4"})
	after, err := os.Stat(filepath.Join(second, "go.mod"))
	if second != dir || err != nil || !os.SameFile(before, after) || !before.ModTime().Equal(after.ModTime()) {
		t.Errorf("it was copied again, to %s", second)
	}
	other := maps.Clone(study)
	other["known/doc.go"] = &fstest.MapFile{Data: []byte("package known\n")}
	changed, err := PrepareStudies(other, dest, Toolchain{Version: "go1.25.4"})
	if err != nil || changed == dir || prepare(t, dest, Toolchain{Version: "go1.13"}) == dir {
		t.Errorf("different copies share a folder: %s, %v", changed, err)
	}

	_, err = PrepareStudies(study, dest, Toolchain{Version: "weird"})
	if err == nil || !strings.Contains(err.Error(), "no language version") {
		t.Errorf("got %v", err)
	}
}

func TestPrepareStudiesMeetsDebris(t *testing.T) {
	dest := t.TempDir()
	dir := prepare(t, dest, Toolchain{Version: "go1.25.4"})
	if err := os.Remove(filepath.Join(dir, sealName)); err != nil {
		t.Fatal(err)
	}
	_, err := PrepareStudies(study, dest, Toolchain{Version: "go1.25.4"})
	if err == nil || !strings.Contains(err.Error(), "is in the way") || !strings.Contains(err.Error(), dir) {
		t.Errorf("got %v", err)
	}
}

func TestHashDir(t *testing.T) {
	sum := func(fsys fs.FS) string {
		s, err := HashDir(fsys)
		if err != nil || len(s) != 64 {
			t.Fatalf("%q, %v", s, err)
		}
		return s
	}
	base := fstest.MapFS{"a": {Data: []byte("1")}, "d/b": {Data: []byte("2")}}
	dir := t.TempDir()
	if err := os.CopyFS(dir, base); err != nil {
		t.Fatal(err)
	}
	if sum(base) != sum(os.DirFS(dir)) {
		t.Error("the same tree on disk has another hash")
	}
	for _, other := range []fstest.MapFS{
		{"a": {Data: []byte("1")}}, {"a": {Data: []byte("12")}, "d/b": {}},
		{"b": {Data: []byte("1")}, "d/b": {Data: []byte("2")}},
	} {
		if sum(base) == sum(other) {
			t.Errorf("the same hash for %v", other)
		}
	}
	if _, err := HashDir(os.DirFS(filepath.Join(dir, "missing"))); err == nil {
		t.Error("a missing folder has a hash")
	}
}
