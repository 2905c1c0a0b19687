package cli

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
	"memcost/internal/study/language"
)

func newCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "new",
		Short: "Write a study to begin with",
		Args:  maxArgs(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return hint.Usage("memcost new study NAME", "memcost new needs what is to be written: a study")
		},
	}
	cmd.AddCommand(newStudyCommand(a))
	return cmd
}

func newStudyCommand(a *App) *cobra.Command {
	var f commonFlags
	cmd := &cobra.Command{
		Use:   "study NAME",
		Short: "Write a folder of benchmarks with claims, which passes its own tests",
		Long: `Writes a study to begin with into the folder NAME: plain Go benchmarks with two sides and
three sizes, what is expected of each case, two claims, a memcost.toml with the question,
the answer's sentences, a table and pictures, and tests that both sides do the same
work. NAME may have folders before it, and must not exist. In a module the study becomes
one of its packages; elsewhere it gets a go.mod of its own.

Replace the operation and the claims by your own; docs/new-study.md says how.`,
		Example: `  memcost new study slices
  memcost new study ./bench/decoding
  memcost new study slices -n          the files that would be written`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return hint.Usage("memcost new study slices", "the name of the study is missing")
			}
			return writeStudy(a, filepath.Clean(args[0]), f.DryRun)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	register(cmd, f.folder().pick("dry-run = print the names of the files, and write nothing"))
	return cmd
}

func writeStudy(a *App, dir string, dry bool) error {
	write, did := language.Write, "wrote"
	if dry {
		write, did = language.Files, "would write"
	}
	files, err := write(dir)
	if err != nil {
		return err
	}
	var lines []string
	alone := false
	for _, f := range files {
		lines = append(lines, did+" "+f.Path)
		alone = alone || filepath.Base(f.Path) == "go.mod"
	}
	if dry {
		return a.Lines(lines)
	}
	pkg, in := "./"+filepath.ToSlash(dir), ""
	if filepath.IsAbs(dir) || strings.HasPrefix(dir, "..") {
		pkg = dir
	}
	if alone {
		pkg, in = ".", "cd "+dir+" && "
	}
	return a.Lines(append(lines, "", "next:",
		"  "+in+"go test "+pkg+"                          its own checks",
		"  "+in+"memcost run "+pkg+" --budget 20s          what holds here",
		"  "+in+"memcost run "+pkg+" -n                    the plan, and the cases"))
}
