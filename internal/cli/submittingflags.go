package cli

import (
	"slices"
	"strings"

	"memcost/internal/base/hint"
)

// flags are those of memcost submit.
type submitFlags struct {
	plan     string // file
	on, to   string
	kinds    []string
	replicas int
	shards   int
	jobs     string // folder
	results  string
	image    string
	binaries []string
	options  []string
	dryRun   bool
	json     bool
	verbose  bool
}

// What --on takes; ssh has the file of boards after a colon.
const (
	onSlurm      = "slurm"
	onSSH        = "ssh"
	onKubernetes = "kubernetes"
	onShell      = "shell"
)

// scheduler is what --on says before the colon.
func (f *submitFlags) scheduler() string {
	on, _, _ := strings.Cut(f.on, ":")
	return on
}

// boards is the file that --on ssh:FILE names.
func (f *submitFlags) boards() string {
	_, file, _ := strings.Cut(f.on, ":")
	return file
}

// only says which flags belong to some schedulers alone.
var only = []struct {
	flag string
	on   []string
}{
	{"kinds", []string{onSlurm, onKubernetes}},
	{"replicas", []string{onSlurm, onKubernetes}},
	{"jobs", []string{onSlurm, onSSH}},
	{"binary", []string{onSlurm, onSSH, onKubernetes}},
	{"image", []string{onKubernetes}},
	{"option", []string{onSlurm, onSSH}},
}

// check refuses what makes no sense.
func (f *submitFlags) check(given func(string) bool) error {
	on := f.scheduler()
	switch {
	case f.on == "":
		return hint.Usage("--on slurm, --on ssh:boards.txt, --on kubernetes or --on shell",
			"memcost submit needs to know what starts the jobs")
	case !slices.Contains([]string{onSlurm, onSSH, onKubernetes, onShell}, on):
		return hint.Usage("--on slurm, --on ssh:boards.txt, --on kubernetes or --on shell",
			"--on %s: memcost knows no such scheduler", f.on)
	case on == onSSH && f.boards() == "":
		return hint.Usage("--on ssh:boards.txt, a file with one board a line", "--on %s: which boards?", f.on)
	case on != onSSH && on != f.on:
		return hint.Usage("--on "+on, "--on %s: only ssh has a file", f.on)
	case f.to == "":
		return hint.Usage("--to /mnt/shared, or --to s3://BUCKET/PREFIX",
			"memcost submit needs the place where the shards meet")
	case f.shards < 1:
		return hint.Usage("--shards 8", "--shards %d: there is at least one", f.shards)
	}
	for _, x := range only {
		if given(x.flag) && !slices.Contains(x.on, on) {
			return hint.Usage("leave it out", "--%s says nothing to --on %s (%s only)", x.flag, on,
				strings.Join(x.on, ", "))
		}
	}
	return nil
}
