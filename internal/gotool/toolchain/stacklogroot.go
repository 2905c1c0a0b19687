package toolchain

import (
	_ "embed"
	"errors"
	"fmt"
	"go/version"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// The additions to package runtime: how a statement of the log is put together, and
// where it is written.
var (
	//go:embed stacklog.go.txt
	stackLogSource string
	//go:embed stacklog_linux.go.txt
	stackLogLinuxSource string
	//go:embed stacklog_other.go.txt
	stackLogOtherSource string
)

// stackLogEdits are those of src/runtime/stack.go. The statements were the same from Go 1.13 to
// 1.27.
var stackLogEdits = []edit{
	{`print("stackcacherefill order=", order, "\n")`, `memcostNumber("stackcacherefill order=", uint64(order), "\n")`, 1},
	{`print("stackcacherelease order=", order, "\n")`,
		`memcostNumber("stackcacherelease order=", uint64(order), "\n")`, 1},
	{`print("stackcache clear\n")`, `memcostText("stackcache clear\n")`, 1},
	{`print("stackalloc ", n, "\n")`, `// memcost logs the size with the address`, 1},
	{`print("  allocated ", v, "\n")`, `memcostAlloc(uint64(n), v)`, 1},
	{`println("stackfree", v, n)`, `memcostFree(v, uint64(n))`, 1},
	{`print("copystack gp=", gp, " [", hex(old.lo), " ", hex(old.hi-used), " ", hex(old.hi), "]", ` +
		`" -> [", hex(new.lo), " ", hex(new.hi-used), " ", hex(new.hi), "]/", newsize, "\n")`,
		`memcostCopy(unsafe.Pointer(gp), old, new, used, newsize)`, 1},
	// the print is part of a fatal error
	{"if stackDebug >= 1 || sp < gp.stack.lo {\n\t\tprint(\"runtime: newstack sp=\"",
		"memcostNewstack(sp, gp.stack, &morebuf, &gp.sched); if sp < gp.stack.lo {\n" +
			"\t\tprint(\"runtime: newstack sp=\"", 1},
	{`print("stack grow done\n")`, `memcostText("stack grow done\n")`, 1},
	{`print("shrinking stack ", oldsize, "->", newsize, "\n")`, `memcostShrink(uint64(oldsize), uint64(newsize))`, 1},
}

var (
	stackDebugOff = regexp.MustCompile(`(?m)^(\s*stackDebug\s*=\s*)0\b`)

	// stackExceeds matches part of the message of a stack overflow: it is written to
	// standard error, and to the log. It occurs twice from Go 1.16 on.
	stackExceeds = regexp.MustCompile(`print\("runtime: goroutine stack exceeds ", (\w+), "-byte limit\\n"\)`)
)

// patchStackLog turns on the stack log in the source of runtime/stack.go, and
// makes one call of each of its statements.
func patchStackLog(source string) (string, error) {
	if n := len(stackDebugOff.FindAllString(source, -1)); n != 1 {
		return "", fmt.Errorf("a line that starts stackDebug = 0 occurs %d times, not once", n)
	}
	if n := len(stackExceeds.FindAllString(source, -1)); n != 1 && n != 2 {
		return "", fmt.Errorf("the statement about a stack that exceeds its limit occurs %d times, not once or twice",
			n)
	}
	source, err := changed(source, stackLogEdits)
	if err != nil {
		return "", err
	}
	source = stackExceeds.ReplaceAllString(source,
		`memcostNumber("runtime: goroutine stack exceeds ", uint64($1), "-byte limit\n"); $0`)
	return stackDebugOff.ReplaceAllString(source, "${1}1"), nil
}

// stackLogFiles returns the files of package runtime that turn the stack log of a toolchain on, by
// name.
func stackLogFiles(tc Toolchain) (map[string]string, error) {
	original := filepath.Join(tc.GOROOT, "src", "runtime", "stack.go")
	source, err := os.ReadFile(original)
	if err != nil {
		return nil, fmt.Errorf("turning on the stack log of %s: %w\nhint: it needs the source of the Go "+
			"distribution", tc.Version, err)
	}
	changed, err := patchStackLog(string(source))
	if err != nil {
		return nil, fmt.Errorf("turning on the stack log of %s: %s is not as expected: %w", tc.Version, original, err)
	}
	return map[string]string{"stack.go": changed, "memcost.go": stackLogSource,
		"memcost_linux.go": stackLogLinuxSource, "memcost_other.go": stackLogOtherSource}, nil
}

// olderThan returns false for an unknown version.
func olderThan(tc Toolchain, v string) bool {
	return version.IsValid(tc.Version) && version.Compare(tc.Version, v) < 0
}

// linkedRoot makes, below dir, a GOROOT of symbolic links to another one's entries, except the given
// files of src/runtime. The go command resolves no links in GOROOT, and detects by the
// content that the compiled runtime beneath pkg is not of this source.
func linkedRoot(goroot, dir string, files map[string]string) (string, error) {
	key := []string{goroot}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		key = append(key, files[name])
	}
	root := filepath.Join(dir, "goroot-"+hash(key...))
	if _, err := os.Stat(filepath.Join(root, "src", "runtime", "proc.go")); err == nil {
		return root, nil
	}
	temp, err := os.MkdirTemp(filepath.Dir(root), ".new-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp) // fails once it has been renamed
	for _, level := range []struct{ dir, except string }{{".", "src"}, {"src", "runtime"},
		{"src/runtime", "stack.go"}} {
		if err := linkEntries(filepath.Join(goroot, level.dir), filepath.Join(temp, level.dir),
			level.except); err != nil {
			return "", fmt.Errorf("making a GOROOT of links: %w", err)
		}
	}
	for name, source := range files {
		if err := os.WriteFile(filepath.Join(temp, "src", "runtime", name), []byte(source), 0o666); err != nil {
			return "", err
		}
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
