package explain

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	alloccalls "memcost/internal/gotool/binary"
	"memcost/internal/gotool/escape"
	"memcost/internal/sites/join"
)

const budgetReal = `package real

type node struct {
	next  *node
	names []string
}

var (
	kept *node
	pipe chan int
)

//memcost:allocs 0
func adds(name string) { kept = &node{next: kept, names: []string{name}} }

//memcost:allocs 0
func sums(ns []int) (sum int) {
	for _, n := range ns {
		if n < 0 {
			panic("a negative number: " + string(rune(n)))
		}
		sum += n
	}
	return sum
}

//memcost:allocs 0
func (n *node) grow(name string) { n.names = append(n.names, name) }

//memcost:allocs 0
func opens(n int) {
	pipe = make(chan int, n)
}

func make2(name string) *node { return &node{names: kept.names} }

//memcost:allocs 0
func inlines() {
	kept = make2("x")
}

//memcost:allocs 0
func nobody[T any](n int) []T { return make([]T, n) }

func lines(n int) {
	kept = &node{}
	kept.next = &node{} //memcost:allocs 0
	//memcost:allocs 0
	n++
	println(n)
}
`

const realTest = `package real

import "testing"

func TestAll(t *testing.T) { adds("a"); sums(nil); kept.grow("b"); opens(3); inlines(); lines(2) }
`

// The budgets of a package that is built with the compiler's diagnostics, without a
// benchmark.
func TestCheckOfBuilt(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test binary")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module real\n\ngo 1.21\n", "real.go": budgetReal,
		"real_test.go": realTest} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "test", "-c", "-gcflags=-m=2", "-o", "real.test", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	diagnostics, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, diagnostics)
	}
	found := checked(t, dir, diagnostics)
	want := []string{"adds broken compiler", "adds broken compiler", "(*node).grow note compiler",
		"opens broken binary", "inlines broken compiler", "nobody unchecked", "lines broken compiler"}
	var says []string
	for _, f := range found {
		says = append(says, f.Says)
	}
	if got := states(found); !slices.Equal(got, want) {
		t.Fatalf("%q, want %q\n%s", got, want, strings.Join(says, "\n"))
	}
	for i, want := range []string{
		"adds has a budget of 0 allocations, and the compiler puts &node{…} on the heap at real.go:14: ",
		"adds has a budget of 0 allocations, and the compiler puts []string{…} on the heap at real.go:14: ",
		"(*node).grow has a budget of 0 allocations, and append at real.go:28 allocates in some runs only",
		"opens has a budget of 0 allocations, and the machine code of real.go:32 calls runtime.makechan, which " +
			"makes a channel; the compiler does not say so.",
		"inlines has a budget of 0 allocations, and the compiler puts make2(\"x\") on the heap at real.go:39: ",
		"The budget of nobody cannot be checked: nobody was not compiled.",
		"real.go:47 has a budget of 0 allocations, and the compiler puts &node{} on the heap at real.go:47: ",
	} {
		if !strings.HasPrefix(says[i], want) {
			t.Errorf("%s\nwant %s", says[i], want)
		}
	}
}

func checked(t *testing.T, dir string, diagnostics []byte) []Finding {
	t.Helper()
	log, err := escape.ReadLog(bytes.NewReader(diagnostics))
	if err != nil {
		t.Fatal(err)
	}
	files := os.DirFS(dir)
	source, err := escape.SourceOf(files, ".")
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.Open(filepath.Join(dir, "real.test"))
	if err != nil {
		t.Fatal(err)
	}
	defer binary.Close()
	program, err := alloccalls.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	asked := join.Asked{Path: "real", Described: join.Described{Dir: dir, Log: log, Source: source}, Program: program}
	report, err := join.Analyse(join.Input{Mode: "static", ModuleDir: dir, Packages: []join.Asked{asked}})
	if err != nil {
		t.Fatal(err)
	}
	budgets, err := ReadBudgets(files, ".")
	if err != nil {
		t.Fatal(err)
	}
	found, err := Check(budgets, report, []Sources{{Asked: asked, Folder: "."}})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
