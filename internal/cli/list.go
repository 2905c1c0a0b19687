package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"path"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"memcost/internal/catalog"
	"memcost/internal/result"
	"memcost/published"
	"memcost/study"
)

func (a *app) listCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list [STUDY]",
		Short: "Studies, their benchmarks and claims, and the published figures",
		Example: `  memcost list
  memcost list stackheap
  memcost list --json`,
		Args: maxArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			studies, err := catalog.ReadAll(study.FS)
			if err != nil {
				return err
			}
			sets, err := result.ReadPublished(published.FS)
			if err != nil {
				return err
			}
			if len(args) == 1 {
				st := find(studies, args[0])
				if st == nil {
					return unknownStudy(args[0], studies)
				}
				studies = []*catalog.Study{st}
			}
			if asJSON {
				return writeJSON(a.stdout, listing(studies, sets))
			}
			return listText(a.stdout, listing(studies, sets), len(args) == 1)
		},
		ValidArgsFunction: completeStudies,
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

type listed struct {
	Study      string           `json:"study"`
	Doc        string           `json:"doc"`
	Question   string           `json:"question"`
	OldestGo   string           `json:"oldest_go"`
	Command    string           `json:"command,omitempty"` // finds the figures; there are no benchmarks
	Benchmarks []listedItem     `json:"benchmarks"`
	Expects    []listedItem     `json:"expectations"`
	Claims     []listedItem     `json:"claims"`
	Published  []result.DataSet `json:"published"`
}

type listedItem struct {
	Name string `json:"name,omitempty"`
	Text string `json:"text"`
	Doc  string `json:"doc,omitempty"`
	Pos  string `json:"position"`
}

func listing(studies []*catalog.Study, sets []result.DataSet) []listed {
	var out []listed
	for _, s := range studies {
		l := listed{Study: s.Name, Doc: s.Doc, Question: s.Question, OldestGo: s.OldestGo, Command: s.Command}
		for _, b := range s.Benchmarks {
			l.Benchmarks = append(l.Benchmarks, listedItem{b.Name, "Benchmark" + b.Name, b.Doc, b.Pos.String()})
		}
		for _, e := range s.Expects {
			l.Expects = append(l.Expects, listedItem{"", e.Source, e.Prose, e.Pos.String()})
		}
		for _, c := range s.Claims {
			l.Claims = append(l.Claims, listedItem{c.ID, c.Source, c.Prose, c.Pos.String()})
		}
		for _, d := range sets {
			if d.Suite == s.Name {
				l.Published = append(l.Published, d)
			}
		}
		out = append(out, l)
	}
	return out
}

func listText(w io.Writer, ls []listed, long bool) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, l := range ls {
		fmt.Fprintf(tw, "%s\t%s\n", l.Study, l.Question)
		for _, b := range l.Benchmarks {
			fmt.Fprintf(tw, "  %s\t%s\n", b.Name, b.Doc)
		}
		if l.Command != "" {
			fmt.Fprintf(tw, "  %s\tfinds the figures\n", l.Command)
		}
		if long {
			fmt.Fprintf(tw, "expectations\t\n")
			for _, e := range l.Expects {
				fmt.Fprintf(tw, "  %s\t%s\n", e.Pos, e.Text)
			}
		}
		fmt.Fprintf(tw, "claims\t\n")
		for _, c := range l.Claims {
			say := c.Doc
			if long || say == "" {
				say = c.Text
			}
			fmt.Fprintf(tw, "  %s\t%s\n", c.Name, say)
		}
		fmt.Fprintf(tw, "published\t\n")
		for _, d := range l.Published {
			fmt.Fprintf(tw, "  %s\t%s, %s, %d figures (%s)\n", d.Name, d.Machine, d.Toolchain, d.Results, d.Source)
		}
	}
	return tw.Flush()
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// find returns a study by its name, or nil. One below another is found by the last part
// of its name, too, which files of before know it by: latency is malloc/latency.
func find(studies []*catalog.Study, name string) *catalog.Study {
	for _, s := range studies {
		if s.Name == name {
			return s
		}
	}
	for _, s := range studies {
		if path.Base(s.Name) == name {
			return s
		}
	}
	return nil
}

func completeStudies(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	studies, err := catalog.ReadAll(study.FS)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var names []string
	for _, s := range studies {
		names = append(names, s.Name+"\t"+s.Question)
	}
	return names, cobra.ShellCompDirectiveDefault
}

func maxArgs(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > n {
			return usage(cmd.CommandPath()+" --help says what it takes", "%s takes %d arguments at most, not %d: %q", cmd.CommandPath(), n, len(args), args)
		}
		return nil
	}
}
