package memcost_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// A workflow is what the tests look at of a workflow of GitHub Actions.
type workflow struct {
	On          map[string]any
	Permissions map[string]string
	Jobs        map[string]struct {
		RunsOn string `yaml:"runs-on"`
		Env    map[string]string
		Steps  []struct {
			Name, Uses, Run, If string
			With                map[string]any
		}
	}
}

// The workflow in docs/ci has the keys that GitHub asks for, the whole history, and steps that a
// shell takes; what is inserted into a script comes from the environment, so that the name of a branch
// cannot become a command.
func TestCIWorkflow(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("docs", "ci", "memcost.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var w workflow
	if err := yaml.Unmarshal(text, &w); err != nil {
		t.Fatal(err)
	}
	if _, ok := w.On["pull_request"]; !ok || w.Permissions["contents"] != "read" || len(w.Jobs) != 1 {
		t.Errorf("%+v", w)
	}
	used := regexp.MustCompile(`^[a-z-]+/[a-z-]+@v\d+$`)
	runs, deep, kept := 0, false, false
	for _, job := range w.Jobs {
		if job.RunsOn == "" {
			t.Error("the job has no runs-on")
		}
		for _, s := range job.Steps {
			if (s.Uses == "") == (s.Run == "") {
				t.Errorf("step %q: it must have either uses or run", s.Name)
			}
			if s.Uses != "" && !used.MatchString(s.Uses) {
				t.Errorf("%s is no action with a version", s.Uses)
			}
			deep = deep || strings.HasPrefix(s.Uses, "actions/checkout@") && s.With["fetch-depth"] == 0
			kept = kept || strings.HasPrefix(s.Uses, "actions/upload-artifact@") &&
				strings.Contains(s.If, "!cancelled()")
			if s.Run != "" {
				runs++
				shellAccepts(t, s.Name, s.Run)
				if strings.Contains(s.Run, "${{") {
					t.Errorf("step %q: an expression stands in a script", s.Name)
				}
			}
		}
	}
	if runs < 3 || !deep || !kept {
		t.Errorf("%d scripts, all commits %v, the run folder is kept %v", runs, deep, kept)
	}
}

// Each command of memcost in docs/ci names flags that there are, and every script is one that a
// shell takes.
func TestCIScripts(t *testing.T) {
	scripts, err := filepath.Glob(filepath.Join("docs", "ci", "*"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join("docs", "ci.md"))
	if err != nil {
		t.Fatal(err)
	}
	commands := 0
	for _, file := range scripts {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(page), "(ci/"+filepath.Base(file)+")") {
			t.Errorf("docs/ci.md does not name %s", file)
		}
		if filepath.Ext(file) == ".sh" {
			shellAccepts(t, file, string(text))
			if info, err := os.Stat(file); err == nil && info.Mode()&0o111 == 0 {
				t.Errorf("%s cannot be executed", file)
			}
		}
		joined := strings.ReplaceAll(string(text), "\\\n", " ")
		for line := range strings.Lines(joined) {
			command := strings.TrimSpace(line)
			if !strings.HasPrefix(command, "memcost ") || strings.HasPrefix(line, "#") {
				continue
			}
			commands++
			// Where a line is joined there are several spaces, which end a command in a document.
			if err := parses(words(strings.Join(strings.Fields(command), " "))[1:]); err != nil {
				t.Errorf("%s: %s: %v", file, command, err)
			}
		}
	}
	if commands < 6 {
		t.Errorf("only %d commands of memcost were found", commands)
	}
}

// shellAccepts reports what sh says of the form of a script.
func shellAccepts(t *testing.T, name, script string) {
	t.Helper()
	cmd := exec.Command("sh", "-n")
	cmd.Stdin = strings.NewReader(script)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v: %s", name, err, out)
	}
}
