package memcost_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
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

// The steps of the workflow, one after the other, in a project whose Go is older than memcost's: each finds the Go that it
// needs. As of setup-go, what a module asks for is not fetched (GOTOOLCHAIN=local): an older Go refuses a newer module.
func TestCIStepsWithOlderGo(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the steps are for a shell")
	}
	text, err := os.ReadFile(filepath.Join("docs", "ci", "memcost.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var w workflow
	if err := yaml.Unmarshal(text, &w); err != nil {
		t.Fatal(err)
	}
	work, bin := t.TempDir(), t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	// The Go that is set up, as far as the steps see it: it refuses a module that asks for a newer one, and "builds" a memcost
	// that notes with which Go it runs.
	write(filepath.Join(bin, "go"), `#!/bin/sh
set -eu
wants=$(sed -n 's/^go //p' go.mod)
if [ "$(printf '%s\n' "$wants" "$SET_UP" | sort -V | tail -1)" != "$SET_UP" ]; then
	echo "go: go.mod requires go >= $wants (running go $SET_UP; GOTOOLCHAIN=local)" >&2
	exit 1
fi
for last; do :; done
mkdir -p "$last/bin"
printf '#!/bin/sh\nwants=$(sed -n "s/^go //p" go.mod)\necho "$1 of a module of $wants with $SET_UP" >>"$NOTES"\n' >"$last/bin/memcost"
chmod +x "$last/bin/memcost"
`)
	write(filepath.Join(bin, "git"), "#!/bin/sh\necho base\n")
	version, paths := "none", bin
	for _, job := range w.Jobs {
		for _, s := range job.Steps {
			switch with := func(key string) string { x, _ := s.With[key].(string); return x }; {
			case strings.HasPrefix(s.Uses, "actions/checkout@") && with("repository") == "":
				write(filepath.Join(work, "go.mod"), "module example.com/old\n\ngo 1.21\n")
			case strings.HasPrefix(s.Uses, "actions/checkout@"):
				for _, name := range []string{"go.mod", "Makefile"} {
					mine, err := os.ReadFile(name)
					if err != nil {
						t.Fatal(err)
					}
					write(filepath.Join(work, with("path"), name), string(mine))
				}
			case strings.HasPrefix(s.Uses, "actions/setup-go@"):
				mod, err := os.ReadFile(filepath.Join(work, with("go-version-file")))
				if err != nil {
					t.Fatalf("%s: %v", s.Name, err)
				}
				version = string(regexp.MustCompile(`(?m)^go (\S+)`).FindSubmatch(mod)[1])
			case s.Run != "":
				cmd := exec.Command("sh", "-e", "-c", s.Run)
				cmd.Dir = work
				cmd.Env = append(os.Environ(), "PATH="+paths+":"+os.Getenv("PATH"), "SET_UP="+version, "HOME="+filepath.Join(work, "home"),
					"GITHUB_PATH="+filepath.Join(work, "path"), "NOTES="+filepath.Join(work, "notes"), "RUNNER_TEMP="+work, "BASE=main",
					"GITHUB_HEAD_REF=change", "GITHUB_STEP_SUMMARY="+filepath.Join(work, "summary"))
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("step %q: %v: %s", s.Name, err, out)
				}
				if more, err := os.ReadFile(filepath.Join(work, "path")); err == nil {
					paths = strings.TrimSpace(string(more)) + ":" + bin
				}
			}
		}
	}
	notes, err := os.ReadFile(filepath.Join(work, "notes"))
	if err != nil || !strings.HasPrefix(string(notes), "compare of a module of 1.21 with 1.21\n") {
		t.Errorf("it measured %q: %v", notes, err)
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
