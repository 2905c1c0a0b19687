package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
	"memcost/internal/document"
	"memcost/internal/measure/session"
	"memcost/internal/study/language"
	"memcost/published"
)

func listCommand(a *App) *cobra.Command {
	var f commonFlags
	cmd := &cobra.Command{
		Use:   "list [STUDY]",
		Short: "Studies, their benchmarks and claims, and the published figures",
		Long: `Lists the shipped studies with their questions, benchmarks and claims, and the published
figures that the claims are tested on, too. Of one STUDY it prints the claims and the
expectations as they stand in the source. Packages of your own are listed by: memcost run -n`,
		Example: `  memcost list
  memcost list stackheap
  memcost list --json`,
		Args: maxArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			studies := session.Studies()
			sets, err := published.Read(published.FS)
			if err != nil {
				return err
			}
			if len(args) == 1 {
				if strings.ContainsAny(args[0], `./\`) {
					return hint.Usage("memcost run -n "+args[0]+" lists the benchmarks of packages of your own",
						"list shows the shipped studies, and %q names a package", args[0])
				}
				st, err := session.Study(args[0])
				if err != nil {
					return err
				}
				studies = []*language.Study{st}
			}
			all := listing(studies, sets)
			return f.show(a, said{json: all, document: func() *document.Document {
				return listDocument(all, len(args) == 1)
			}})
		},
		ValidArgsFunction: completeStudies,
	}
	register(cmd, f.output().pick("json"))
	return cmd
}

type listed struct {
	Study      string              `json:"study"`
	Doc        string              `json:"doc"`
	Question   string              `json:"question"`
	OldestGo   string              `json:"oldest_go"`
	Command    string              `json:"command,omitempty"` // finds the figures; there are no benchmarks
	Benchmarks []listedItem        `json:"benchmarks"`
	Loads      []listedItem        `json:"loads,omitempty"` // busy cores beside which cases are measured
	Expects    []listedItem        `json:"expectations"`
	Claims     []listedItem        `json:"claims"`
	Published  []published.DataSet `json:"published"`
}

type listedItem struct {
	Name string `json:"name,omitempty"`
	Text string `json:"text"`
	Doc  string `json:"doc,omitempty"`
	Pos  string `json:"position"`
}

func listing(studies []*language.Study, sets []published.DataSet) []listed {
	var out []listed
	for _, s := range studies {
		l := listed{Study: s.Name, Doc: s.Doc, Question: s.Question, OldestGo: s.OldestGo, Command: s.Command}
		for _, b := range s.Benchmarks {
			l.Benchmarks = append(l.Benchmarks, listedItem{b.Name, "Benchmark" + b.Name, b.Doc, b.Pos.String()})
		}
		for _, x := range s.Loads {
			l.Loads = append(l.Loads, listedItem{strings.TrimSpace(x.Sel.Scope + " " + x.Sel.String()),
				strings.Join(x.Busy, ", "), "", x.Pos.String()})
		}
		for _, e := range s.Expects {
			l.Expects = append(l.Expects, listedItem{"", e.Source, e.Prose, e.Pos.String()})
		}
		for _, c := range s.Claims {
			l.Claims = append(l.Claims, listedItem{c.ID, c.Source, c.Prose, c.Pos.String()})
		}
		for _, d := range sets {
			if d.Study == s.Name {
				l.Published = append(l.Published, d)
			}
		}
		out = append(out, l)
	}
	return out
}

// listDocument shows studies with their benchmarks, claims and figures; long has how claims are
// tested.
func listDocument(ls []listed, long bool) *document.Document {
	t := &document.Table{Headless: true, Columns: []document.Column{{Kind: document.Key}, {Kind: document.Prose}}}
	group := func(title string, items []listedItem, row func(listedItem) (name, say string)) {
		if title != "" && len(items) > 0 {
			t.Add(document.Say(title)).Head = true
		}
		for _, x := range items {
			name, say := row(x)
			t.Add(document.Say("  ", name), document.Say(say))
		}
	}
	for _, l := range ls {
		t.Add(document.As(document.Strong, l.Study), document.Say(l.Question))
		group("", l.Benchmarks, func(x listedItem) (string, string) { return x.Name, x.Doc })
		if l.Command != "" {
			t.Add(document.Say("  ", l.Command), document.Say("finds the figures"))
		}
		group("beside so many busy cores", l.Loads, func(x listedItem) (string, string) {
			return strings.TrimSuffix(x.Name, " *"), x.Text
		})
		if long {
			group("expectations", l.Expects, func(x listedItem) (string, string) { return x.Pos, x.Text })
		}
		group("claims", l.Claims, func(x listedItem) (string, string) {
			if long || x.Doc == "" {
				return x.Name, x.Text
			}
			return x.Name, x.Doc
		})
		var figures []listedItem
		for _, d := range l.Published {
			figures = append(figures, listedItem{Name: d.Name, Text: fmt.Sprintf("%s, %s, %d figures (%s)", d.Machine,
				d.Toolchain, d.Results, d.Source)})
		}
		group("published", figures, func(x listedItem) (string, string) { return x.Name, x.Text })
	}
	return &document.Document{Blocks: []document.Block{t}}
}
