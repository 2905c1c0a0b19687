package machine

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// maxFile bounds what is read of one file: the largest of use, the cpuinfo of a
// machine with 1024 CPUs, is about 1.5 MiB.
const maxFile = 4 << 20

// maxCPU bounds CPU numbers, so that a garbled list does not fill memory. Linux
// allows 8192 (NR_CPUS with MAXSMP).
const maxCPU = 1 << 16

// A tree is a file system holding proc/ and sys/: the live one at "/", or a
// captured one in a test.
type tree struct{ root string }

func (t tree) path(rel string) string { return filepath.Join(t.root, rel) }

// text reads a file without the white space and NUL bytes that end it. Its errors give
// the file's path in the tree.
func (t tree) text(rel string) (string, error) {
	f, err := os.Open(t.path(rel))
	if err == nil {
		defer f.Close()
		var b []byte
		if b, err = io.ReadAll(io.LimitReader(f, maxFile)); err == nil {
			return strings.Trim(string(b), " \t\n\x00"), nil
		}
	}
	return "", fmt.Errorf("reading /%s: %w", rel, bare(err))
}

// bare takes the path out of an error that has one, for a message that names it
// already.
func bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// get returns text for a file that may be absent, "" then.
func (t tree) get(rel string) string {
	s, _ := t.text(rel)
	return s
}

func (t tree) exists(rel string) bool {
	_, err := os.Stat(t.path(rel))
	return err == nil
}

func (t tree) number(rel string) (int64, error) {
	s, err := t.text(rel)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("reading /%s: %q is not a number", rel, shorten(s))
	}
	return n, nil
}

// glob gives the paths in the tree that match, sorted.
func (t tree) glob(pattern string) []string {
	found, _ := filepath.Glob(t.path(pattern)) // only a malformed pattern fails
	for i, f := range found {
		if rel, err := filepath.Rel(t.root, f); err == nil {
			found[i] = rel
		}
	}
	return found
}

// relative takes the tree's root out of another library's error message.
func (t tree) relative(err error) string {
	if t.root == "/" {
		return err.Error()
	}
	return strings.ReplaceAll(err.Error(), t.root, "")
}

func shorten(s string) string {
	if len(s) > 40 {
		return s[:40] + "..."
	}
	return s
}

// parseCPUList reads the kernel's list format, e.g. "0-3,8,10-11"
// (Documentation/admin-guide/cputopology.rst).
func parseCPUList(s string) ([]int, error) {
	var cpus []int
	if s = strings.TrimSpace(s); s == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(s, ",") {
		lo, hi, isRange := strings.Cut(part, "-")
		first, err := strconv.Atoi(lo)
		last := first
		if err == nil && isRange {
			last, err = strconv.Atoi(hi)
		}
		if err != nil || first < 0 || last < first || last >= maxCPU || len(cpus) > maxCPU {
			return nil, fmt.Errorf("%q is not a list of CPUs", shorten(s))
		}
		for c := first; c <= last; c++ {
			cpus = append(cpus, c)
		}
	}
	return cpus, nil
}

// parseBytes reads a size as sysfs prints it, e.g. "32K".
func parseBytes(s string) (int64, error) {
	shift := 0
	if n := len(s); n > 0 {
		switch s[n-1] {
		case 'K':
			shift = 10
		case 'M':
			shift = 20
		case 'G':
			shift = 30
		}
		if shift > 0 {
			s = s[:n-1]
		}
	}
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil || v < 0 || v > 1<<62>>shift {
		return 0, fmt.Errorf("%q is not a size", shorten(s))
	}
	return v << shift, nil
}

// textOr reads a file, or notes for the field why it could not.
func (t tree) textOr(fp *Fingerprint, field, rel string) string {
	s, err := t.text(rel)
	if err != nil {
		fp.note(field, "%v", err)
	} else if s == "" {
		fp.note(field, "/%s is empty", rel)
	}
	return s
}

func (t tree) numberOr(fp *Fingerprint, field, rel string) int64 {
	n, err := t.number(rel)
	if err != nil {
		fp.note(field, "%v", err)
	}
	return n
}

// selectedOr reads the word in brackets, e.g. "madvise" of "always [madvise] never".
func (t tree) selectedOr(fp *Fingerprint, field, rel string) string {
	text := t.textOr(fp, field, rel)
	_, word, _ := strings.Cut(text, "[")
	word, _, ok := strings.Cut(word, "]")
	if !ok {
		if text != "" {
			fp.note(field, "/%s has no word in brackets: %q", rel, shorten(text))
		}
		return ""
	}
	return word
}
