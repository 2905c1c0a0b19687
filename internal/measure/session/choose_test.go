package session

import (
	"testing"

	"memcost/internal/study/language"
)

// The advice names the file that the mistake is in.
func TestCorrect(t *testing.T) {
	_, err := language.ReadShow("memcost.toml", []byte("ask = 4\n"))
	if got := correct(err); got != "correct memcost.toml, or remove what is wrong in it" {
		t.Error(got)
	}
	err = &language.SyntaxError{Pos: language.Pos{File: "x_test.go", Line: 1}}
	if got := correct(err); got != "correct the directive, or remove it" {
		t.Error(got)
	}
}
