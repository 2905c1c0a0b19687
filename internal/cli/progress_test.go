package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"memcost/internal/measure/sample"
)

// Where standard error is no terminal, progress is whole lines now and then, without control
// characters, whatever a case is named.
func TestProgressOfAPipe(t *testing.T) {
	var out bytes.Buffer
	p := NewProgress(&out)
	for i := range 100 {
		p.Sample(sample.Progress{Round: i, Total: 1, Study: "s", Case: "Evil\x1b[2J\r/size=8", Claims: 2, Decided: 1,
			Left: time.Minute})
	}
	p.Note("a note")
	p.End()
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 2 || lines[1] != "a note" ||
		!strings.HasSuffix(lines[0], "1 of 2 claims decided; about 1m0s left") {
		t.Errorf("%q", lines)
	}
	if strings.ContainsAny(out.String(), "\r\x1b") {
		t.Errorf("control characters: %q", out.String())
	}
}
