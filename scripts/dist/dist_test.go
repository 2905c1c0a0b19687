package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"memcost/internal/cli"
)

var released = time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)

// The man page of each command names its flags, and that of its parent names it.
func TestManPagesNameEverything(t *testing.T) {
	dir := t.TempDir()
	if err := writeDocs(dir, "1.2.3", released); err != nil {
		t.Fatal(err)
	}
	var look func(cmd *cobra.Command)
	look = func(cmd *cobra.Command) {
		name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
		page, err := os.ReadFile(filepath.Join(dir, "share", "man", "man1", name+".1"))
		if err != nil {
			t.Error(err)
			return
		}
		text := strings.ReplaceAll(string(page), `\-`, "-")
		if !strings.Contains(text, "memcost 1.2.3") || !strings.Contains(text, "Jan 2026") {
			t.Errorf("%s.1 does not name version and date", name)
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && !strings.Contains(text, "--"+f.Name) {
				t.Errorf("%s.1 does not name --%s", name, f.Name)
			}
		})
		for _, sub := range cmd.Commands() {
			if !sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() {
				continue
			}
			if full := strings.ReplaceAll(sub.CommandPath(), " ", "-"); !strings.Contains(text, full+"(1)") {
				t.Errorf("%s.1 does not name %s", name, full)
			}
			look(sub)
		}
	}
	look(cli.Commands())
}

func TestCompletions(t *testing.T) {
	dir := t.TempDir()
	if err := writeDocs(dir, "1.2.3", released); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bash-completion/completions/memcost", "zsh/site-functions/_memcost",
		"fish/vendor_completions.d/memcost.fish", "powershell/memcost.ps1"} {
		text, err := os.ReadFile(filepath.Join(dir, "share", filepath.FromSlash(name)))
		if err != nil || !bytes.Contains(text, []byte("memcost")) {
			t.Errorf("%s: %v, %d bytes", name, err, len(text))
		}
	}
}

// The same files give the same archive, whenever they were written.
func TestArchivesAreReproducible(t *testing.T) {
	for _, pack := range []packer{tarball, zipFile} {
		var bufs [2]bytes.Buffer
		for i := range bufs {
			dir := filepath.Join(t.TempDir(), "memcost-1")
			for name, mode := range map[string]os.FileMode{"bin/memcost": 0o700, "share/man/man1/memcost.1": 0o600,
				"LICENSE": 0o666} {
				path := filepath.Join(dir, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(name), mode); err != nil {
					t.Fatal(err)
				}
				if at := time.Now().Add(time.Duration(i) * time.Hour); os.Chtimes(path, at, at) != nil {
					t.Fatal("a file's time cannot be set")
				}
			}
			if err := pack(&bufs[i], dir, released); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(bufs[0].Bytes(), bufs[1].Bytes()) {
			t.Error("two archives of the same files differ")
		}
		if got := strings.Join(list(t, bufs[0].Bytes()), " "); got !=
			"memcost-1/LICENSE -rw-r--r-- memcost-1/bin/memcost -rwxr-xr-x memcost-1/share/man/man1/memcost.1 "+
				"-rw-r--r--" {
			t.Errorf("it holds %s", got)
		}
	}
}

// list returns names and modes of an archive's files.
func list(t *testing.T, data []byte) (out []string) {
	t.Helper()
	if z, err := zip.NewReader(bytes.NewReader(data), int64(len(data))); err == nil {
		for _, f := range z.File {
			out = append(out, f.Name, f.Mode().String())
		}
		return out
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, h.Name, os.FileMode(h.Mode).String())
	}
}

func TestArguments(t *testing.T) {
	t.Chdir("../..")
	for _, args := range [][]string{{"-nonsense"}, {"extra"}} {
		if err := run(t.Context(), args, io.Discard, io.Discard); !errors.Is(err, flag.ErrHelp) {
			t.Errorf("%q: %v", args, err)
		}
	}
	err := run(t.Context(), []string{"-out", t.TempDir(), "-only", "plan9/386"}, io.Discard, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "no such platform") {
		t.Errorf("plan9: %v", err)
	}
}

// What make install and make dist make for this machine.
func TestInstallAndArchive(t *testing.T) {
	if testing.Short() {
		t.Skip("builds memcost")
	}
	t.Chdir("../..")
	here := platform{runtime.GOOS, runtime.GOARCH}
	prefix, out := t.TempDir(), t.TempDir()
	if err := run(t.Context(), []string{"-install", prefix}, io.Discard, os.Stderr); err != nil {
		t.Fatal(err)
	}
	said, err := exec.Command(filepath.Join(prefix, "bin", here.exe()), "--version").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(said), "memcost version ") {
		t.Errorf("the installed memcost says %q, %v", said, err)
	}
	if !slices.Contains(platforms, here) {
		t.Skip("no archive is made for " + here.os + "/" + here.arch)
	}
	if err := run(t.Context(), []string{"-out", out, "-only", here.os + "/" + here.arch}, io.Discard,
		os.Stderr); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(out, "SHA256SUMS"))
	if err != nil || strings.Count(string(sums), "\n") != 1 || !strings.Contains(string(sums), here.os+"-"+here.arch) {
		t.Errorf("SHA256SUMS: %q, %v", sums, err)
	}
}
