// Command dist makes what is handed out of memcost: for make dist the archives of all
// platforms with their checksums, for make install the files below a prefix.
//
//	go run ./scripts/dist [-out dist] [-only linux/amd64]
//	go run ./scripts/dist -install /usr/local
//
// It runs in the root of the repository. The same commit and the same Go give the same
// bytes.
package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"memcost/internal/base/proc"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	fl := flag.NewFlagSet("dist", flag.ContinueOnError)
	fl.SetOutput(stderr)
	out := fl.String("out", "dist", "folder for the archives")
	only := fl.String("only", "", "make the archive of this platform only: linux/amd64")
	prefix := fl.String("install", "", "install below this folder instead: bin/memcost, share/man, completions")
	if err := fl.Parse(args); err != nil || fl.NArg() > 0 {
		return flag.ErrHelp
	}
	r, err := describe(ctx, &proc.Runner{})
	if err != nil {
		return err
	}
	if *prefix != "" {
		return r.install(ctx, *prefix, stdout)
	}
	return r.archives(ctx, *out, *only, stdout)
}

// install builds memcost for this machine below a prefix.
func (r *release) install(ctx context.Context, prefix string, stdout io.Writer) error {
	prefix, err := filepath.Abs(prefix)
	if err != nil {
		return err
	}
	if err := r.tree(ctx, platform{runtime.GOOS, runtime.GOARCH}, prefix); err != nil {
		return fmt.Errorf("installing below %s: %w", prefix, err)
	}
	fmt.Fprintf(stdout, "memcost %s is installed below %s\n", r.version, prefix)
	return nil
}

// archives makes the archives and the file of their checksums.
func (r *release) archives(ctx context.Context, out, only string, stdout io.Writer) error {
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	var sums strings.Builder
	for _, p := range platforms {
		if only != "" && only != p.os+"/"+p.arch {
			continue
		}
		file, err := r.archive(ctx, p, out)
		if err != nil {
			return fmt.Errorf("making the archive of %s/%s: %w", p.os, p.arch, err)
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(content), filepath.Base(file))
		fmt.Fprintln(stdout, file)
	}
	if sums.Len() == 0 {
		return fmt.Errorf("-only %s: there is no such platform", only)
	}
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), []byte(sums.String()), 0o666)
}

func (r *release) archive(ctx context.Context, p platform, out string) (file string, err error) {
	temp, err := os.MkdirTemp("", "memcost-dist-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp)
	name := fmt.Sprintf("memcost-%s-%s-%s", r.version, p.os, p.arch)
	dir := filepath.Join(temp, name)
	if err := r.tree(ctx, p, dir); err != nil {
		return "", err
	}
	for _, text := range []string{"README.md", "LICENSE"} {
		content, err := os.ReadFile(text)
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(dir, text), content, 0o666); err != nil {
			return "", err
		}
	}
	if p.os == "windows" {
		file = filepath.Join(out, name+".zip")
		return file, archive(file, dir, r.date, zipFile)
	}
	file = filepath.Join(out, name+".tar.gz")
	return file, archive(file, dir, r.date, tarball)
}
