package machine_test

import (
	"strings"
	"testing"

	"memcost/internal/machine"
	"memcost/internal/show/terminal"
)

func TestDocument(t *testing.T) {
	findings := []machine.Finding{
		{Name: "cpus", Level: machine.OK, Value: "2",
			Detail: "the harness and its operating system have a CPU of their own"},
		{Name: "memlock", Level: machine.Warn, Value: "8 MiB", Detail: "cases with mlockall fail once they hold " +
			"more than this", Hint: "run with CAP_IPC_LOCK, or with a larger limit: prlimit --memlock"},
		{Name: "load", Level: machine.Bad, Value: "9.95 on 2 CPUs",
			Detail: "more programs were running than there are CPUs"},
	}
	for _, width := range []int{0, 40, 80} {
		var b strings.Builder
		d := machine.Fingerprint{Hostname: "vm", CPUs: 2, OS: "linux", Arch: "amd64"}.Document(findings)
		if err := terminal.Write(&b, d, terminal.Style{Width: width}); err != nil {
			t.Fatal(err)
		}
		words := strings.Join(strings.Fields(b.String()), " ")
		for _, want := range []string{"BAD load", "warn memlock", "not fit to measure on (BAD: 1, warn: 1)"} {
			if !strings.Contains(words, want) {
				t.Errorf("%d columns: no %q in\n%s", width, want, b.String())
			}
		}
		if width == 0 && !strings.Contains(b.String(), "→ run with CAP_IPC_LOCK, or with a larger limit: prlimit "+
			"--memlock\n") {
			t.Errorf("the hint is broken:\n%s", b.String())
		}
	}
}
