package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"memcost/internal/base/hint"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/session"
)

// Resumed reads what the run in a folder was asked for.
func Resumed(cmd *cobra.Command, dir string, args []string) (*plan.Question, error) {
	if dir == "" {
		return nil, hint.Usage("for example --resume results/20261121-101530-myhost", "--resume names no run folder")
	}
	if len(args) > 0 {
		return nil, hint.Usage("", "--resume %s goes on with that run; it takes no %q beside it", dir, args)
	}
	return session.ReadQuestion(dir)
}

// MayChange reports flags that cannot stand beside --resume: those but the named ones, and
// but those that say how the answer is shown.
func MayChange(cmd *cobra.Command, flags ...string) (err error) {
	cmd.Flags().Visit(func(fl *pflag.Flag) {
		if err != nil || slices.Contains(flags, fl.Name) ||
			slices.Contains([]string{"resume", "verbose", "json", "long", "gate", "open"}, fl.Name) {
			return
		}
		advice := "begin a run of its own"
		if len(flags) > 0 {
			advice = "only " + and(flags) + " may change"
		}
		err = hint.Usage(advice, "--%s cannot be changed by --resume: the run goes on as it began", fl.Name)
	})
	return err
}

// and lists flags: --a, --b and --c.
func and(flags []string) string {
	out := "--" + strings.Join(flags, ", --")
	if i := strings.LastIndex(out, ", "); i > 0 {
		out = out[:i] + " and " + out[i+len(", "):]
	}
	return out
}
