//go:build unix

package proc

import (
	"io"
	"os"
	"testing"
)

func TestFiles(t *testing.T) {
	inR, inW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c := helper(t, "third")
	c.Files = []*os.File{inR, outW}
	inW.WriteString("request")
	inW.Close()
	run(t, c)
	outW.Close()
	if got, _ := io.ReadAll(outR); string(got) != "request, error <nil>" {
		t.Errorf("it answered %q", got)
	}
}
