package memcost_test

import (
	"fmt"
	"go/ast"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"memcost/internal/cli"
)

// A docCommand is a command that a document tells the reader to type.
type docCommand struct {
	at   string // "README.md:12"
	text string
}

// commandIn finds commands of a tool in a line of a code block, or in code within a
// text. A prompt and variables may stand before it.
func commandIn(tool string) *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:\$ )?(?:[A-Z_]+=\S+ )*(?:(?:\./)?bin/)?(` + tool + `(?: .*)?)$`)
}

var (
	fence      = regexp.MustCompile("^\\s*(```|~~~)")
	inlineCode = regexp.MustCompile("`([^`]+)`")
)

// documents are the Markdown files for readers.
func documents(t *testing.T) []string {
	t.Helper()
	out := []string{"README.md", "CONTRIBUTING.md"}
	err := fs.WalkDir(os.DirFS("."), "docs", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path.Ext(p) == ".md" {
			out = append(out, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// documented lists the commands of a tool in the documents.
func documented(t *testing.T, tool string) []docCommand {
	t.Helper()
	command := commandIn(tool)
	var out []docCommand
	for _, file := range documents(t) {
		text, err := os.ReadFile(filepath.FromSlash(file))
		if err != nil {
			t.Fatal(err)
		}
		fenced := false
		for i, line := range strings.Split(string(text), "\n") {
			if fence.MatchString(line) {
				fenced = !fenced
				continue
			}
			at := fmt.Sprintf("%s:%d", file, i+1)
			code := [][]string{}
			if fenced || strings.HasPrefix(line, "    ") {
				code = append(code, []string{"", line})
			} else {
				code = inlineCode.FindAllStringSubmatch(strings.ReplaceAll(line, `\|`, "|"), -1) // as in tables
			}
			for _, c := range code {
				if m := command.FindStringSubmatch(c[1]); m != nil {
					out = append(out, docCommand{at, m[1]})
				}
			}
		}
	}
	return out
}

// words splits a command as a shell does, up to a pipe, a redirection, the next
// command, or a remark: two spaces, or a #. Brackets around what may be left out go.
func words(text string) []string {
	var out []string
	var word strings.Builder
	quote, inWord := rune(0), false
	flush := func() {
		if inWord {
			out = append(out, word.String())
		}
		word.Reset()
		inWord = false
	}
	for i, r := range text {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case strings.ContainsRune("|;<>&#", r):
			flush()
			return out
		case r == ' ':
			flush()
			if strings.HasPrefix(text[i:], "  ") {
				return out
			}
		case r == '[' || r == ']':
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	flush()
	return out
}

// Each memcost command in the documents names a command and flags that there are.
func TestDocumentedCommandsParse(t *testing.T) {
	found := documented(t, "memcost")
	if len(found) < 20 {
		t.Fatalf("only %d commands are found in the documents", len(found))
	}
	for _, c := range found {
		if err := parses(words(c.text)[1:]); err != nil {
			t.Errorf("%s: %s: %v", c.at, c.text, err)
		}
	}
}

// parses reports what is wrong with the arguments of memcost. Values are not looked
// at: N and RUN stand for some.
func parses(args []string) error {
	root := cli.Commands()
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if cmd == root && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		return fmt.Errorf("there is no command %q", rest[0])
	}
	return unknownFlag(cmd, rest)
}

// unknownFlag reports the first flag that the command does not have.
func unknownFlag(cmd *cobra.Command, args []string) error {
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	for i, arg := range args {
		name, isLong := strings.CutPrefix(arg, "--")
		if arg == "--" {
			return nil
		}
		if isLong {
			name, _, _ = strings.Cut(name, "=")
			if cmd.Flags().Lookup(name) == nil && cmd.InheritedFlags().Lookup(name) == nil {
				return fmt.Errorf("%s has no flag --%s", cmd.CommandPath(), name)
			}
			continue
		}
		if len(arg) < 2 || arg[0] != '-' || i > 0 && takesValue(cmd, args[i-1]) {
			continue
		}
		if cmd.Flags().ShorthandLookup(arg[1:2]) == nil {
			return fmt.Errorf("%s has no flag %s", cmd.CommandPath(), arg[:2])
		}
	}
	return nil
}

// takesValue reports whether the word after a flag is its value.
func takesValue(cmd *cobra.Command, arg string) bool {
	name, isLong := strings.CutPrefix(arg, "--")
	switch {
	case isLong && !strings.Contains(name, "="):
		f := cmd.Flags().Lookup(name)
		return f != nil && f.NoOptDefVal == ""
	case len(arg) == 2 && arg[0] == '-':
		f := cmd.Flags().ShorthandLookup(arg[1:])
		return f != nil && f.NoOptDefVal == ""
	}
	return false
}

// Each go test command in the documents names packages and tests that there are: one
// that runs no test says "ok" all the same.
func TestDocumentedTestsExist(t *testing.T) {
	found := append(documented(t, "go test"), scripted(t)...)
	if len(found) < 10 {
		t.Fatalf("only %d commands are found", len(found))
	}
	funcs := testFuncs(t)
	for _, c := range found {
		if err := testsExist(funcs, words(c.text)[2:]); err != nil {
			t.Errorf("%s: %s: %v", c.at, c.text, err)
		}
	}
}

// scripted lists the go test commands of the Makefile and of scripts that name what they
// run.
func scripted(t *testing.T) []docCommand {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("scripts", "*.sh"))
	if err != nil {
		t.Fatal(err)
	}
	command := regexp.MustCompile(`(?:\$\(GO\)|\$\{GO:-go\}|\bgo) test (.*)`)
	var out []docCommand
	for _, file := range append(files, "Makefile") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if m := command.FindStringSubmatch(line); m != nil && !strings.HasPrefix(strings.TrimSpace(line), "#") {
				out = append(out, docCommand{fmt.Sprintf("%s:%d", file, i+1), "go test " + m[1]})
			}
		}
	}
	return out
}

func testsExist(funcs map[string][]string, args []string) error {
	var packages []string
	var patterns [][2]string // flag and value
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		switch {
		case !strings.HasPrefix(args[i], "-"):
			packages = append(packages, strings.TrimPrefix(args[i], "memcost/"))
			continue
		case !joined && slices.Contains([]string{"run", "bench", "timeout", "count", "p", "fuzz", "fuzztime",
			"benchtime", "o"}, name):
			i++
			if i == len(args) {
				return fmt.Errorf("-%s has no value", name)
			}
			value = args[i]
		}
		if len(kinds[name]) > 0 && value != "^$" && value != "none" {
			patterns = append(patterns, [2]string{name, value})
		}
	}
	if len(packages) == 0 {
		packages = []string{"."}
		// "-bench=." without a package stands for a module of the reader's.
		patterns = slices.DeleteFunc(patterns, func(p [2]string) bool { return p[1] == "." })
	}
	names := testNames(funcs, packages)
	if len(names) == 0 {
		return fmt.Errorf("there are no tests in %s", strings.Join(packages, " "))
	}
	for _, p := range patterns {
		top, _, _ := strings.Cut(p[1], "/")
		re, err := regexp.Compile(top)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(names, func(name string) bool {
			return re.MatchString(name) && slices.ContainsFunc(kinds[p[0]], func(kind string) bool {
				return strings.HasPrefix(name, kind)
			})
		}) {
			return fmt.Errorf("-%s %s runs nothing", p[0], top)
		}
	}
	return nil
}

// kinds are the functions that each flag of go test runs, by the beginning of their names:
// a pattern that matches another function alone runs no test.
var kinds = map[string][]string{
	"run": {"Test", "Example", "Fuzz"}, "bench": {"Benchmark"}, "fuzz": {"Fuzz"},
}

// A command that runs no test is noticed, whatever else has its name.
func TestCommandsThatRunNothingAreNoticed(t *testing.T) {
	funcs := testFuncs(t)
	for args, fails := range map[string]bool{
		"./internal/method/stat -run ErrorRates -v": false,
		"./internal/method/stat -run simulatedRuns": true, // a function, and no test
		"./internal/method/stat -bench ErrorRates":  true, // a test, and no benchmark
		"-run TestMutants .":                        false,
		"./internal/nowhere":                        true,
		"./internal/method/stat -run":               true,
	} {
		if err := testsExist(funcs, words("go test " + args)[2:]); (err != nil) != fails {
			t.Errorf("go test %s: %v", args, err)
		}
	}
}

// testFuncs lists the functions of the test files of each folder.
func testFuncs(t *testing.T) map[string][]string {
	t.Helper()
	funcs := map[string][]string{}
	for _, s := range sources(t) {
		if !s.test() {
			continue
		}
		for _, d := range s.file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				dir := path.Dir(s.path)
				funcs[dir] = append(funcs[dir], fn.Name.Name)
			}
		}
	}
	return funcs
}

// testNames are the functions in the test files of packages.
func testNames(funcs map[string][]string, packages []string) (names []string) {
	for dir, fs := range funcs {
		if slices.ContainsFunc(packages, func(p string) bool {
			p = path.Clean(p)
			stem, tree := strings.CutSuffix(p, "...")
			stem = strings.TrimSuffix(stem, "/")
			if dir == path.Join("study", p) {
				return true // as in a copy of the studies
			}
			return dir == p || tree && (stem == "" || stem == "." || dir == stem || strings.HasPrefix(dir, stem+"/"))
		}) {
			names = append(names, fs...)
		}
	}
	return names
}
