package hint

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
)

func TestSplit(t *testing.T) {
	plain := errors.New("it broke")
	for _, tt := range []struct {
		name  string
		err   error
		text  string
		hints []string
		usage bool
	}{
		{"no hint", plain, "it broke", nil, false},
		{"new", New("try again", "it broke at %d", 7), "it broke at 7", []string{"try again"}, false},
		{"wrapped", fmt.Errorf("reading x: %w (line 3)", With("look", plain)), "reading x: it broke (line 3)",
			[]string{"look"}, false},
		{"usage", fmt.Errorf("run: %w", Usage("write 1", "no such size")), "run: no such size",
			[]string{"write 1"}, true},
		{"usage without advice", Usage("", "no such size"), "no such size", nil, true},
		{"two", With("outer", fmt.Errorf("a: %w", New("inner", "b"))), "a: b", []string{"inner", "outer"}, false},
		{"joined", errors.Join(New("one", "a"), plain, New("two", "b"), New("one", "c")), "a\nit broke\nb\nc",
			[]string{"one", "two"}, false},
	} {
		text, hints := Split(tt.err)
		if text != tt.text || !slices.Equal(hints, tt.hints) || IsUsage(tt.err) != tt.usage {
			t.Errorf("%s: %q, %q, usage %v", tt.name, text, hints, IsUsage(tt.err))
		}
	}
}

func TestTheTextKeepsTheHint(t *testing.T) {
	err := With("look there", fmt.Errorf("reading: %w", io.ErrUnexpectedEOF))
	if got := err.Error(); got != "reading: unexpected EOF\nhint: look there" {
		t.Errorf("%q", got)
	}
	var typed *Error
	if !errors.As(fmt.Errorf("x: %w", err), &typed) || typed.Hint != "look there" ||
		!errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v is not found again", err)
	}
	if With("nothing", nil) != nil {
		t.Error("advice about no error")
	}
}
