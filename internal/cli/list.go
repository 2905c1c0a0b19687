package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memcost/internal/base/hint"
	"memcost/internal/measure/session"
	"memcost/internal/show/text"
	"memcost/internal/study/language"
	"memcost/published"
)

func listCommand(a *App) *cobra.Command {
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "list [STUDY]",
		Short: "Studies, their benchmarks and claims, and the published figures",
		Long: `Lists the shipped studies with their questions, benchmarks and claims, and the published
figures that the claims are tested on, too. Of one STUDY it prints the claims and the
expectations as they stand in the source. Packages of your own are listed by: memcost run -n`,
		Example: `  memcost list
  memcost list stackheap
  memcost list --json`,
		Args: MaxArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			studies, err := session.Studies()
			if err != nil {
				return err
			}
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
			if output.json {
				return WriteJSON(a.Stdout, listing(studies, sets))
			}
			return writeList(a.Stdout, listText(listing(studies, sets), len(args) == 1), a.Style(false))
		},
		ValidArgsFunction: CompleteStudies,
	}
	register(cmd, output.flags().pick("json"))
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
			if d.Suite == s.Name {
				l.Published = append(l.Published, d)
			}
		}
		out = append(out, l)
	}
	return out
}

// listText are the studies as they are printed; long has how claims are tested.
func listText(ls []listed, long bool) []listedText {
	var out []listedText
	for _, l := range ls {
		var benchmarks, loads, expects, claims, figures [][2]string
		for _, b := range l.Benchmarks {
			benchmarks = append(benchmarks, [2]string{b.Name, b.Doc})
		}
		if l.Command != "" {
			benchmarks = append(benchmarks, [2]string{l.Command, "finds the figures"})
		}
		for _, x := range l.Loads {
			loads = append(loads, [2]string{strings.TrimSuffix(x.Name, " *"), x.Text})
		}
		for _, e := range l.Expects {
			expects = append(expects, [2]string{e.Pos, e.Text})
		}
		for _, c := range l.Claims {
			say := c.Doc
			if long || say == "" {
				say = c.Text
			}
			claims = append(claims, [2]string{c.Name, say})
		}
		for _, d := range l.Published {
			figures = append(figures, [2]string{d.Name, fmt.Sprintf("%s, %s, %d figures (%s)", d.Machine, d.Toolchain,
				d.Results, d.Source)})
		}
		x := listedText{Name: l.Study, Question: l.Question, Groups: []listedGroup{{Items: benchmarks},
			{Title: "beside so many busy cores", Items: loads}, {Title: "claims", Items: claims},
			{Title: "published", Items: figures}}}
		if long {
			x.Groups = slices.Insert(x.Groups, 2, listedGroup{Title: "expectations", Items: expects})
		}
		out = append(out, x)
	}
	return out
}

// A listedText is a study with what belongs to it, in groups of names and what they mean.
type listedText struct {
	Name, Question string
	Groups         []listedGroup
}

// A listedGroup is some things of a study below a title; "" is none.
type listedGroup struct {
	Title string
	Items [][2]string // name and meaning
}

// writeList writes studies.
func writeList(w io.Writer, studies []listedText, s text.Style) error {
	t := text.Table{Left: map[int]bool{1: true}, Prose: 1}
	for _, study := range studies {
		t.Rows = append(t.Rows, []text.Cell{text.Bold(study.Name), {Text: study.Question}})
		for _, g := range study.Groups {
			if g.Title != "" && len(g.Items) > 0 {
				t.Add(g.Title, "")
			}
			for _, item := range g.Items {
				t.Add("  "+item[0], item[1])
			}
		}
	}
	p := text.NewPrinter(w, s)
	p.Table(t)
	return p.Err()
}
