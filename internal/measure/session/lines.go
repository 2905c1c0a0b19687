package session

import (
	"fmt"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/malloc/allocator"
	"memcost/internal/measure/plan"
)

// armsOfLines reads the arguments of memcost compare --command: command lines, or one command
// line and settings for it. The first command, as it is, is the baseline.
func armsOfLines(args []string) ([]plan.Arm, error) {
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
	var arms []plan.Arm
	for _, text := range lines {
		if _, err := readLine(text); err != nil {
			return nil, hint.Usage("a command is one argument, in quotes: './old args'", "--command %q: %w", text, err)
		}
		arms = append(arms, plan.Arm{Name: text, Command: text})
	}
	for _, text := range settings {
		env, err := environment(text)
		if err != nil {
			return nil, err
		}
		arms = append(arms, plan.Arm{Name: text, Command: lines[0], Env: env})
	}
	distinguish(arms)
	return arms, nil
}

// environment reads the settings of one side.
func environment(text string) ([]string, error) {
	words, _ := assignments(text)
	for i, word := range words {
		name, value, _ := strings.Cut(word, "=")
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

// distinguish gives arms names of one line that differ: identical sides are a question, too.
func distinguish(arms []plan.Arm) {
	seen := map[string]int{}
	for i := range arms {
		name := strings.Join(strings.Fields(arms[i].Name), " ")
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s (%d)", name, seen[name])
		}
		arms[i].Name = name
	}
}
