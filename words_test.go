package memcost_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A refusal is what users do not read, and what they read instead: see docs/glossary.md.
type refusal struct {
	words   *regexp.Regexp
	instead string
}

// refused are the words that the glossary replaces.
var refused = []refusal{
	{regexp.MustCompile(`\b(arms?|Arms)\b`), "configuration"}, // Arm is the processor
	{regexp.MustCompile(`(?i)\bsuites?\b`), "study, or package"},
	{regexp.MustCompile(`(?i)\b(voids?|voided)\b`), "excluded round"},
	{regexp.MustCompile(`(?i)\bdisturbed\b`), "excluded; of a busy machine: met the rule for exclusion"},
	{regexp.MustCompile(`(?i)\buntested\b|\bnot judged\b|\bno figures\b`), "not tested, with the reason"},
	{regexp.MustCompile(`(?i)\b(party|parties|hunts?|outlets?)\b|\bheard\b|\bLab\b`), "the field's word"},
	{regexp.MustCompile(`(?i)\bpartners?\b`), "baseline, or the other side of the ratio"},
	{regexp.MustCompile(`(?i)\bthe worst\b|\bworst (calls?|sizes?|windows?)\b`), "slowest, lowest, largest"},
	{regexp.MustCompile(`(?i)\b(is|are|was|were|left|still|nothing|comparisons?) open\b`), "undecided"},
	{regexp.MustCompile(`^(open|equal|differs)$`), "undecided, equivalent, changed"},
	{regexp.MustCompile(`(?i)\bas published\b`), "published figures, or published method"},
	{regexp.MustCompile(`A[′']`), "noise floor, or a configuration's own copy"},
	{regexp.MustCompile(`(?i)\b(ending the collection|sweep(s|ing) before allocating|looking for work|tool's pause)\b`),
		"mark termination, sweep, spinning, stop-the-world for other reasons"},
	{regexp.MustCompile(`(?i)\bdepends on the run\b`), "conditional allocation"},
	{regexp.MustCompile(`(?i)\bno (trim|mmap) threshold\b|\bnor top pad\b`), "M_TRIM_THRESHOLD=0, M_TOP_PAD=0"},
	{regexp.MustCompile(`(?i)\bconfidence sequences?\b`), "95% confidence interval"},
	{regexp.MustCompile(`(?i)\binside (the )?(benchmark )?loops?\b`), "share of run time in benchmark loops"},
	{regexp.MustCompile(`× ?: (more|less|faster|slower)\b`), "a ratio that names both sides"},
	{regexp.MustCompile(`(?i)\bdearer\b|\bas dear as\b`), "costs more than, costs n times"},
	{regexp.MustCompile(`\b[Oo]ne P\b`), "GOMAXPROCS=1"},
	{regexp.MustCompile(`(?i)\bcells?\b|\b(its|all|most|%d|\d+) places\b`), "case"},
}

// An allowance is a refused word that is right where it stands, with the reason. One that
// nothing needs any longer fails.
type allowance struct {
	in, text string
	whole    bool // only where the text is all that stands there
	why      string
}

var wordsAllowed = []allowance{
	{in: "internal/", text: "arm", whole: true, why: "a key of samples.txt and of the JSON"},
	{in: "internal/", text: "untested", whole: true, why: "a value of the JSON's status"},
	{in: "internal/", text: "suite", whole: true, why: "a key of other tools' formats"},
	{in: "internal/", text: "open", whole: true, why: "a flag, or a command of the system"},
	{in: "internal/measure/plan/", text: "A'", whole: true, why: "a role in samples.txt"},
	{in: "internal/study/language/", text: "void", why: "C++"},
	{in: "internal/exchange/", text: "suite %.80q", why: "github-action-benchmark's word"},
}

// allows reports whether the allowance is of a text in a file.
func (a allowance) allows(file, text string) bool {
	return strings.HasPrefix(file, a.in) && strings.Contains(text, a.text) && (!a.whole || text == a.text)
}

// TestWordsOfDocuments, and the two tests below it, refuse the words that
// docs/glossary.md replaces, in all that users read.
func TestWordsOfDocuments(t *testing.T) {
	files := documents(t)
	more, err := fs.Glob(os.DirFS("."), "study/*/README.md")
	if err != nil {
		t.Fatal(err)
	}
	var texts []userText
	for _, file := range append(files, more...) {
		for i, line := range lines(t, file) {
			for _, cell := range strings.Split(inlineCode.ReplaceAllString(line, "`…`"), "|") {
				texts = append(texts, userText{at: fmt.Sprintf("%s:%d", file, i+1), text: strings.TrimSpace(cell)})
			}
		}
	}
	checkWords(t, texts)
}

// TestWordsOfMessages looks at the string literals of the program: messages, headers,
// helps. Struct tags and imports are no text.
func TestWordsOfMessages(t *testing.T) {
	var texts []userText
	for _, s := range sources(t) {
		if s.test() || !strings.HasPrefix(s.path, "internal/") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.Field:
				n.Tag = nil
			case *ast.BasicLit:
				if n.Kind == token.STRING {
					text, _ := strconv.Unquote(n.Value)
					at := files.Position(n.Pos())
					texts = append(texts, userText{fmt.Sprintf("%s:%d", s.path, at.Line), text})
				}
			}
			return true
		})
	}
	checkWords(t, texts)
}

var (
	// scriptText is a string of a script, htmlMark what is no text in a page or template.
	scriptText = regexp.MustCompile("\"(?:[^\"\\\\\n]|\\\\.)*\"|'(?:[^'\\\\\n]|\\\\.)*'|`(?:[^`\\\\]|\\\\.)*`")
	htmlMark   = regexp.MustCompile(`(?s)<style.*?</style>|<!--.*?-->|<[^>]*>|\{\{.*?\}\}`)
	prose      = regexp.MustCompile(`//memcost:(?:claim|more) .*?# (.*)`)
)

// TestWordsOfPages looks at the scripts and templates of pages, at study.toml, and at the
// prose of claims.
func TestWordsOfPages(t *testing.T) {
	var texts []userText
	add := func(file string, line int, text string) {
		texts = append(texts, userText{fmt.Sprintf("%s:%d", file, line), text})
	}
	err := fs.WalkDir(os.DirFS("."), ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		asset := strings.HasPrefix(file, "internal/") && path.Base(path.Dir(file)) == "assets"
		study := strings.HasPrefix(file, "study/")
		switch ext := path.Ext(file); {
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && file != "." || d.Name() == "testdata" || d.Name() == "results"):
			return fs.SkipDir
		case d.IsDir() || strings.Contains(file, ".min.") || !asset && !study:
		case asset && ext == ".js":
			whole := strings.Join(lines(t, file), "\n")
			for _, at := range scriptText.FindAllStringIndex(whole, -1) {
				add(file, 1+strings.Count(whole[:at[0]], "\n"), whole[at[0]+1:at[1]-1])
			}
		case asset && (ext == ".html" || ext == ".tmpl"):
			for i, line := range lines(t, file) {
				add(file, i+1, strings.TrimSpace(htmlMark.ReplaceAllString(line, " ")))
			}
		case study && ext == ".toml":
			for i, line := range lines(t, file) {
				add(file, i+1, line)
			}
		case study && slices.Contains([]string{".go", ".cpp", ".h"}, ext):
			for i, line := range lines(t, file) {
				if m := prose.FindStringSubmatch(line); m != nil {
					add(file, i+1, m[1])
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	checkWords(t, texts)
}

// A userText is something that users read.
type userText struct{ at, text string } // "README.md:12"

func lines(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(file))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}

// checkWords reports the refused words in texts, but for those that are allowed, and
// for what is exempt as long as it has some: a package, or a document.
func checkWords(t *testing.T, texts []userText) {
	t.Helper()
	used, looked := make([]bool, len(wordsAllowed)), make([]bool, len(wordsAllowed))
	broken := map[string][]string{}
	for _, x := range texts {
		file, _, _ := strings.Cut(x.at, ":")
		where := path.Dir(file)
		if path.Ext(file) == ".md" {
			where = file
		}
		text := x.text
		for i, a := range wordsAllowed {
			looked[i] = looked[i] || strings.HasPrefix(file, a.in)
			if a.allows(file, text) {
				text, used[i] = strings.ReplaceAll(text, a.text, "…"), true
			}
		}
		for _, r := range refused {
			if word := r.words.FindString(text); word != "" {
				broken[where] = append(broken[where],
					fmt.Sprintf("%s: %q: instead %s, in: %.160q", x.at, word, r.instead, x.text))
			}
		}
	}
	for i, a := range wordsAllowed {
		if looked[i] && !used[i] && a.in != "internal/" {
			t.Errorf("words_test.go allows %q in %s, where it is no longer", a.text, a.in)
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(broken)) {
		for _, line := range broken[dir] {
			t.Error(line)
		}
	}
}

// The glossary is in alphabetical order, and the README leads to it.
func TestGlossary(t *testing.T) {
	var words []string
	for _, line := range lines(t, "docs/glossary.md") {
		if word, ok := strings.CutPrefix(line, "| **"); ok {
			word, _, _ = strings.Cut(word, "**")
			words = append(words, strings.ToLower(word))
		}
	}
	if len(words) < 20 || !slices.IsSorted(words) {
		t.Errorf("the glossary has these words, in this order: %q", words)
	}
	if readme := strings.Join(lines(t, "README.md"), "\n"); !strings.Contains(readme, "(docs/glossary.md)") {
		t.Error("README.md does not lead to the glossary")
	}
}
