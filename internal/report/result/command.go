package result

import "strings"

// CommandLine returns the command of the run as a shell takes it.
func (a *Answer) CommandLine() string {
	quoted := make([]string, len(a.Command))
	for i, arg := range a.Command {
		quoted[i] = quote(arg)
	}
	return strings.Join(quoted, " ")
}

// quote makes an argument one word of a POSIX shell.
func quote(arg string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' ||
			strings.ContainsRune("-_./:=,+@%", r)
	}
	if arg != "" && strings.IndexFunc(arg, func(r rune) bool { return !plain(r) }) < 0 {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}
