package session

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"memcost/internal/base/hint"
)

// silent is how long a pipe may bring nothing before it is taken for one that nobody writes to.
const silent = 10 * time.Second

// SpoolStdin returns the file that each process reads: the one that is named, or what memcost's own standard
// input holds where that is a pipe, or "-" is named. Of a pipe the first process would read everything, and the
// others nothing, so that it is written into a file in dir, whose name is its hash. "" is empty input.
func (t *Tools) SpoolStdin(ctx context.Context, named string, in io.Reader, dir string) (string, error) {
	if f, is := in.(*os.File); named != "" && named != "-" || named == "" && !(is && isPipe(f)) {
		return named, nil
	}
	first, rest := make([]byte, 1), make(chan error, 1)
	n := 0
	go func() { // a read of a pipe cannot be interrupted
		var err error
		n, err = io.ReadFull(in, first)
		rest <- err
	}()
	select {
	case err := <-rest:
		if err == io.EOF {
			return "", nil
		} else if err != nil {
			return "", fmt.Errorf("reading standard input: %w", err)
		}
	case <-ctx.Done():
		return "", ErrInterrupted()
	case <-time.After(silent):
		return "", hint.Usage("--stdin FILE says what each process reads, and </dev/null that it is nothing",
			"standard input is a pipe that brought nothing in %v and was not closed: one process alone could read it", silent)
	}
	t.Log.Step("reading standard input to its end, for each process is given all of it")
	return spool(io.MultiReader(bytes.NewReader(first[:n]), in), dir)
}

// spool writes what is read into a file in dir.
func spool(in io.Reader, dir string) (string, error) {
	failed := func(err error) (string, error) { return "", fmt.Errorf("keeping standard input in a file: %w", err) }
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return failed(err)
	}
	tmp, err := os.CreateTemp(dir, "stdin-")
	if err != nil {
		return failed(err)
	}
	defer os.Remove(tmp.Name())
	hash := sha256.New()
	_, err = io.Copy(io.MultiWriter(tmp, hash), in)
	if closed := tmp.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return failed(err)
	}
	name := filepath.Join(dir, "stdin-"+hex.EncodeToString(hash.Sum(nil))[:12])
	if err := os.Rename(tmp.Name(), name); err != nil {
		return failed(err)
	}
	return name, nil
}

func isPipe(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&fs.ModeNamedPipe != 0
}
