package jobs

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"memcost/internal/testkit"
)

func submission() *Submission {
	return &Submission{Plan: "0123456789ab", Number: 2, Shards: 4, Kinds: []string{"rpi4", "big_epyc.1"}, Replicas: 3,
		To: "/mnt/shared place", Folder: true, Results: "results", Limit: 95 * time.Second, Dir: "/srv/memcost-jobs/x",
		Programs: []Program{{"linux", "amd64", strings.Repeat("a1", 32), ""}, {"linux", "arm64", strings.Repeat("b2", 32), ""},
			{"darwin", "arm64", strings.Repeat("c3", 32), ""}},
		Image: "memcost:0.1.0", Options: []string{"--partition=long"}}
}

func TestGolden(t *testing.T) {
	s := submission()
	files, commands := s.Slurm()
	for _, f := range append(files, s.Start()) {
		testkit.Golden(t, "testdata/"+f.Name, f.Text)
		sound(t, f.Name, f.Text)
	}
	boards, err := Boards("boards.txt", "# the shelf\npi@board1\n\n 2/pi@board2\n")
	if err != nil {
		t.Fatal(err)
	}
	commands = append(commands, s.SSH("/home/me/boards.txt", boards))
	var lines []string
	for _, c := range commands {
		lines = append(lines, c.Program+"\n  "+strings.Join(c.Args, "\n  "))
	}
	sound(t, "what a board does", commands[len(commands)-1].Args[len(commands[len(commands)-1].Args)-1])
	testkit.Golden(t, "testdata/commands.txt", strings.Join(append(lines, s.Shell("/home/me/plan.json")...), "\n")+"\n")
}

// sound asks a shell whether a script is one.
func sound(t *testing.T, name, script string) {
	t.Helper()
	sh := exec.Command("sh", "-n")
	sh.Stdin = strings.NewReader(script)
	if out, err := sh.CombinedOutput(); errors.Is(err, exec.ErrNotFound) {
		t.Skip("no shell here")
	} else if err != nil {
		t.Errorf("%s is no script: %v: %s", name, err, out)
	}
}

// The numbers of attempts that the script of an array gives: each its own, and those of a later
// submission after those of an earlier one.
func TestAttemptNumbers(t *testing.T) {
	s := submission()
	s.Dir = t.TempDir()
	echo := "#!/bin/sh\necho \"$@\" >>" + filepath.Join(s.Dir, "said") + "\n"
	err := errors.Join(os.Mkdir(filepath.Join(s.Dir, "logs"), 0o777),
		os.WriteFile(filepath.Join(s.Dir, StartFile), []byte(echo), 0o777))
	if err != nil {
		t.Fatal(err)
	}
	files, _ := s.Slurm()
	for _, env := range []string{"SLURM_ARRAY_TASK_ID=0", "SLURM_ARRAY_TASK_ID=7", "SLURM_ARRAY_TASK_ID=11 2"} {
		task, restarts, _ := strings.Cut(env, " ")
		cmd := exec.Command("sh", "-s")
		cmd.Stdin, cmd.Env = strings.NewReader(files[0].Text), append(os.Environ(), task)
		if restarts != "" {
			cmd.Env = append(cmd.Env, "SLURM_RESTART_COUNT="+restarts)
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	said, err := os.ReadFile(filepath.Join(s.Dir, "said"))
	want := `--shard 1/4 --attempt 2000000 --job 2/rpi4/0
--shard 4/4 --attempt 2001000 --job 2/rpi4/7
--shard 4/4 --attempt 2002002 --job 2/rpi4/11
`
	if err != nil || string(said) != want {
		t.Errorf("%v\n%s", err, said)
	}
}

// The manifests are YAML of the fields that an Indexed Job has, whatever the words in them.
func TestManifest(t *testing.T) {
	s := submission()
	text, err := s.Kubernetes()
	if err != nil {
		t.Fatal(err)
	}
	testkit.Golden(t, "testdata/jobs.yaml", text)
	d := yaml.NewDecoder(strings.NewReader(text))
	for _, kind := range s.Kinds {
		var job struct {
			Kind string
			Spec struct {
				CompletionMode       string `yaml:"completionMode"`
				Completions          int
				BackoffLimitPerIndex int `yaml:"backoffLimitPerIndex"`
				Template             struct {
					Spec struct {
						NodeSelector map[string]string `yaml:"nodeSelector"`
						Containers   []struct{ Args []string }
						Volumes      []struct{ Name string }
					}
				}
			}
		}
		if err := d.Decode(&job); err != nil {
			t.Fatal(err)
		}
		pod := job.Spec.Template.Spec
		if job.Kind != "Job" || job.Spec.CompletionMode != "Indexed" || job.Spec.Completions != 12 ||
			pod.NodeSelector["memcost/kind"] != kind || len(pod.Volumes) != 3 || len(pod.Containers) != 1 {
			t.Errorf("kind %s: %+v", kind, job)
			continue
		}
		sound(t, "the script of "+kind, pod.Containers[0].Args[0])
		if !strings.Contains(pod.Containers[0].Args[0], "--plan '/mnt/shared place/0123456789ab/plan.json'") {
			t.Errorf("the script of %s:\n%s", kind, pod.Containers[0].Args[0])
		}
	}
	if err := d.Decode(new(any)); err != io.EOF {
		t.Errorf("more than a Job for each kind: %v", err)
	}
	s.To, s.Folder, s.Kinds = "s3://bucket/p?region=x", false, nil
	text, err = s.Kubernetes()
	if err != nil || !strings.Contains(text, "'s3://bucket/p/0123456789ab/plan.json?region=x'") ||
		strings.Contains(text, "nodeSelector") || strings.Contains(text, "name: place") {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestNoJobs(t *testing.T) {
	for _, change := range []func(*Submission){
		func(s *Submission) { s.Kinds = []string{"a b"} },
		func(s *Submission) { s.Kinds = []string{"$(reboot)"} },
		func(s *Submission) { s.Kinds = []string{"rpi4", "rpi4"} },
		func(s *Submission) { s.Replicas = 0 },
		func(s *Submission) { s.Replicas = 1001 },
	} {
		s := submission()
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		change(s)
		if err := s.Check(); err == nil {
			t.Errorf("%+v is let pass", s)
		}
	}
	for _, text := range []string{"", "# none\n", "a\nb\na\n"} {
		if boards, err := Boards("boards.txt", text); err == nil {
			t.Errorf("%q gave %q", text, boards)
		}
	}
}
