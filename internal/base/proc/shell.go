package proc

import (
	"os"
	"sort"
	"strings"
)

// String returns a line for a POSIX shell that repeats the command from memcost's own
// environment: directory, differences of the environment, quoted words.
func (c Cmd) String() string {
	var words []string
	if c.Dir != "" {
		words = append(words, "cd", quote(c.Dir), "&&")
	}
	if c.Env != nil {
		if diff := envDiff(os.Environ(), c.Env); len(diff) > 0 {
			words = append(append(words, "env"), diff...)
		}
	}
	words = append(words, quote(c.Path))
	for _, a := range c.Args {
		words = append(words, quote(a))
	}
	return strings.Join(words, " ")
}

// envDiff returns the arguments of env(1) that turn the environment from into to.
func envDiff(from, to []string) []string {
	have, want := envMap(from), envMap(to)
	var unset, set []string
	for k := range have {
		if _, ok := want[k]; !ok {
			unset = append(unset, "-u "+quote(k))
		}
	}
	for k, v := range want {
		if old, ok := have[k]; !ok || old != v {
			set = append(set, k+"="+quoteValue(v))
		}
	}
	sort.Strings(unset)
	sort.Strings(set)
	return append(unset, set...)
}

func envMap(env []string) map[string]string {
	m := make(map[string]string, len(env))
	for _, kv := range env {
		if k, v, ok := cutEnv(kv); ok {
			m[k] = v
		}
	}
	return m
}

func quoteValue(v string) string {
	if v == "" {
		return ""
	}
	return quote(v)
}

// quote makes s one word of a POSIX shell.
func quote(s string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' ||
			strings.ContainsRune("-_./:=,+@%", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Line returns a command line for a POSIX shell of words, each quoted where it has to be.
func Line(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return strings.Join(quoted, " ")
}
