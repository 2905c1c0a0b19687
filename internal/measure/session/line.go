package session

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

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

func (l line) String() string { return fmt.Sprintf("%q %q %s", l.env, l.words, l.shell) }
