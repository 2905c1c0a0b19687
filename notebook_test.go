package memcost_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The malloc study's notebook draws its four pictures from results of malloc_bench
// and from a run folder, and its medians are right: scripts/notebook.sh proves it.
func TestNotebook(t *testing.T) {
	long(t)
	cmd := exec.Command("scripts/notebook.sh")
	cmd.Env = append(os.Environ(), "MEMCOST_FIGURES=")
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 77 {
		t.Skip(strings.TrimSpace(string(out))) // a tool is missing, and it says which
	}
	if err != nil {
		t.Fatalf("scripts/notebook.sh: %v\n%s", err, out)
	}
	if n := strings.Count(string(out), "medians and 4 pictures are right"); n != 2 {
		t.Errorf("%d of 2 configs were proved:\n%s", n, out)
	}
}
