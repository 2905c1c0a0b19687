package cli

import (
	"os"

	"github.com/rogpeppe/go-internal/testscript"
	"go.yaml.in/yaml/v3"
)

// workflowStep writes what a step of a GitHub workflow runs to a file.
func workflowStep(ts *testscript.TestScript, neg bool, args []string) {
	arguments(ts, neg, args, 3, "step FILE NAME SCRIPT")
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct{ Name, Run string }
		}
	}
	ts.Check(yaml.Unmarshal([]byte(ts.ReadFile(args[0])), &workflow))
	for _, job := range workflow.Jobs {
		for _, step := range job.Steps {
			if step.Name == args[1] && step.Run != "" {
				ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(step.Run), 0o777))
				return
			}
		}
	}
	ts.Fatalf("%s has no step %q that runs something", args[0], args[1])
}
