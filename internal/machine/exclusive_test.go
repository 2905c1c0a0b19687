package machine

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func take(t *testing.T) *Lock {
	t.Helper()
	l, err := Try()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLock(t *testing.T) {
	t.Setenv(Variable, filepath.Join(t.TempDir(), "lock"))
	first := take(t)
	if first == nil {
		t.Fatal("a free lock was not taken")
	}
	if second := take(t); second != nil {
		t.Fatal("two have the lock")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	said := 0
	if l, err := Wait(ctx, func() { said++ }); l != nil || !errors.Is(err, context.DeadlineExceeded) || said != 1 {
		t.Errorf("waiting gave %v, %v, and said so %d times", l, err, said)
	}
	l, err := Wait(t.Context(), first.Release) // what is waited for ends meanwhile
	if l == nil || err != nil {
		t.Fatalf("%v, %v", l, err)
	}
	l.Release()
	if l = take(t); l == nil {
		t.Error("a lock that was released was not taken")
	}
}

func TestNoRightToLock(t *testing.T) {
	t.Setenv(Variable, filepath.Join(t.TempDir(), "none", "lock"))
	if _, err := Try(); err == nil || !strings.Contains(err.Error(), "measurements of this machine") {
		t.Error(err)
	}
}

// All users have the same lock: it does not follow from who asks.
func TestPath(t *testing.T) {
	t.Setenv(Variable, "")
	before := Path()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("USER", "another")
	if after := Path(); after != before || filepath.Base(after) != name {
		t.Errorf("%s, for another user %s", before, after)
	}
}
