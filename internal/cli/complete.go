package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memcost/internal/measure/plan"
	"memcost/internal/measure/session"
	"memcost/published"
)

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
