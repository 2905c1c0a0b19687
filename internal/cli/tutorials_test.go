package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// TestTutorials does what the tutorials tell a reader to do, each in a copy of its folder in testdata: it
// writes files, applies diffs and executes the commands. A block of a document is
//
//	```go tags/tags.go    a file, whatever its language
//	```diff               a change, for git apply
//	```console            commands behind "$ ", each with what it prints below it
//
// Each command must end with its exit status, and print the words that are shown, but for lines that may
// vary and for figures. A remark before a block of commands is about its last command:
//
//	<!-- test
//	status: 3                  its exit status, if it is not 0
//	short: memcost why -b X    what is executed in its place, unless make test-long runs the test
//	vary: busy|^noise          shown lines that are not looked for
//	needs: google-benchmark    what the block is left out without
//	-->
func TestTutorials(t *testing.T) {
	for _, file := range tutorials(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".md"), func(t *testing.T) {
			blocks := blocksOf(t, file)
			dir, commands := t.TempDir(), 0
			module := filepath.Join(filepath.Dir(file), "testdata", filepath.Base(strings.TrimSuffix(file, ".md")))
			if err := os.CopyFS(dir, os.DirFS(module)); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			for _, b := range blocks {
				commands += b.do(t, dir)
			}
			if commands < 3 {
				t.Errorf("%s has %d commands that are executed", file, commands)
			}
		})
	}
}

// needed are what blocks may need: libraries that not every machine has.
var needed = map[string]func() bool{
	"google-benchmark": func() bool {
		_, err := exec.LookPath("cmake")
		return err == nil && hasLibrary("libbenchmark.so")
	},
	"make test-long":   func() bool { return os.Getenv("MEMCOST_LONG") != "" },
	"libjemalloc.so.2": func() bool { return hasLibrary("libjemalloc.so.2") },
}

func hasLibrary(name string) bool {
	found, _ := filepath.Glob(filepath.Join("/usr/lib", "*", name+"*"))
	return len(found) > 0
}

func tutorials(t *testing.T) []string {
	t.Helper()
	docs := filepath.Join("..", "..", "docs")
	files, err := filepath.Glob(filepath.Join(docs, "tutorials", "*.md"))
	if err != nil || len(files) < 1 {
		t.Fatalf("the tutorials are %v: %v", files, err)
	}
	return append(files, filepath.Join(docs, "new-study.md"))
}

// A block is one between fences, with the remark above it.
type block struct {
	at, kind, file string
	remark         map[string]string
	lines          []string
}

// blocksOf reads the blocks of a document. One that is none of the above is an error, so that a command is
// not left out because its block is called otherwise.
func blocksOf(t *testing.T, file string) (out []block) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Split(string(text), "\n")
	if len(all) > 151 {
		t.Errorf("%s has %d lines, and 150 are what one reads", file, len(all)-1)
	}
	remark := map[string]string{}
	for i := 0; i < len(all); i++ {
		switch line := all[i]; {
		case line == "<!-- test":
			for i++; i < len(all) && all[i] != "-->"; i++ {
				key, value, _ := strings.Cut(all[i], ": ")
				remark[key] = value
			}
			if what := remark["needs"]; what != "" && needed[what] == nil {
				t.Errorf("%s:%d: needs %q, which is not known", file, i, what)
			}
		case strings.HasPrefix(line, "```"):
			kind, name, _ := strings.Cut(line[3:], " ")
			b := block{at: fmt.Sprintf("%s:%d", filepath.Base(file), i+1), kind: kind, file: name, remark: remark}
			for i++; i < len(all) && all[i] != "```"; i++ {
				b.lines = append(b.lines, all[i])
			}
			if name == "" && kind != "console" && kind != "diff" && kind != "text" {
				t.Errorf("%s: a block of %q is no file and no command", b.at, kind)
			}
			out, remark = append(out, b), map[string]string{}
		}
	}
	return out
}

// do does what a block says in a folder, and returns how many commands it executed.
func (b block) do(t *testing.T, dir string) int {
	t.Helper()
	text := strings.Join(b.lines, "\n") + "\n"
	switch {
	case b.file != "":
		path := filepath.Join(dir, filepath.FromSlash(b.file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	case b.kind == "diff":
		if out, status := shell(t, dir, "git apply -", text); status != 0 {
			t.Fatalf("%s: the change cannot be applied: %s", b.at, out)
		}
	case b.kind == "console":
		if what := b.remark["needs"]; what != "" && !needed[what]() {
			t.Logf("%s: left out, for %s is missing", b.at, what)
			return 0
		}
		return b.execute(t, dir)
	}
	return 0
}

// execute runs the commands of a block. Where one does not do what it should, the next ones cannot either.
func (b block) execute(t *testing.T, dir string) (commands int) {
	t.Helper()
	shown := map[int][]string{} // below each command
	var all []string
	for _, line := range b.lines {
		if command, is := strings.CutPrefix(line, "$ "); is {
			all = append(all, command)
			continue
		}
		shown[len(all)] = append(shown[len(all)], line)
	}
	for i, command := range all {
		want := "0"
		if i == len(all)-1 {
			if b.remark["short"] != "" && os.Getenv("MEMCOST_LONG") == "" {
				command = b.remark["short"]
			}
			if b.remark["status"] != "" {
				want = b.remark["status"]
			}
		}
		out, status := shell(t, dir, command, "")
		if fmt.Sprint(status) != want {
			t.Fatalf("%s: %s: exit status %d, want %s\n%s", b.at, command, status, want, out)
		}
		for _, phrase := range missing(out, shown[i+1], b.remark["vary"]) {
			t.Errorf("%s: %s does not print %q, but\n%s", b.at, command, phrase, out)
		}
	}
	return len(all)
}

// shell executes a command and returns all that it prints.
func shell(t *testing.T, dir, command, stdin string) (out string, status int) {
	t.Helper()
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A",
		"GIT_COMMITTER_EMAIL=a@example.com", "GITHUB_ACTIONS=")
	cmd.Stdin = strings.NewReader(stdin)
	text, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v", command, err)
	}
	return string(text), cmd.ProcessState.ExitCode()
}

// missing lists the phrases of shown lines that an output lacks. Where lines are wrapped and how wide a
// column is depends on figures.
func missing(out string, shown []string, vary string) (phrases []string) {
	varies := regexp.MustCompile(vary)
	has := strings.Join(strings.Fields(out), " ")
	for _, line := range shown {
		if vary != "" && varies.MatchString(line) {
			continue
		}
		for _, phrase := range wordsIn(line) {
			if !strings.Contains(has, phrase) {
				phrases = append(phrases, phrase)
			}
		}
	}
	return phrases
}

var unit = regexp.MustCompile(`^\(?(ns|µs|ms|s|B|[KMG]iB|[kMG]?B/s|[KMG]iB/s)[,;:.)]*$`)

// wordsIn are the words of a line between its figures, units and whatever "…" stands for.
func wordsIn(line string) (phrases []string) {
	var words []string
	for _, word := range append(strings.Fields(line), "…") {
		figure := strings.ContainsFunc(word, unicode.IsDigit) || !strings.ContainsFunc(word, unicode.IsLetter)
		if !figure && !unit.MatchString(word) {
			words = append(words, word)
			continue
		}
		if len(words) > 0 {
			phrases = append(phrases, strings.Join(words, " "))
		}
		words = nil
	}
	return phrases
}

// What a document shows and a command does not print is noticed; figures are not compared.
func TestWordsThatAreNotPrintedAreNoticed(t *testing.T) {
	out := "Format takes 0.5× [0.4, 0.7] as long\n  at new as at old.\nnoise: much\n"
	for shown, want := range map[string]string{
		"Format takes 0.02× [0.01, 0.03] as long at new": "",
		"Parse takes 0.02× as long":                      "Parse takes",
		"as long at old":                                 "as long at old",
		"noise: little":                                  "",
		"Format takes 12 ns":                             "",
		"… at new … Format … less":                       "less",
	} {
		if got := strings.Join(missing(out, []string{shown}, "^noise"), "|"); got != want {
			t.Errorf("of %q is missing %q, want %q", shown, got, want)
		}
	}
}
