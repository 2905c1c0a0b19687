package jobs

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"text/template"

	"memcost/internal/base/hint"
	"memcost/internal/base/units"
)

//go:embed kubernetes.yaml.tmpl
var manifestText string

var manifest = template.Must(template.New("manifest").Funcs(template.FuncMap{"quote": strconv.Quote,
	"shell": units.ShellWord, "indent": indent}).Parse(manifestText))

// A kindJob is what the manifest of a kind's Job is made of.
type kindJob struct {
	*Submission
	Kind, Name, Job, Choose string
	Tasks, Seconds          int
}

// Kubernetes returns the manifest of a submission: an Indexed Job for each kind.
func (s *Submission) Kubernetes() (string, error) {
	if s.Image == "" {
		return "", hint.Usage("--image memcost:0.1.0, an image that has memcost and the compilers of the plan",
			"--on kubernetes needs the image of the containers")
	}
	var b strings.Builder
	for _, kind := range s.KindNames() {
		j := kindJob{s, kind, s.JobName(kind), taskPrefix(s.Number, kind), s.sums(), s.Tasks(),
			int(s.Limit.Seconds())}
		if err := manifest.Execute(&b, j); err != nil {
			return "", fmt.Errorf("writing the manifest of %s: %w", named(kind), err)
		}
	}
	return b.String(), nil
}

// JobName names the Job of a kind.
func (s *Submission) JobName(kind string) string {
	name := strings.NewReplacer("_", "-", ".", "-").Replace(strings.ToLower(named(kind)))
	return fmt.Sprintf("memcost-%s-%d-%s", s.Plan, s.Number, name)
}

// sums is the part of the script that refuses another memcost in the image than was submitted with.
func (s *Submission) sums() string {
	var b strings.Builder
	b.WriteString("program=$(command -v memcost)\ncase \"$(uname -s)/$(uname -m)\" in\n")
	for _, p := range s.Programs {
		fmt.Fprintf(&b, "%s) sum=%s ;;\n", unames(p), p.SHA256)
	}
	b.WriteString(`*)
	echo "memcost submit: no memcost was submitted for $(uname -m): submit with --binary FILE" >&2
	exit 1
	;;
esac
`)
	return b.String() + checked
}

// indent moves all lines but the first to the right.
func indent(n int, s string) string {
	return strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n"+strings.Repeat(" ", n))
}

// PlanInPlace names the plan as memcost run --plan reads it in the place.
func (s *Submission) PlanInPlace() string {
	where, query, has := strings.Cut(s.To, "?")
	if s.Folder || !has {
		return strings.TrimSuffix(s.To, "/") + "/" + s.Plan + "/" + PlanFile
	}
	return strings.TrimSuffix(where, "/") + "/" + s.Plan + "/" + PlanFile + "?" + query
}
