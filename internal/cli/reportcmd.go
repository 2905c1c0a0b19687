package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"memcost/internal/report"
	"memcost/published"
)

func (a *app) reportCommand() *cobra.Command {
	var format, out string
	var asJSON, long, noPublished bool
	cmd := &cobra.Command{
		Use:   "report RUN...",
		Short: "The answer of one or more run folders, computed anew from their samples",
		Example: `  memcost report results/20261121-101530-myhost
  memcost report results/* --json -o answers.json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("name a run folder: memcost report results/…", "memcost report needs a run folder")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if asJSON {
				format = "json"
			}
			if format != "text" && format != "json" {
				return usage("the formats are text and json", "--format %q: unknown format", format)
			}
			return a.report(args, format, out, long, !noPublished)
		},
	}
	f := cmd.Flags()
	f.StringVar(&format, "format", "text", "text or json")
	f.BoolVar(&asJSON, "json", false, "the same as --format json")
	f.StringVarP(&out, "output", "o", "", "write to `FILE` instead of standard output")
	f.BoolVar(&long, "long", false, "every case, beside the tables")
	f.BoolVar(&noPublished, "no-published", false, "leave out the figures that others published")
	return cmd
}

func (a *app) report(dirs []string, format, out string, long, withPublished bool) (err error) {
	var answers []*report.Answer
	for _, dir := range dirs {
		ans, err := answer(dir, withPublished)
		if err != nil {
			return err
		}
		answers = append(answers, ans)
	}
	w, style := a.stdout, a.style(long)
	if out != "" {
		f, err := os.Create(out)
		if err != nil {
			return fmt.Errorf("writing the report: %w", err)
		}
		defer func() {
			if cerr := f.Close(); err == nil && cerr != nil {
				err = fmt.Errorf("writing the report: %w", cerr)
			}
		}()
		w, style = f, report.Style{Long: long}
	}
	return render(w, answers, format, style)
}

func render(w io.Writer, answers []*report.Answer, format string, style report.Style) error {
	if format == "json" {
		return writeJSON(w, answers)
	}
	for i, ans := range answers {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := ans.Text(w, style); err != nil {
			return err
		}
	}
	return nil
}

func answer(dir string, withPublished bool) (*report.Answer, error) {
	var of report.Published
	if withPublished {
		sets, err := report.ReadPublished(published.FS)
		if err != nil {
			return nil, err
		}
		of = report.Of(sets)
	}
	return report.Read(dir, report.Options{Published: of})
}

func (a *app) style(long bool) report.Style {
	_, width := isTerminal(a.stdout)
	return report.Style{Color: useColor(a.stdout), Width: width, Long: long}
}
