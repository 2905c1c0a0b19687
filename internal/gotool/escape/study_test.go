package escape

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// studyCauses says which of our causes the compiler's words must show for each pair of
// study/escape. It says nothing of the runtime's own allocations, of s += t in a loop,
// and of what reflect no longer makes.
var studyCauses = map[string]Cause{
	"returned-pointer": ReturnedPointer, "callers-buffer": ReturnedPointer, "constructor": ReturnedPointer,
	"leaking-param": KeptParameter, "outlives-loop": OutlivesLoop, "boxing": Boxing, "pointer-shaped": Boxing,
	"fmt":       FormatArgument,
	"log-guard": FormatArgument, "closure": ClosureCapture, "loop-variable": ClosureCapture,
	"go-statement": GoStatement,
	"defer-loop":   DeferInLoop, "method-value": MethodValue, "store": StoredPointer, "map-value": MapPut,
	"map-key":      Boxing,
	"channel-send": ChannelSend, "interface-call": IndirectCall, "func-value": IndirectCall, "reflect": PanicArgument,
	"reflect-set": Uncategorised,
	"unsafe":      UnsafePointer, "too-large": TooLarge, "variable-make": VariableMake, "small-make": VariableMake,
	"append-growth": AppendGrowth,
	"slice-literal": SliceLiteral, "map-literal": MapLiteral, "string-of-bytes": TextConversion,
	"bytes-of-string": TextConversion,
	"concat":          Concatenation, "concat-loop": Uncategorised, "generics": Boxing, "make-chan": Uncategorised,
	"map-growth": Uncategorised,
}

// The functions of each pair of the shipped study, as this Go compiles them: the
// escaping form shows the pair's cause, and the fixed one has nothing of that cause that
// is on the heap whatever happens.
func TestStudyIsExplained(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a study")
	}
	cmd := exec.Command("go", "test", "-c", "-gcflags=-m=2", "-o", filepath.Join(t.TempDir(), "study.test"),
		"./study/escape")
	cmd.Dir = filepath.Join("..", "..", "..")
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	log, err := ReadLog(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join("..", "..", "..", "study", "escape")
	src := readSource(t, dir)
	for _, cause := range studyPairs(t, dir) {
		want, ok := studyCauses[cause]
		if !ok {
			t.Errorf("cause=%s has no row", cause)
		}
		name := camel(cause)
		escapes, err := Sites(log, src, "memcost/study/escape", src.Funcs.WithPrefix(name+"Escapes")...)
		if err != nil {
			t.Errorf("cause=%s: %v", cause, err)
			continue
		}
		fixed, err := Sites(log, src, "memcost/study/escape", src.Funcs.WithPrefix(name+"Fixed")...)
		if err != nil {
			t.Errorf("cause=%s: %v", cause, err)
		}
		found := want == Uncategorised
		for _, s := range escapes {
			found = found || s.Cause == want
		}
		if !found {
			t.Errorf("cause=%s does not show %s: %v", cause, want, describe(escapes))
		}
		for _, s := range fixed {
			// The arguments, the copy and the body of these are not reached in the fixed form:
			// they are behind a condition, or inlined elsewhere.
			unreached := cause == "log-guard" || cause == "leaking-param" || cause == "constructor"
			if s.Cause == want && s.Certain() && !unreached {
				t.Errorf("cause=%s: the fixed form has %v", cause, s)
			}
		}
	}
}

var pairLine = regexp.MustCompile(`\{cause: "([a-z-]+)"`)

func studyPairs(t *testing.T, dir string) (causes []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range pairLine.FindAllStringSubmatch(string(text), -1) {
			causes = append(causes, m[1])
		}
	}
	if len(causes) < 20 {
		t.Fatalf("%d pairs in %s", len(causes), dir)
	}
	return causes
}

func camel(cause string) string {
	words := strings.Split(cause, "-")
	for i, w := range words[1:] {
		words[i+1] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, "")
}
