package session

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/base/proc"
	"memcost/internal/gotool/source"
	"memcost/internal/malloc/allocator"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/sample"
)

// armsOfLines reads the arguments of memcost compare --command: command lines, or one command
// line and settings for it. The first command, as it is, is the baseline.
func sidesOfLines(args []string) ([]plan.Side, error) {
	var lines, settings []string
	for _, arg := range args {
		if _, ok := assignments(arg); ok {
			settings = append(settings, arg)
		} else {
			lines = append(lines, arg)
		}
	}
	switch {
	case len(lines) == 0:
		return nil, hint.Usage("memcost compare --command './old args' './new args'", "--command: there is no command")
	case len(lines) > 1 && len(settings) > 0:
		advice := fmt.Sprintf("write the setting into a command of its own: '%s %s'", settings[0], lines[0])
		return nil, hint.Usage(advice, "--command: %s would be a setting of one command, and there are %d",
			settings[0], len(lines))
	case len(args) == 1:
		return nil, hint.Usage("name a second command, or settings of this one: NAME=VALUE",
			"--command: %s has nothing to be compared with", args[0])
	}
	var sides []plan.Side
	for _, text := range lines {
		if _, err := readLine(text); err != nil {
			return nil, hint.Usage("a command is one argument, in quotes: './old args'", "--command %q: %w", text, err)
		}
		sides = append(sides, plan.Side{Name: text, Command: text})
	}
	for _, text := range settings {
		env, err := environment(text)
		if err != nil {
			return nil, err
		}
		sides = append(sides, plan.Side{Name: text, Command: lines[0], Env: env})
	}
	distinguish(sides)
	return sides, nil
}

// environment reads the settings of one side.
func environment(text string) ([]string, error) {
	words, _ := assignments(text)
	for i, word := range words {
		name, value, _ := strings.Cut(word, "=")
		if err := source.CheckValue(word); err != nil {
			return nil, err
		}
		switch {
		case name == "LD_PRELOAD":
			preload, missing := allocator.Preload(value)
			if missing != "" {
				return nil, hint.Usage("name a file, or install the library", "%s: there is no %s here", text, missing)
			}
			words[i] = preload
		case strings.HasPrefix(name, "M_"):
			tunable := strings.ToLower(strings.TrimPrefix(name, "M_"))
			advice := fmt.Sprintf("the GNU C library reads GLIBC_TUNABLES=glibc.malloc.%s=%s", tunable, value)
			return nil, hint.Usage(advice, "%s: %s is a parameter of mallopt, which no command reads from its "+
				"environment", text, name)
		}
	}
	return words, nil
}

// distinguish gives sides names of one line that differ: identical sides are a question, too.
func distinguish(sides []plan.Side) {
	seen := map[string]int{}
	for i := range sides {
		name := strings.Join(strings.Fields(sides[i].Name), " ")
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s (%d)", name, seen[name])
		}
		sides[i].Name = name
	}
}

// targetOf returns the program that runs a command line, and whether that is a shell. Programs
// are looked up from the folder dir.
func targetOf(text, dir string, env []string) (t sample.Target, shell bool, err error) {
	l, err := readLine(text)
	if err != nil {
		return t, false, fmt.Errorf("%q: %w", text, err)
	}
	if l.shell != "" {
		sh, err := proc.LookPath("sh", env)
		if err != nil {
			return t, true, hint.New("leave out what only a shell understands", "%q needs a shell because of %s: %w",
				text, l.shell, err)
		}
		return sample.Target{Path: sh, Args: []string{"-c", text}, Dir: dir, Env: env}, true, nil
	}
	program := l.words[0]
	if strings.ContainsRune(program, filepath.Separator) || strings.Contains(program, "/") {
		if !filepath.IsAbs(program) {
			program = filepath.Join(dir, program)
		}
		err = executable(program)
	} else {
		program, err = proc.LookPath(program, env)
	}
	if err != nil {
		return t, false, hint.Usage("a side of --command is a command line, or settings NAME=VALUE of the first one",
			"--command %q: %w", text, err)
	}
	return sample.Target{Path: program, Args: l.words[1:], Dir: dir, Env: slices.Concat(env, l.env)}, false, nil
}

// executable returns why a file cannot be run, nil if it can.
func executable(file string) error {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder", file)
	case !runnable(info):
		return fmt.Errorf("%s is not executable", file)
	}
	return nil
}

// hashOf returns the hash of a file's content.
func hashOf(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("reading %s: %w", file, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// runnable reports whether a file is one that the system runs.
func runnable(info fs.FileInfo) bool {
	if runtime.GOOS == "windows" {
		return info.Mode().IsRegular() && strings.EqualFold(filepath.Ext(info.Name()), ".exe")
	}
	return info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// A line is a command line, read as a POSIX shell reads it.
type line struct {
	env   []string // assignments in front of it
	words []string
	shell string // what in it only a shell understands; "" if nothing
}

// shellWords are the first words of commands that are no programs: the reserved words of a POSIX
// shell, and what it has to do itself.
var shellWords = []string{
	"!", "if", "for", "while", "until", "case", "function", "time",
	".", ":", "alias", "bg", "break", "cd", "command", "continue", "eval", "exec", "exit", "export", "fg", "jobs",
	"local", "read", "readonly", "return", "set", "shift", "source", "times", "trap", "type", "ulimit", "umask",
	"unalias", "unset", "wait",
}

// readLine splits a command line into words: quotes and backslashes as in a POSIX shell. Where
// there is more in it than words and assignments, line.shell names the first of that.
func readLine(text string) (line, error) {
	s := splitter{rest: text}
	for s.rest != "" && s.special == "" {
		if err := s.next(); err != nil {
			return line{}, err
		}
	}
	s.flush()
	l := line{shell: s.special}
	for i, w := range s.words {
		if !s.assigned[i] {
			break
		}
		l.env = append(l.env, w)
	}
	l.words = s.words[len(l.env):]
	switch {
	case l.shell != "":
	case len(l.words) == 0:
		return l, errors.New("it names no program")
	case slices.Contains(shellWords, l.words[0]):
		l.shell = l.words[0]
	}
	return l, nil
}

// A splitter splits a command line into words.
type splitter struct {
	rest     string
	words    []string
	assigned []bool // parallel to words: it has the form NAME=…

	word    strings.Builder
	inWord  bool
	plain   string // the beginning of the word, as far as nothing in it is quoted
	quoted  bool
	special string // what only a shell understands
}

// next reads a character, or what is between quotes.
func (s *splitter) next() error {
	c, char := s.rest[0], s.rest[:1]
	s.rest = s.rest[1:]
	switch {
	case c == ' ' || c == '\t':
		s.flush()
	case c == '\n':
		if s.flush(); strings.TrimSpace(s.rest) != "" {
			s.special = "a further line"
		}
	case c == '\'':
		text, rest, closed := strings.Cut(s.rest, "'")
		if !closed {
			return errors.New("a quote ' in it is not closed")
		}
		s.add(text, true)
		s.rest = rest
	case c == '"':
		return s.double()
	case c == '\\':
		if s.rest == "" {
			return errors.New("it ends with a backslash")
		}
		if s.rest[0] != '\n' { // a line that goes on
			s.add(s.rest[:1], true)
		}
		s.rest = s.rest[1:]
	case strings.IndexByte("|&;<>()$`*?[{", c) >= 0, !s.inWord && (c == '#' || c == '~'),
		c == '~' && strings.HasSuffix(s.plain, "="):
		s.special = char
	default:
		s.add(char, false)
	}
	return nil
}

// double reads what is between double quotes, the first of which was read.
func (s *splitter) double() error {
	s.add("", true)
	for s.rest != "" {
		c, char := s.rest[0], s.rest[:1]
		s.rest = s.rest[1:]
		switch {
		case c == '"':
			return nil
		case c == '$' || c == '`':
			s.special = char
			return nil
		case c == '\\' && s.rest != "" && strings.IndexByte("$`\"\\\n", s.rest[0]) >= 0:
			if s.rest[0] != '\n' {
				s.add(s.rest[:1], true)
			}
			s.rest = s.rest[1:]
		default:
			s.add(char, true)
		}
	}
	return errors.New(`a quote " in it is not closed`)
}

func (s *splitter) add(text string, quoted bool) {
	s.inWord = true
	s.word.WriteString(text)
	if s.quoted = s.quoted || quoted; !s.quoted {
		s.plain += text
	}
}

func (s *splitter) flush() {
	if !s.inWord {
		return
	}
	name, _, assigned := strings.Cut(s.plain, "=")
	s.words, s.assigned = append(s.words, s.word.String()), append(s.assigned, assigned && isName(name))
	s.word.Reset()
	s.inWord, s.plain, s.quoted = false, "", false
}

// isName reports whether a word can be the name of a variable.
func isName(s string) bool {
	for i, r := range s {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// assignments returns the words of an argument that are all NAME=VALUE; ok is false where some
// are not.
func assignments(arg string) (words []string, ok bool) {
	for word := range strings.FieldsSeq(arg) {
		name, _, is := strings.Cut(word, "=")
		if !is || !isName(name) {
			return nil, false
		}
		words = append(words, word)
	}
	return words, len(words) > 0
}
