package cli

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memcost/internal/gotool/source"
	"memcost/internal/testkit"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// eachFlag calls a function with each flag of each command.
func eachFlag(fn func(cmd *cobra.Command, x *pflag.Flag, f *flag)) {
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.LocalNonPersistentFlags().VisitAll(func(x *pflag.Flag) {
			if f, ok := x.Value.(*flag); ok {
				fn(cmd, x, f)
			}
		})
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(Commands())
}

// asked runs a command with arguments, and returns what it says of them.
func asked(t *testing.T, cmd *cobra.Command, args ...string) (status int, says string) {
	t.Helper()
	words := append(strings.Fields(cmd.CommandPath())[1:], args...)
	status, _, says = memcost(words...)
	return status, says
}

// A value that a flag cannot take is refused by its name, with how it is written, in every command.
func TestWrongValues(t *testing.T) {
	seen := 0
	eachFlag(func(cmd *cobra.Command, _ *pflag.Flag, f *flag) {
		for _, wrong := range map[string][][2]string{
			"duration": {{"10", "a time needs a unit\nhint: write 10s, 10m or 10h\n"}, {"soon", "not a time\n"}},
			"bool":     {{"maybe", `--` + f.long() + ` "maybe": `}},
			"int":      {{"many", "--" + f.long() + ` "many": `}},
			"float":    {{"0.5", "must be between 0 and 0.5\nhint: for example --" + f.long()}},
			"uint":     {{"-1", "not a whole number"}},
		}[f.takes.kind] {
			seen++
			status, says := asked(t, cmd, "--"+f.long()+"="+wrong[0])
			if status != statusUsage || !strings.Contains(says, wrong[1]) || !strings.Contains(says, "--"+f.long()) {
				t.Errorf("%s --%s=%s: status %d, %q", cmd.CommandPath(), f.long(), wrong[0], status, says)
			}
		}
		if f.takes.kind != "bool" && f.bare == "" {
			seen++
			if status, says := asked(t, cmd, "--"+f.long()); status != statusUsage ||
				!strings.HasPrefix(says, "memcost: --"+f.long()+" needs a value\nhint: ") {
				t.Errorf("%s --%s: status %d, %q", cmd.CommandPath(), f.long(), status, says)
			}
		}
	})
	if seen < 200 {
		t.Errorf("%d values", seen)
	}
}

// The example that a flag gives can be taken.
func TestExamplesOfFlags(t *testing.T) {
	eachFlag(func(cmd *cobra.Command, x *pflag.Flag, f *flag) {
		example, _, _ := strings.Cut(f.eg, ", --")
		example, _, _ = strings.Cut(example, " --")
		if example = strings.Trim(example, "'"); example == "" {
			return
		}
		if err := f.Set(example); err != nil {
			t.Errorf("%s --%s %s: %v", cmd.CommandPath(), f.long(), example, err)
		}
	})
}

// A flag with one hyphen, as the go command has it, is not taken for a letter with a value: -bench
// would be -b with ench.
func TestOneHyphen(t *testing.T) {
	eachFlag(func(cmd *cobra.Command, x *pflag.Flag, f *flag) {
		for _, args := range [][]string{{"-" + f.long()}, {"-" + f.long() + "=x"}, {"-" + f.long(), "x"}} {
			if cmd.Name() == "compare" && source.Shield(args)[0] != args[0] {
				continue // -tags=x is a side
			}
			status, says := asked(t, cmd, args...)
			want := "-" + f.long() + ": a flag has two hyphens before its name\nhint: did you mean --" + f.long()
			if status != statusUsage || !strings.Contains(says, want) ||
				x.Shorthand != "" && !strings.Contains(says, "or -"+x.Shorthand+"?") {
				t.Errorf("%s %q: status %d, %q", cmd.CommandPath(), args, status, says)
			}
		}
	})
	run, _, err := Commands().Find([]string{"run"})
	if err != nil {
		t.Fatal(err)
	}
	alloc, _, err := Commands().Find([]string{"alloc"})
	if err != nil {
		t.Fatal(err)
	}
	for _, good := range [][]string{{"-b", "-bench"}, {"-bX", "--vary", "-tags=x"}, {"--vary=-tags=x"}, {"-nx"}, {"--", "-bench"},
		{"./x", "-"}} {
		if err := oneHyphen(run, good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	if err := oneHyphen(alloc, []string{"--stdin", "x", "prog", "-label"}); err != nil {
		t.Errorf("an argument of a program: %v", err)
	}
}

// What a flag stands beside is named by flags that its command has.
func TestFlagsOfRules(t *testing.T) {
	eachFlag(func(cmd *cobra.Command, _ *pflag.Flag, f *flag) {
		for _, other := range append(strings.Fields(f.not), strings.Fields(f.needs)...) {
			if cmd.Flags().Lookup(other) == nil {
				t.Errorf("%s --%s: there is no --%s beside it", cmd.CommandPath(), f.long(), other)
			}
		}
	})
}

// docs/commands.md has the table of all flags that the groups make: go test ./internal/cli -run Documented -update
func TestFlagsAreDocumented(t *testing.T) {
	type row struct{ name, says string }
	var rows []row
	commands := map[row][]string{}
	eachFlag(func(cmd *cobra.Command, x *pflag.Flag, f *flag) {
		what, says := pflag.UnquoteUsage(x)
		r := row{strings.TrimSpace("--" + x.Name + " " + what), says}
		if x.Shorthand != "" {
			r.name = "-" + x.Shorthand + ", " + r.name
		}
		if commands[r] == nil {
			rows = append(rows, r)
		}
		commands[r] = append(commands[r], strings.TrimPrefix(cmd.CommandPath(), "memcost "))
	})
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Compare(a.name[strings.Index(a.name, "--"):], b.name[strings.Index(b.name, "--"):])
	})
	table := "| flag | commands | says |\n|---|---|---|\n"
	for _, r := range rows {
		table += "| `" + r.name + "` | " + strings.Join(commands[r], ", ") + " | " +
			strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(r.says) + " |\n"
	}
	file := filepath.Join("..", "..", "docs", "commands.md")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- made from the flags: -->\n", "<!-- end of the flags -->\n"
	before, rest, ok := strings.Cut(string(data), begin)
	have, after, ok2 := strings.Cut(rest, end)
	switch {
	case !ok || !ok2:
		t.Fatalf("%s has no place for the flags", file)
	case have == table:
	case *testkit.Update:
		if err := os.WriteFile(file, []byte(before+begin+table+end+after), 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the flags in %s are not those of the commands: run this test with -update", file)
	}
}
