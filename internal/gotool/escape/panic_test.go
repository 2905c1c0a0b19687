package escape

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const panics = `package panics

type box struct{ n [4]int }

// In the call of panic, behind a condition.
func there(n int) {
	if n > 9 {
		panic(&box{})
	}
}

// Boxed there, and nothing is made but the box.
func refuse(n int) {
	if n > 9 {
		panic(n)
	}
}

// Made before, whatever happens.
func before(n int) int {
	b := &box{}
	b.n[n&3] = n
	if b.n[0] > 9 {
		panic(b)
	}
	return b.n[1]
}

// A variable is on the heap from its declaration on.
func variable(n int) int {
	var b box
	b.n[n&3] = n
	if b.n[0] > 9 {
		panic(&b)
	}
	return b.n[1]
}
`

// What only a panic makes is not on the heap in a run without one; what panic is handed
// is, when it was made before.
func TestPanicArgument(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a package")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module panics\n\ngo 1.21\n", "panics.go": panics} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "build", "-gcflags=-m=2", ".")
	cmd.Dir = dir
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	log, err := ReadLog(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	src := readSource(t, dir)
	for fn, certain := range map[string]bool{"there": false, "refuse": false, "before": true, "variable": true} {
		sites, err := Sites(log, src, "panics", fn)
		if err != nil {
			t.Fatal(err)
		}
		panicking, sure := false, false
		for _, s := range sites {
			panicking = panicking || s.Cause == PanicArgument
			sure = sure || s.Certain()
		}
		if !panicking || sure != certain {
			t.Errorf("%s: certainly on the heap: %v, want %v: %v", fn, sure, certain, describe(sites))
		}
	}
}
