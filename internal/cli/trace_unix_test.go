//go:build unix

package cli

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Nobody writes to these pipes: neither opening the one nor reading the other ends.
func TestTraceOfSilentPipeIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	stdin, w := io.Pipe()
	defer w.Close()
	for _, arg := range []string{"-", fifo} {
		var stdout, stderr bytes.Buffer
		status := Main(ctx, []string{"trace", arg}, stdin, &stdout, &stderr)
		if status != statusInterrupted || !strings.Contains(stderr.String(), "memcost: interrupted") || stdout.Len() > 0 {
			t.Errorf("trace %s: status %d, %q, %q", arg, status, stdout.String(), stderr.String())
		}
	}
}
