package toolchain

import (
	"errors"
	"fmt"
	"go/version"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

var stackDebugOff = regexp.MustCompile(`(?m)^(\s*stackDebug\s*=\s*)0\b`)

// patchStackDebug turns on the stack log in the source of runtime/stack.go. The
// line was the same from Go 1.13 to 1.27.
func patchStackDebug(source string) (string, error) {
	if n := len(stackDebugOff.FindAllString(source, -1)); n != 1 {
		return "", fmt.Errorf("a line that starts stackDebug = 0 occurs %d times, not once", n)
	}
	return stackDebugOff.ReplaceAllString(source, "${1}1"), nil
}

// stackLogRuntime writes, below dir, what turns the stack log of a toolchain on:
// replacements for -overlay, and the GOROOT to run the go command with. Before
// Go 1.16 there is no -overlay: the GOROOT itself is one of links, with the
// changed file in its place. Both depend on the toolchain alone, so the go
// command's cache serves every later build.
func stackLogRuntime(tc Toolchain, dir string) (replace map[string]string, goroot string, err error) {
	original := filepath.Join(tc.GOROOT, "src", "runtime", "stack.go")
	source, err := os.ReadFile(original)
	if err != nil {
		return nil, "", fmt.Errorf("turning on the stack log of %s: %w\nhint: it needs the source of the Go distribution", tc.Version, err)
	}
	changed, err := patchStackDebug(string(source))
	if err != nil {
		return nil, "", fmt.Errorf("turning on the stack log of %s: %s is not as expected: %w", tc.Version, original, err)
	}
	if olderThan(tc, "go1.16") {
		goroot, err = linkedRoot(tc.GOROOT, filepath.Join(dir, "goroot-"+hash(original, changed)), changed)
	} else {
		replace, goroot, err = stackLogOverlay(tc, dir, changed)
	}
	if err != nil {
		return nil, "", fmt.Errorf("turning on the stack log of %s: %w", tc.Version, err)
	}
	return replace, goroot, nil
}

// olderThan is false for a version that is not known.
func olderThan(tc Toolchain, v string) bool {
	return version.IsValid(tc.Version) && version.Compare(tc.Version, v) < 0
}

func stackLogOverlay(tc Toolchain, dir, changed string) (replace map[string]string, goroot string, err error) {
	if tc, err = tc.OutsideModuleCache(dir); err != nil {
		return nil, "", err
	}
	key := filepath.Join(tc.GOROOT, "src", "runtime", "stack.go")
	replacement := filepath.Join(dir, "overlay-"+hash(key, changed), "stack.go")
	return map[string]string{key: replacement}, tc.GOROOT, writeFile(replacement, []byte(changed))
}

// linkedRoot makes a GOROOT of symbolic links to another one's entries, except
// src/runtime/stack.go. The go command resolves no links in GOROOT, and sees by
// the content that the compiled runtime beneath pkg is not of this source.
func linkedRoot(goroot, root, changed string) (string, error) {
	if _, err := os.Stat(filepath.Join(root, "src", "runtime", "proc.go")); err == nil {
		return root, nil
	}
	temp, err := os.MkdirTemp(filepath.Dir(root), ".new-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp) // fails once it has been renamed
	for _, level := range []struct{ dir, except string }{{".", "src"}, {"src", "runtime"}, {"src/runtime", "stack.go"}} {
		if err := linkEntries(filepath.Join(goroot, level.dir), filepath.Join(temp, level.dir), level.except); err != nil {
			return "", fmt.Errorf("making a GOROOT of links: %w", err)
		}
	}
	if err := os.WriteFile(filepath.Join(temp, "src", "runtime", "stack.go"), []byte(changed), 0o666); err != nil {
		return "", err
	}
	if err := os.Chmod(temp, 0o777); err != nil {
		return "", err
	}
	err = os.Rename(temp, root)
	if errors.Is(err, fs.ErrExist) { // another memcost was faster
		err = nil
	}
	return root, err
}

// linkEntries makes a folder of links to the entries of another, except one.
func linkEntries(from, to, except string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == except }) {
		return fmt.Errorf("%s has no %s", from, except)
	}
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == except {
			continue
		}
		if err := os.Symlink(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
