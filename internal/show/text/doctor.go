package text

import (
	"fmt"
	"io"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"memcost/internal/machine"
)

// levelWords are how the levels of findings are marked.
var levelWords = map[machine.Level]Cell{
	machine.OK:      {Text: "ok", color: pretty.FgGreen, all: true},
	machine.Note:    {Text: "note", color: pretty.FgCyan, all: true},
	machine.Warn:    {Text: "warn", color: pretty.FgYellow, all: true},
	machine.Bad:     {Text: "BAD", color: pretty.FgRed, all: true},
	machine.Unknown: {Text: "?", color: pretty.FgMagenta, all: true},
}

// Doctor writes what was found about a machine, and whether it is fit to measure on.
func Doctor(w io.Writer, m machine.Fingerprint, findings []machine.Finding, s Style) error {
	p := &printer{w: w, Style: s}
	p.say("%s: %s, %d CPUs, %s/%s, kernel %s (id %s)", m.Hostname, m.CPUModel, m.CPUs, m.OS, m.Arch, m.Kernel, m.ID())
	t := Table{Keys: 2, Left: map[int]bool{1: true, 2: true, 3: true}, Prose: 3}
	count := map[machine.Level]int{}
	for _, f := range findings {
		count[f.Level]++
		t.Rows = append(t.Rows, []Cell{levelWords[f.Level], {Text: f.Name}, {Text: f.Value}, {Text: f.Detail}})
		if f.Hint != "" {
			t.add("", "", "", "→ "+f.Hint)
		}
	}
	p.table(t)
	p.f("\n")
	p.say("%s", fitness(count[machine.Bad], count[machine.Warn]))
	return p.err
}

func fitness(bad, warn int) string {
	switch {
	case bad > 0:
		return fmt.Sprintf("not fit to measure on (BAD: %d, warn: %d): intervals will be wide, and where "+
			"other programs use the CPU in a fifth of the rounds no ratio of different code and no cost gets a "+
			"verdict", bad, warn)
	case warn > 0:
		return fmt.Sprintf("usable (warn: %d): some claims may stay undecided that a quieter machine decides", warn)
	}
	return "fit to measure on"
}
