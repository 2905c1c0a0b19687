package sample

import (
	"fmt"
	"strings"
	"time"

	"memcost/internal/base/proc"
)

// why says in one line how a process that gave no result ended.
func why(res proc.Result, o output) string {
	last := proc.LastLine(res)
	switch {
	case res.TimedOut:
		return fmt.Sprintf("no result after %v (--timeout): %s", res.Wall.Round(100*time.Millisecond), last)
	case res.Signal == "SIGKILL":
		return "killed (SIGKILL): out of memory, or killed by hand" + proc.Behind(last)
	case res.Signal != "":
		return "died of " + res.Signal + proc.Behind(last)
	case len(o.results) == 0 && len(o.failed) > 0 && strings.HasPrefix(o.words[o.failed[0]], invalid):
		return o.words[o.failed[0]]
	case res.ExitCode != 0 && len(o.failed) > 0 && o.words[leaves(o.failed)[0]] != "":
		return fmt.Sprintf("failed: %s", o.words[leaves(o.failed)[0]])
	case len(o.results) == 0 && len(o.failed) > 0 && o.words[o.failed[0]] != "":
		return "failed: " + o.words[o.failed[0]]
	case res.ExitCode != 0:
		return fmt.Sprintf("exit status %d: %s", res.ExitCode, last)
	case len(o.garbled) > 0 && !o.ended:
		return "it ended with exit status 0 before it had a result (os.Exit?)" + proc.Behind(last)
	case len(o.garbled) > 0:
		return "what it prints to standard output is in the way of its figures (standard error is free)" +
			proc.Behind(proc.Clip(strings.TrimSpace(o.instead[o.garbled[0]])))
	case len(o.results) == 0 && last == proc.NoOutput:
		return "it printed nothing: it skips itself (b.Skip), or is not part of this build (a build constraint)"
	case len(o.results) == 0:
		return "it ended well but printed no result (b.Skip?): " + last
	}
	return "it printed a result of another benchmark: " + last
}
