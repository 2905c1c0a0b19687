package cli

import (
	"context"
	"errors"
	"strings"
	"testing"

	"memcost/internal/base/hint"
)

// What is said of an interrupt before the first sample: a run that is gone on with keeps its own.
func TestInterruptedBeforeASample(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	for _, tt := range []struct{ resume, says, advice string }{
		{"", "nothing was measured yet", "what was built is kept"},
		{"results/x", "everything measured so far is kept", "memcost alloc --resume results/x"},
	} {
		err := new(App).MeasureSides(ctx, nil, errors.New("canceled"), nil, Sides{Command: "alloc", Resume: tt.resume})
		if err == nil {
			t.Fatal("no error")
		}
		text, hints := hint.Split(err)
		if !strings.Contains(text, tt.says) || len(hints) != 1 || !strings.Contains(hints[0], tt.advice) {
			t.Errorf("resume %q: %q, hints %q", tt.resume, text, hints)
		}
	}
}
