package cli

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"memcost/internal/base/hint"
	"memcost/internal/measure/plan"
	"memcost/internal/measure/session"
	"memcost/published"
)

// ParsePercent reads "1%" or "0.01".
func ParsePercent(s string) (float64, error) { return ParseShare("precision", s) }

func ParseShare(flag, s string) (float64, error) {
	num, percent := strings.CutSuffix(strings.TrimSpace(s), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(num), 64)
	if percent {
		v /= 100
	}
	if err != nil || v <= 0 || v >= 1 {
		return 0, hint.Usage("for example --"+flag+" 1%", "--%s %q: not a share between 0 and 100%%", flag, s)
	}
	return v, nil
}

// ParseCPU reads "1,2,4".
func ParseCPU(s string) ([]int, error) {
	var out []int
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 {
			return nil, hint.Usage("for example --cpu 1,2", "--cpu %q: %q is not a number of CPUs", s, part)
		}
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out, nil
}

// ParseShard reads "3/8".
func ParseShard(s string) (i, n int, err error) {
	if s == "" {
		return 0, 0, nil
	}
	a, b, ok := strings.Cut(s, "/")
	i, errI := strconv.Atoi(a)
	n, errN := strconv.Atoi(b)
	if !ok || errI != nil || errN != nil || i < 1 || i > n {
		return 0, 0, hint.Usage("for example --shard 3/8 for the third of eight parts", "--shard %q: not a part i/n", s)
	}
	return i, n, nil
}

// Words returns the parts of a list without the space around them, and without empty ones.
func Words(list, separator string) []string {
	var out []string
	for part := range strings.SplitSeq(list, separator) {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// Distinct drops what stands again, and keeps the order.
func Distinct(names []string) []string {
	var out []string
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

func MaxArgs(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > n {
			return hint.Usage(cmd.CommandPath()+" --help says what it takes",
				"%s takes %d arguments at most, not %d: %q", cmd.CommandPath(), n, len(args), args)
		}
		return nil
	}
}

func Changed(cmd *cobra.Command) func(string) bool {
	return func(name string) bool { return cmd.Flags().Changed(name) }
}

// Profile returns the profile that two flags choose.
func Profile(quick, full bool) (string, error) {
	switch {
	case quick && full:
		return "", hint.Usage("choose one of the profiles", "--quick and --full exclude each other")
	case full:
		return session.Full, nil
	}
	return session.Quick, nil
}

// endings tell the format of a file by its name.
var endings = map[string]string{".html": "html", ".htm": "html", ".md": "md", ".csv": "csv", ".json": "json",
	".txt": "text", ".sarif": "sarif"}

// PlainError is without the name of a file that the message names already.
func PlainError(err error) error {
	var named *os.PathError
	if errors.As(err, &named) {
		return named.Err
	}
	return err
}

// ChooseFormat returns the format that --format, --json and the ending of -o ask for, "" where
// none of them is given, and refuses one that is not among the formats of the command.
func ChooseFormat(format, out string, asJSON bool, formats []string) (string, error) {
	all := strings.Join(formats, ", ")
	switch {
	case asJSON && format != "" && format != "json":
		return "", hint.Usage("leave one of them out", "--json and --format %s contradict each other", format)
	case asJSON:
		return "json", nil
	case format == "" && out == "-":
		format = "text"
		if !slices.Contains(formats, format) {
			return "", hint.Usage("say it with --format: "+all, "-o - is standard output, and its format is not said")
		}
	case format == "" && out != "":
		format = endings[strings.ToLower(filepath.Ext(out))]
		if !slices.Contains(formats, format) {
			return "", hint.Usage("say it with --format: "+all, "-o %s: its ending names no format", out)
		}
	case format != "" && !slices.Contains(formats, format):
		return "", hint.Usage("the formats are "+all, "--format %q: unknown format", format)
	}
	return format, nil
}

// IsBenchtime takes what go test takes.
func IsBenchtime(s string) bool {
	if n, ok := strings.CutSuffix(s, "x"); ok {
		count, err := strconv.Atoi(n)
		return err == nil && count > 0
	}
	d, err := time.ParseDuration(s)
	return err == nil && d > 0
}

func CompleteStudies(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	studies, err := session.Studies()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var names []string
	for _, s := range studies {
		names = append(names, s.Name+"\t"+s.Question)
	}
	return names, cobra.ShellCompDirectiveDefault
}

// CompleteLoad completes the last part of a list.
func CompleteLoad(_ *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
	before := prefix[:strings.LastIndexByte(prefix, ',')+1]
	var out []string
	for _, load := range []string{"0\tnone", "1\tone busy core", plan.AllBusy + "\tas many as there are cores"} {
		name, _, _ := strings.Cut(load, "\t")
		if !slices.Contains(strings.Split(before, ","), name) {
			out = append(out, before+load)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace |
		cobra.ShellCompDirectiveKeepOrder
}

func CompletePublished(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	names := []string{"all", "none"}
	if sets, err := published.Read(published.FS); err == nil {
		for _, s := range sets {
			names = append(names, s.Name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// CompleteClaim offers the claims of the studies that are named: as they are, or to change
// their bounds.
func CompleteClaim(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, name := range args {
		if st, err := session.Study(name); err == nil {
			for _, c := range st.Claims {
				out = append(out, c.Source+"\t"+c.Prose)
			}
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

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
