package onaxis

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// The loops that touch a block are the same work in both languages: one store of 8 bytes for each
// line, an addition, a comparison and a jump, and no vector registers.
func TestTouchIsTheSameInBothLanguages(t *testing.T) {
	if _, err := os.Stat("cpp/block.cpp"); runtime.GOARCH != "amd64" || testing.Short() || err != nil {
		t.Skip("it reads machine code of amd64, of the sources in this folder")
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go command")
	}
	binary := filepath.Join(t.TempDir(), "onaxis.test") // go test runs one without symbols
	out, err := exec.Command(goTool, "test", "-c", "-o", binary, ".").CombinedOutput()
	if err == nil {
		out, err = exec.Command(goTool, "tool", "objdump", "-s", `onaxis\.touch$`, binary).CombinedOutput()
	}
	if err != nil {
		t.Fatalf("reading the machine code of touch: %v\n%s", err, out)
	}
	checkLoop(t, "Go", string(out), `(?m)MOVQ \$0x1, .*$`)

	compiler, err := exec.LookPath("c++")
	if err != nil {
		t.Skip("there is no C++ compiler")
	}
	out, err = exec.Command(compiler, "-O3", "-std=c++20", "-fno-unroll-loops", "-fno-tree-vectorize", "-S",
		"-o", "-",
		"cpp/block.cpp").CombinedOutput()
	if err != nil {
		t.Skipf("c++: %v\n%s", err, out)
	}
	text := string(out)
	at := strings.Index(text, "\n_ZN6onaxis11touch_blockEPhm:")
	if at < 0 {
		t.Fatalf("no touch_block in\n%s", text)
	}
	text = text[at:]
	checkLoop(t, "C++", text[:strings.Index(text, ".cfi_endproc")], `(?m)movq\t\$1, .*$`)
}

// checkLoop looks for the store, once, and for vector registers, of which there must be none.
func checkLoop(t *testing.T, language, code, store string) {
	t.Helper()
	if n := len(regexp.MustCompile(store).FindAllString(code, -1)); n != 1 {
		t.Errorf("%s: the mark is stored in %d places of the loop, want 1:\n%s", language, n, code)
	}
	if regexp.MustCompile(`(?i)\b%?[xyz](mm)?[0-9]+\b`).MatchString(code) {
		t.Errorf("%s: the loop uses vector registers:\n%s", language, code)
	}
}
