package jobs

import (
	"fmt"
	"strings"

	"memcost/internal/base/units"
)

// PlanFile and StartFile are among the files of each submission that ships programs.
const (
	PlanFile  = "plan.json"
	StartFile = "start.sh"
)

// Start returns the script that measures a shard on any machine: it chooses the memcost of the
// architecture, and begins nothing unless that is what was shipped, and the place is there.
func (s *Submission) Start() File {
	var b strings.Builder
	fmt.Fprintf(&b, `#!/bin/sh
# Measures a shard of plan %s with the memcost beside this script: start.sh --shard 3/8
set -eu
here=$(cd "$(dirname "$0")" && pwd)
`, s.Plan)
	b.WriteString(s.choose("$here/"))
	if s.Folder {
		there := units.ShellWord(s.To + "/" + s.Plan + "/" + PlanFile)
		fmt.Fprintf(&b, `[ -r %s ] || {
	echo "memcost submit: $(uname -n) does not see the place "%s": mount it there, or submit --to s3://…" >&2
	exit 1
}
`, there, units.ShellWord(s.To))
	}
	fmt.Fprintf(&b, `cd "$here/.." # the run folders of all submissions stand together
exec "$program" run --plan "$here/%s" --results %s --to %s "$@"
`, PlanFile, units.ShellWord(s.Results), units.ShellWord(s.To))
	return File{Name: StartFile, Text: b.String(), Executable: true}
}

// choose is the part of a script that sets program to the memcost of the architecture in a folder, and
// ends the script where there is none, or another than was shipped.
func (s *Submission) choose(folder string) string {
	var b strings.Builder
	b.WriteString("case \"$(uname -s)/$(uname -m)\" in\n")
	for _, p := range s.Programs {
		fmt.Fprintf(&b, "%s) program=\"%s%s\" sum=%s ;;\n", unames(p), folder, p.Name(), p.SHA256)
	}
	b.WriteString(`*)
	echo "memcost submit: no memcost was shipped for $(uname -s) on $(uname -m): submit with --binary FILE" >&2
	exit 1
	;;
esac
`)
	b.WriteString(checked)
	return b.String()
}

// checked is the part of a script that ends it where the program is not what was shipped.
const checked = `if command -v sha256sum >/dev/null; then
	is=$(sha256sum "$program")
else
	is=$(shasum -a 256 "$program")
fi
[ "${is%% *}" = "$sum" ] || {
	echo "memcost submit: $program on $(uname -n) has SHA-256 ${is%% *} and $sum was shipped" >&2
	exit 1
}
`

// unames is the pattern of what uname -s and uname -m say on the machines that a program runs on.
func unames(p Program) string {
	system := map[string]string{"linux": "Linux", "darwin": "Darwin"}[p.OS]
	if system == "" {
		system = p.OS
	}
	var out []string
	names, known := machines[p.Arch]
	if !known {
		names = []string{p.Arch}
	}
	for _, m := range names {
		out = append(out, system+"/"+m)
	}
	return strings.Join(out, "|")
}

// machines is what uname -m says, by Go's name of the architecture.
var machines = map[string][]string{
	"amd64": {"x86_64", "amd64"},
	"arm64": {"aarch64", "arm64"},
	"arm":   {"armv6l", "armv7l", "armv8l"},
	"386":   {"i386", "i686"},
}
