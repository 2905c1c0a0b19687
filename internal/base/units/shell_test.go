package units

import "testing"

func TestCommandLine(t *testing.T) {
	for want, command := range map[string][]string{
		"":                                    {},
		"memcost run stackheap":               {"memcost", "run", "stackheap"},
		"memcost run -b 'Copy|Move' --go all": {"memcost", "run", "-b", "Copy|Move", "--go", "all"},
		"memcost run './my pkg' ''":           {"memcost", "run", "./my pkg", ""},
		`memcost run 'it'\''s'`:               {"memcost", "run", "it's"},
	} {
		if got := ShellLine(command); got != want {
			t.Errorf("%q: %s, want %s", command, got, want)
		}
	}
}
