// Package jobs writes what makes machines measure the shards of a plan: jobs for Slurm, a command for
// GNU parallel over ssh, a manifest for Kubernetes, commands for a shell. It is pure: a plan and
// options in, the text of scripts out. memcost submit starts them.
package jobs

import (
	"cmp"
	"embed"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"time"

	"memcost/internal/base/hint"
	"memcost/internal/base/units"
	"memcost/internal/fleet/place"
)

// A Submission is a plan given to a scheduler once.
type Submission struct {
	Plan     string // hash
	Number   int    // of the submission in the place, from 0 on
	Shards   int
	Kinds    []string // features or labels of the nodes, one array each; none: any node
	Replicas int      // how many times each kind measures the plan
	To       string   // the place, as every machine sees it
	Folder   bool     // whether the place is a folder
	Results  string   // the folder of run folders, on the machine that measures
	// Limit is how long an attempt may take before it is ended.
	Limit    time.Duration
	Dir      string // the folder of the files below, as Slurm's nodes see it
	Programs []Program
	Image    string   // of the containers
	Options  []string // further ones of the scheduler's command
}

// A Program is the memcost of an architecture.
type Program struct {
	OS, Arch string // of Go
	SHA256   string
	From     string // its file here
}

// Name is what the file of a program is called.
func (p Program) Name() string { return "memcost-" + p.OS + "-" + p.Arch }

// A File is one that a job needs: its text, or the program that it is a copy of.
type File struct {
	Name       string `json:"name"`
	Text       string `json:"text,omitempty"`
	From       string `json:"from,omitempty"`
	SHA256     string `json:"sha256,omitempty"`
	Executable bool   `json:"-"`
}

// A Command starts a job.
type Command struct {
	Program string
	Args    []string
	Kind    string
	Tasks   int
}

// Attempts at a shard are numbered so that a number tells the submission, the replica and how often
// the scheduler began the task anew: of an earlier submission they are before those of a later one.
const (
	submissionStep = 1_000_000
	replicaStep    = 1_000
)

// kindName matches what may name a kind: it stands in scripts, in manifests and in names of files.
var kindName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9_.-]{0,40}[A-Za-z0-9])?$`)

// Check refuses what no job can be made of.
func (s *Submission) Check() error {
	seen := map[string]bool{}
	for _, k := range s.Kinds {
		if !kindName.MatchString(k) {
			return hint.Usage("--kinds rpi4,epyc", "--kinds %q: a kind is a word of letters, digits, _, . and -", k)
		}
		if seen[k] {
			return hint.Usage("--replicas 2 measures each kind twice", "--kinds: %s is there twice", k)
		}
		seen[k] = true
	}
	if s.Replicas < 1 || s.Replicas > submissionStep/replicaStep {
		return hint.Usage("--replicas 3", "--replicas %d: there are 1 to %d", s.Replicas, submissionStep/replicaStep)
	}
	return nil
}

// KindNames returns the kinds, or "" for any node.
func (s *Submission) KindNames() []string {
	if len(s.Kinds) == 0 {
		return []string{""}
	}
	return s.Kinds
}

// Tasks is how many tasks each kind has.
func (s *Submission) Tasks() int { return s.Shards * s.Replicas }

// A kindJob is what the job of a kind is made of.
type kindJob struct {
	*Submission
	Kind, Name  string // Name is "any" for that of any node
	Last        int
	First, Step int // of the numbers of attempts
	Minutes     int
	Seconds     int
	Warned      int
}

// jobs returns what the job of each kind is made of.
func (s *Submission) jobs() []kindJob {
	limit := s.Limit + warned
	var out []kindJob
	for _, kind := range s.KindNames() {
		out = append(out, kindJob{Submission: s, Kind: kind, Name: cmp.Or(kind, "any"), Last: s.Tasks() - 1,
			First: s.Number * submissionStep, Step: replicaStep, Minutes: int((limit + time.Minute - 1) / time.Minute),
			Seconds: int(s.Limit.Seconds()), Warned: int(warned.Seconds())})
	}
	return out
}

// Prefix begins the name of the tasks of a kind: what an attempt says that it was begun by.
func (j kindJob) Prefix() string { return fmt.Sprintf("%d/%s", j.Number, j.Name) }

// warned is how long before its time limit Slurm sends SIGTERM: time for the attempt to be copied.
const warned = 2 * time.Minute

// PlanFile and StartFile are among the files of each submission that ships programs.
const (
	PlanFile  = "plan.json"
	StartFile = "start.sh"
)

//go:embed templates
var files embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{"shell": units.ShellWord, "unames": unames,
	"indent": func(n int, s string) string { return strings.ReplaceAll(s, "\n", "\n"+strings.Repeat(" ", n)) },
}).ParseFS(files, "templates/*"))

// unames is the pattern of what uname -s and uname -m say on the machines that a program runs on.
func unames(p Program) string {
	system := cmp.Or(map[string]string{"linux": "Linux", "darwin": "Darwin"}[p.OS], p.OS)
	names, known := machines[p.Arch]
	if !known {
		names = []string{p.Arch}
	}
	return system + "/" + strings.Join(names, "|"+system+"/")
}

// machines is what uname -m says, by Go's name of the architecture.
var machines = map[string][]string{
	"amd64": {"x86_64", "amd64"},
	"arm64": {"aarch64", "arm64"},
	"arm":   {"armv6l", "armv7l", "armv8l"},
	"386":   {"i386", "i686"},
}

// text writes a template; those that are embedded have no error.
func text(name string, of any) string {
	var b strings.Builder
	if err := templates.ExecuteTemplate(&b, name, of); err != nil {
		panic(err)
	}
	return b.String()
}

// Start returns the script that measures a shard on any machine: it chooses the memcost of the
// architecture, and begins nothing unless that is what was shipped, and the place is there.
func (s *Submission) Start() File {
	return File{Name: StartFile, Text: text("start.sh", s), Executable: true}
}

// Slurm returns the scripts of a submission, one array of tasks for each kind, and the commands that
// submit them. memcost takes the place of the shell, so that whatever Slurm signals reaches it. A task that
// goes on after its node was given up writes to files of its own: an attempt has its own run folder, its own
// folder in the place, and its own log.
func (s *Submission) Slurm() (files []File, commands []Command) {
	for _, j := range s.jobs() {
		name := j.Name + ".sbatch"
		files = append(files, File{Name: name, Text: text("slurm.sh", j)})
		args := slices.Concat([]string{"--parsable"}, s.Options, []string{path.Join(s.Dir, name)})
		commands = append(commands, Command{"sbatch", args, j.Kind, s.Tasks()})
	}
	return files, commands
}

// Kubernetes returns the manifest of a submission: an Indexed Job for each kind.
func (s *Submission) Kubernetes() (string, error) {
	if s.Image == "" {
		return "", hint.Usage("--image memcost:0.1.0, an image that has memcost and the compilers of the plan",
			"--on kubernetes needs the image of the containers")
	}
	out := ""
	for _, j := range s.jobs() {
		out += text("kubernetes.yaml", j)
	}
	return out, nil
}

// JobName names the Job of a kind.
func (s *Submission) JobName(kind string) string {
	name := strings.NewReplacer("_", "-", ".", "-").Replace(strings.ToLower(cmp.Or(kind, "any")))
	return fmt.Sprintf("memcost-%s-%d-%s", s.Plan, s.Number, name)
}

// Chosen is the part of a container's script that refuses another memcost in the image than was submitted with.
func (s *Submission) Chosen() string { return text("image", s) }

// PlanInPlace names the plan as memcost run --plan reads it in the place.
func (s *Submission) PlanInPlace() string {
	return (&place.Place{Name: s.To}).Below(s.Plan + "/" + PlanFile)
}
