package testfleet

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"go.yaml.in/yaml/v3"
)

// The disk of the place is full: nothing is lost, and the next attempt brings both.
func testFullDisk(t *testing.T, s *site) {
	where := s.at("small")
	plan, err := os.Stat(s.planFile)
	if err == nil {
		err = os.Mkdir(where, 0o777)
	}
	if err != nil {
		t.Fatal(err)
	}
	size := fmt.Sprintf("size=%d", plan.Size()+48<<10) // the plan and the beginning, but not the samples
	s.must(t, "mount", "-t", "tmpfs", "-o", size, "tmpfs", where)
	t.Cleanup(func() { s.run(nil, "umount", where) })
	run := []string{"run", "--plan", s.planFile, "--shard", "1/3", "--results", s.at("small-results"), "--to", where}
	s.fails(t, nil, "no space left on device", run...)
	status := s.status(t, nil, where)
	if len(status.Machines) != 1 || len(status.Machines[0].Done) != 0 {
		t.Errorf("with a full disk: %+v", status.Machines)
	}
	s.must(t, "mount", "-o", "remount,size=64m", where)
	_, stderr, code := s.run(nil, s.memcost, run...)
	if code != 0 || !strings.Contains(stderr, "sent attempt 0 at shard 1/3") {
		t.Errorf("after there was room again: status %d\n%s", code, stderr)
	}
	for _, f := range s.joined(t, where) {
		for _, name := range f.names() {
			if n := len(f.samples[name]); n != 2*rounds {
				t.Errorf("%s has %d rounds of two attempts, each of %d", name, n, rounds)
			}
			f.checkRounds(t, 0, name)
		}
	}
}

// testBucket runs the script of the pods of a Kubernetes manifest, for there is no Kubernetes here, with
// an object store as the place.
func testBucket(t *testing.T, s *site) {
	objects := s3mem.New()
	if err := objects.CreateBucket("memcost"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(objects).Server())
	defer server.Close()
	t.Setenv("AWS_ACCESS_KEY_ID", "anyone")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "anything")
	where := "s3://memcost/p?region=us-east-1&use_path_style=true&endpoint=" + server.URL
	text := s.must(t, s.memcost, "submit", s.planFile, "--on", "kubernetes", "--image", "memcost:test",
		"--shards", text(shards), "--to", where, "--results", s.at("pods"))
	var job struct {
		Spec struct {
			Completions int
			Template    struct {
				Spec struct{ Containers []struct{ Args []string } }
			}
		}
	}
	if err := yaml.Unmarshal([]byte(text), &job); err != nil || len(job.Spec.Template.Spec.Containers) != 1 {
		t.Fatalf("%v:\n%s", err, text)
	}
	script := job.Spec.Template.Spec.Containers[0].Args[0]
	for index := range job.Spec.Completions {
		env := []string{"PATH=" + filepath.Dir(s.memcost) + ":" + os.Getenv("PATH"),
			fmt.Sprintf("JOB_COMPLETION_INDEX=%d", index)}
		s.mustEnv(t, env, "sh", "-euc", script)
	}
	status := s.status(t, nil, where)
	if len(status.Machines) != 1 || len(status.Machines[0].Done) != shards || len(status.Submissions) != 1 ||
		status.Submissions[0].Begun != shards {
		t.Errorf("of the bucket: %+v", status)
	}
	sets := s.joined(t, where)
	s.likeUnbroken(t, sets)
	for _, name := range sets[0].names() {
		if n := len(sets[0].samples[name]); n != rounds {
			t.Errorf("%s has %d rounds, and an unbroken run %d", name, n, rounds)
		}
	}
}
