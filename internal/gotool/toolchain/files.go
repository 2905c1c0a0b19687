package toolchain

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// HashDir returns the SHA-256, in hex, of the names and contents of a tree of files.
func HashDir(fsys fs.FS) (string, error) {
	h := sha256.New()
	err := fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(fsys, path)
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "%q %d\n", path, len(content))
		h.Write(content)
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("hashing a tree of files: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// hash returns the SHA-256 of a list of texts, in hex.
func hash(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// examine returns the SHA-256 of a file, in hex, and whether it contains the text.
func examine(path, text string) (sum string, holds bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", false, err
	}
	defer f.Close()
	h := sha256.New()
	keep := len(text) - 1 // of one block, in case the text goes on in the next
	block := make([]byte, keep, 1<<20)
	for {
		n, err := io.ReadFull(f, block[keep:cap(block)])
		block = block[:keep+n]
		h.Write(block[keep:])
		holds = holds || bytes.Contains(block, []byte(text))
		copy(block, block[len(block)-keep:])
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return hex.EncodeToString(h.Sum(nil)), holds, nil
		}
		if err != nil {
			return "", false, err
		}
	}
}

// writeFile writes a file at once, whoever else does so at the same time, and
// makes its folder. A file that is there already with the content stays as it is.
func writeFile(path string, content []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails once it has been renamed
	_, err = f.Write(content)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
