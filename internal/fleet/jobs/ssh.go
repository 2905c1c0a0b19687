package jobs

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"memcost/internal/base/hint"
	"memcost/internal/base/units"
)

// Boards reads a file with one board a line, as GNU parallel's --sshloginfile has them.
func Boards(name, text string) ([]string, error) {
	var out []string
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if slices.Contains(out, line) {
			return nil, hint.Usage("a board measures the plan once: list each once",
				"--on ssh:%s: the board %s is there twice", name, line)
		}
		out = append(out, line)
	}
	if len(out) == 0 {
		return nil, hint.Usage("one board a line, as ssh knows it: pi@board1", "--on ssh:%s: no board is listed", name)
	}
	return out, lines.Err()
}

// SSH returns the command that measures the plan on every board, in the folder of the submission.
// Each board measures all shards itself, one after the other: with --nonall parallel begins nothing
// on another board because one failed, which --retries would. A board goes on when the connection is
// lost, for what it says goes to a file of its own.
func (s *Submission) SSH(boardsFile string, boards []string) Command {
	args := []string{"--nonall", "--tag", "--sshloginfile", boardsFile, "--workdir",
		"memcost-jobs/" + s.Plan} // below the home of the user
	args = append(args, "--basefile", PlanFile, "--basefile", StartFile)
	for _, p := range s.Programs {
		args = append(args, "--basefile", p.Name())
	}
	board := text("ssh.sh", kindJob{Submission: s, Name: "ssh"})
	args = append(append(args, s.Options...), board)
	return Command{Program: "parallel", Args: args, Tasks: len(boards)}
}

// Shell returns the commands that measure the plan, one a shard, for whatever starts commands.
func (s *Submission) Shell(planFile string) []string {
	var out []string
	for shard := 1; shard <= s.Shards; shard++ {
		out = append(out, fmt.Sprintf("memcost run --plan %s --shard %d/%d --results %s --to %s", units.ShellWord(planFile),
			shard, s.Shards, units.ShellWord(s.Results), units.ShellWord(s.To)))
	}
	return out
}
