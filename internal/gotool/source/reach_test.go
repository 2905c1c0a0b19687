package source

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memcost/internal/gotool/toolchain"
)

// side writes the files of a package m with a test binary, and returns it.
func side(t *testing.T, files map[string]string) *program {
	t.Helper()
	root := t.TempDir()
	part := toolchain.Part{ImportPath: "m [m.test]", Dir: root}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		part.GoFiles = append(part.GoFiles, name)
	}
	slices.Sort(part.GoFiles)
	return &program{root: root, files: map[string]*file{}, parts: map[string]toolchain.Part{
		"m.test": {ImportPath: "m.test", Deps: []string{"m [m.test]"}}, "m [m.test]": part}}
}

// Of the functions that changed those are named that no benchmark can reach: not by a call, nor through a value, an
// interface or what runs at the start. What only moved did not change.
func TestUnreached(t *testing.T) {
	code := func(n string) string {
		return strings.ReplaceAll(`package m

import "fmt"

type kind struct{ inner }
type inner struct{}
type other struct{}

func direct() int               { return N }
func byValue() int              { return N }
func (kind) String() string     { return fmt.Sprint(N) }
func (inner) Promoted() int     { return N }
func (*inner) deep() int        { return N }
func (*other) Exported() int    { return N }
func (o *other) recursive() int { return o.recursive() + N }
func alone() int                { return helper() + N }
func helper() int               { return N }
func generic[T any](x T) T      { _ = N; return x }
func handler() int              { return N }
func never() int                { return N }
func init()                     { table["x"] = handler }
func comment() int              { return 1 } // N

var table = map[string]func() int{}
var value = byValue
`, "N", n)
	}
	tests := "package m\n\nimport \"testing\"\n\n" +
		"func BenchmarkA(b *testing.B) { direct(); value(); println(kind{}); generic(1) }\n" +
		"func BenchmarkB(b *testing.B) { never() }\nfunc TestAlone(t *testing.T) { alone() }\n"
	const moved = "package m\n\nfunc moves() int { return 7 }\n"
	was := side(t, map[string]string{"m.go": code("1"), "m_test.go": tests, "a.go": moved, "b.go": "package m\n"})
	is := side(t, map[string]string{"m.go": code("2"), "m_test.go": tests, "b.go": moved, "a.go": "package m\n"})
	for bench, want := range map[string][]string{
		"A":      {"alone", "helper", "inner.deep", "never", "other.Exported", "other.recursive"},
		"A|kB":   {"alone", "helper", "inner.deep", "other.Exported", "other.recursive"},
		".":      {"alone", "helper", "inner.deep", "other.Exported", "other.recursive"},
		"kB/x=1": {"alone", "byValue", "direct", "generic", "helper", "inner.Promoted", "inner.deep", "kind.String", "other.Exported", "other.recursive"},
	} {
		if got := unreached([2]*program{was, is}, []string{"m"}, named(bench)); !slices.Equal(got, want) {
			t.Errorf("-b %s: %q, want %q", bench, got, want)
		}
	}
}

// A file of tests is named where something in it differs that a benchmark reaches, and not for a test.
func TestTestsReached(t *testing.T) {
	const tests = "package m\n\nimport \"testing\"\n\nfunc BenchmarkA(b *testing.B) { help() }\nfunc TestB(t *testing.T) { t.Log(1) }\n"
	const help = "package m\n\nvar n = 1\n\nfunc help() int { return n }\n"
	was := side(t, map[string]string{"a_test.go": tests, "help_test.go": help})
	is := side(t, map[string]string{"a_test.go": strings.Replace(tests, "Log(1)", "Log(2)", 1),
		"help_test.go": strings.Replace(help, "n = 1", "n = 2", 1)})
	got := testsReached([2]*program{was, is}, "m", []string{"a_test.go", "help_test.go"}, named("."))
	if !slices.Equal(got, []string{"help_test.go"}) {
		t.Errorf("%q", got)
	}
}
