package store

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"memcost/internal/base/foreign"
	"memcost/internal/method/curve"
)

// CurvesDir is where a run folder has what was resident over time, a file for each process of a sample: the sample's
// "curve" is its number.
const CurvesDir = "curves"

func curveFile(n int) string { return path.Join(CurvesDir, strconv.Itoa(n)+".txt") }

// NewCurve makes the file of the next curve, and returns its number. The caller closes it.
func (f *Folder) NewCurve() (n int, file *os.File, err error) {
	dir := filepath.Join(f.Dir, CurvesDir)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return 0, nil, f.writeError(dir, err)
	}
	all, err := os.ReadDir(dir)
	if err != nil {
		return 0, nil, f.writeError(dir, err)
	}
	for _, x := range all {
		if i, err := strconv.Atoi(strings.TrimSuffix(x.Name(), ".txt")); err == nil {
			n = max(n, i+1)
		}
	}
	file, err = foreign.OpenFile(f.Dir, curveFile(n), os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return 0, nil, f.writeError(filepath.Join(f.Dir, curveFile(n)), err)
	}
	return n, file, nil
}

// CurvePath returns where a curve is.
func (f *Folder) CurvePath(n int) string {
	return filepath.Join(f.Dir, filepath.FromSlash(curveFile(n)))
}

// ReadCurve reads a curve of a run folder; the error of one that is not there wraps fs.ErrNotExist.
func ReadCurve(dir string, n int) (*curve.Curve, error) {
	file, err := foreign.Open(dir, filepath.FromSlash(curveFile(n)))
	if err != nil {
		return nil, fmt.Errorf("reading a curve: %w", err)
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Size() > foreign.Document {
		return nil, fmt.Errorf("reading the curve %s: it is too large: %w", file.Name(), fs.ErrInvalid)
	}
	c, err := curve.Read(file)
	if err != nil {
		return c, fmt.Errorf("reading the curve %s: %w", file.Name(), err)
	}
	return c, nil
}
