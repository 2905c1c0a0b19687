package session

import (
	"net"
	"testing"
)

// A program that listens is told from others that do: by whose descendant has the socket.
func TestOwnListens(t *testing.T) {
	before := listening()
	if ownListens(before) {
		t.Error("a socket of before counts, or another's")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	if !ownListens(before) {
		t.Error("a socket of this process is not seen")
	}
	if descends(1) {
		t.Error("the first process of the system descends from this one")
	}
}
