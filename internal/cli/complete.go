package cli

import (
	"github.com/spf13/cobra"

	"memcost/internal/run"
	"memcost/published"
)

func completeStudies(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	studies, err := run.Studies()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var names []string
	for _, s := range studies {
		names = append(names, s.Name+"\t"+s.Question)
	}
	return names, cobra.ShellCompDirectiveDefault
}

func completePublished(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	names := []string{"all", "none"}
	if sets, err := published.Read(published.FS); err == nil {
		for _, s := range sets {
			names = append(names, s.Name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
