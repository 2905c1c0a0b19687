// Package testkit holds what the tests of many packages share: golden files, and texts that would do
// something where they are taken for anything but text. Only tests import it.
package testkit

import (
	"bytes"
	"compress/gzip"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Update is the flag -update, with which tests write their golden files anew.
var Update = flag.Bool("update", false, "write the golden files of testdata anew")

// Captured returns what a file of testdata holds that another program wrote, unpacked where it is packed.
func Captured(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err == nil && bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		var z *gzip.Reader
		if z, err = gzip.NewReader(bytes.NewReader(data)); err == nil {
			data, err = io.ReadAll(z)
		}
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return data
}

// Golden compares a text with a file, or writes the file anew.
func Golden(t testing.TB, file, got string) {
	t.Helper()
	if *Update {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	a, b := strings.SplitAfter(got, "\n"), strings.SplitAfter(string(want), "\n")
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	// The place and what is around it: a whole report in the output of a test hides where it differs.
	around := func(of []string) string {
		return strings.Join(of[min(max(at-2, 0), len(of)):min(at+5, len(of))], "")
	}
	t.Errorf("%s differs from line %d on (go test -update writes it anew)\ngot\n%.2000s\nwant\n%.2000s", file, at+1,
		around(a), around(b))
}
