package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// packer adds the files of a folder to an archive: in the order of their names, with
// one date and one owner, so that the same sources give the same bytes.
type packer func(w io.Writer, dir string, date time.Time) error

// archive writes a folder to a file, with the folder's own name before each path.
func archive(file, dir string, date time.Time, pack packer) (err error) {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	return pack(f, dir, date)
}

func tarball(w io.Writer, dir string, date time.Time) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	err = each(dir, func(name string, mode fs.FileMode, content []byte) error {
		h := &tar.Header{Name: name, Mode: int64(mode), Size: int64(len(content)), ModTime: date, Format: tar.FormatPAX}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		_, err := t.Write(content)
		return err
	})
	if err == nil {
		err = t.Close()
	}
	if err == nil {
		err = z.Close()
	}
	return err
}

func zipFile(w io.Writer, dir string, date time.Time) error {
	z := zip.NewWriter(w)
	err := each(dir, func(name string, mode fs.FileMode, content []byte) error {
		h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: date}
		h.SetMode(mode)
		to, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		_, err = to.Write(content)
		return err
	})
	if err != nil {
		return err
	}
	return z.Close()
}

// each hands on the files of a folder, by name.
func each(dir string, fn func(name string, mode fs.FileMode, content []byte) error) error {
	top := filepath.Base(dir)
	return fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(p)))
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if strings.HasPrefix(p, "bin/") {
			mode = 0o755
		}
		return fn(path.Join(top, p), mode, content)
	})
}
