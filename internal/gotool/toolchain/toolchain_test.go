package toolchain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"memcost/internal/base/proc"
)

func finder(t *testing.T, set ...string) *Finder {
	t.Helper()
	return &Finder{
		Runner: &proc.Runner{},
		Env:    append(os.Environ(), set...),
		Log:    func(text string) { t.Log(text) },
	}
}

// goEnvFile is what `go env -w` may have left: settings that must not count.
func goEnvFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "env")
	if err := os.WriteFile(path,
		[]byte("GOFLAGS=-buildvcs=false -nonsense\nGOTOOLCHAIN=local\nGOEXPERIMENT=nonsense\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return "GOENV=" + path
}

func local(t *testing.T) Toolchain {
	t.Helper()
	tc, err := finder(t).Local(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return tc
}

func TestLocal(t *testing.T) {
	tc, err := finder(t, goEnvFile(t), "GOFLAGS=-nonsense", "GOTOOLCHAIN=go1.99.99",
		"GOROOT=/nowhere").Local(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !tc.Local || !strings.HasPrefix(runtime.Version(), tc.Version) {
		t.Errorf("got %+v; this test is run with %s", tc, runtime.Version())
	}
	if _, err := os.Stat(filepath.Join(tc.GOROOT, "src", "testing", "benchmark.go")); err != nil {
		t.Error(err)
	}
	second, err := finder(t).Find(t.Context(), strings.TrimPrefix(tc.Version, "go"))
	if err != nil || second != tc {
		t.Errorf("found by its version: %+v, %v", second, err)
	}
}

func TestNoGoOnPath(t *testing.T) {
	_, err := finder(t, "PATH="+t.TempDir()).Local(t.Context())
	if err == nil || !strings.Contains(err.Error(), "no go command on PATH\nhint: install Go") {
		t.Errorf("got %v", err)
	}
}

// What `go env -w` and the environment hold counts, but for what changes builds.
func TestEnviron(t *testing.T) {
	file := filepath.Join(t.TempDir(), "env")
	if err := os.WriteFile(file, []byte("# comment\n\nGOPROXY=https://corp\nGOFLAGS=-x\r\nCC=clang "+
		"-m32\nGOSUMDB=off\njunk\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	quiet := []string{"GIT_OPTIONAL_LOCKS=0", "GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=core.fsmonitor",
		"GIT_CONFIG_VALUE_0=false", "GIT_CONFIG_KEY_1=core.hooksPath", "GIT_CONFIG_VALUE_1=" + os.DevNull}
	for _, c := range []struct{ user, want []string }{
		{[]string{"A=1", "GOENV=" + file, "GOSUMDB=on", "GOFLAGS=-y"}, []string{"GOPROXY=https://corp", "CC=clang -m32",
			"GOSUMDB=on", "A=1", "GOENV=off", "GOTOOLCHAIN=local"}},
		{[]string{"A=1", "GOENV=off"}, []string{"A=1", "GOENV=off", "GOTOOLCHAIN=local"}},
		{[]string{"A=1", "GOENV=" + file + "-not"}, []string{"A=1", "GOENV=off", "GOTOOLCHAIN=local"}},
	} {
		if got, err := Environ(c.user); err != nil || !slices.Equal(got, append(c.want, quiet...)) {
			t.Errorf("%q becomes %q (%v), want %q", c.user, got, err, c.want)
		}
	}
	if _, err := Environ([]string{"GOENV=" + filepath.Dir(file)}); err == nil {
		t.Error("a settings file that cannot be read went unnoticed")
	}
}

// The repository of a package names a monitor of its files, and cmd/go asks git for the revision: no program of the
// repository runs, and the user's own settings of git stay.
func TestNoProgramOfTheRepositoryRuns(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	ran, monitor := filepath.Join(dir, "ran"), filepath.Join(dir, "monitor")
	if err := errors.Join(os.WriteFile(monitor, []byte("#!/bin/sh\ntouch "+ran+"\n"), 0o777),
		os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module m\n\ngo 1.21\n"), 0o666),
		os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o666)); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=x", "-c", "user.email=x@example.com",
		"commit", "-qm", "x"}, {"config", "core.fsmonitor", monitor}} {
		c := exec.Command(git, args...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	listed := func(env []string) bool {
		os.Remove(ran)
		c := exec.Command("go", "build", "-o", os.DevNull, ".")
		c.Dir, c.Env = dir, append(slices.Clone(env), "GOFLAGS=-buildvcs=true")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		_, err := os.Stat(ran)
		return err == nil
	}
	if !listed(os.Environ()) {
		t.Skip("this git and this Go run no monitor anyway")
	}
	env, err := Environ(append(os.Environ(), "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.pager",
		"GIT_CONFIG_VALUE_0=cat"))
	if err != nil {
		t.Fatal(err)
	}
	if listed(env) {
		t.Error("the repository's monitor ran")
	}
	if !slices.Contains(env, "GIT_CONFIG_KEY_0=core.pager") || !slices.Contains(env, "GIT_CONFIG_COUNT=3") {
		t.Errorf("the user's settings of git are gone: %q", env)
	}
}

// fakeProxy is a module proxy that lists toolchains and has none.
func fakeProxy(t *testing.T, versions ...string) string {
	t.Helper()
	dir := t.TempDir()
	list := filepath.Join(dir, "golang.org", "toolchain", "@v", "list")
	if err := os.MkdirAll(filepath.Dir(list), 0o777); err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, v := range versions {
		text += fmt.Sprintf("v0.0.1-%s.%s-%s\nv0.0.1-%s.plan9-mips\n", v, runtime.GOOS, runtime.GOARCH, v)
	}
	if err := os.WriteFile(list, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return "GOPROXY=file://" + filepath.ToSlash(dir)
}

// fakeCache is a module cache in which toolchains seem to lie.
func fakeCache(t *testing.T, versions ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, v := range versions {
		name := "toolchain@v0.0.1-" + v + "." + runtime.GOOS + "-" + runtime.GOARCH
		if err := os.MkdirAll(filepath.Join(dir, "golang.org", name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return "GOMODCACHE=" + dir
}

func TestVersions(t *testing.T) {
	f := finder(t, fakeProxy(t, "go1.9.2", "go1.25.10", "go1.25.4", "go1.26rc1"), fakeCache(t, "go1.13.15", "go1.25.4"))
	got, err := f.Versions(t.Context())
	want := []string{"go1.9.2", "go1.13.15", "go1.25.4", "go1.25.10", "go1.26rc1", local(t).Version}
	Sort(want)
	if err != nil || !slices.Equal(got, slices.Compact(want)) {
		t.Errorf("got %v, %v", got, err)
	}

	f = finder(t, "GOPROXY=off", fakeCache(t, "go1.13.15"))
	var logged []string
	f.Log = func(text string) { logged = append(logged, text) }
	got, err = f.Versions(t.Context())
	if err != nil || !slices.Equal(got, []string{"go1.13.15", local(t).Version}) {
		t.Errorf("offline: got %v, %v", got, err)
	}
	if text := strings.Join(logged, "\n"); !strings.Contains(text, "GOPROXY=off") ||
		!strings.Contains(text, "only versions already downloaded") {
		t.Errorf("offline: logged %q", text)
	}
}

func TestFindExplains(t *testing.T) {
	proxy := fakeProxy(t, "go1.12.9", "go1.13.1", "go1.13.15", "go1.14.7", "go1.25.4")
	cases := []struct {
		name string
		set  []string
		want []string
	}{
		{"1.13.8", []string{proxy, fakeCache(t)}, []string{"finding go1.13.8: ", "toolchain not available",
			"\nhint: there may be no such version; the nearest known ones are go1.13.1, go1.13.15"}},
		{"1.10.8", []string{proxy, fakeCache(t)}, []string{"the nearest known ones are go1.12.9, go1.13.1, go1.13.15"}},
		{"1.13", []string{proxy, fakeCache(t)}, []string{"finding go1.13.15: "}},
		{"1.11", []string{proxy, fakeCache(t)}, []string{"finding the latest Go 1.11: there is none\nhint: known " +
			"versions are go1.12.9"}},
		{"1.25.4", []string{"GOPROXY=off", fakeCache(t, "go1.20.14")},
			[]string{"GOPROXY=off forbids downloads; already downloaded: go1.20.14"}},
		{"1.25.4", []string{"GOPROXY=http://127.0.0.1:9", fakeCache(t)},
			[]string{"no network?", "GOPROXY=http://127.0.0.1:9; already downloaded: none"}},
		{"newest", nil, []string{`finding Go "newest": that is not a Go version`, "hint: write local, 1.25.4"}},
		{"", nil, []string{"that is not a Go version"}},
	}
	if runtime.GOOS != "windows" {
		cases = append(cases, cases[0])
		last := &cases[len(cases)-1]
		last.name, last.set, last.want = "1.25.4", []string{proxy, "GOMODCACHE=/dev/null/cache"},
			[]string{"the module cache /dev/null/cache: make that writable"}
	}
	for _, c := range cases {
		_, err := finder(t, append(c.set, "no_proxy=*")...).Find(t.Context(), c.name)
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s with %s: %v\nit should say %q", c.name, c.set, err, want)
			}
		}
	}
}

// Texts of the go command (1.26.8) that the tests above cannot provoke.
func TestExplain(t *testing.T) {
	s := &source{proxy: "https://proxy.golang.org,direct", modCache: t.TempDir()}
	known := []string{"go1.13.1", "go1.13.15"}
	for stderr, want := range map[string]string{
		"go: download go1.24.12: golang.org/toolchain@v0.0.1-go1.24.12.linux-amd64: verifying module: checksum " +
			"database disabled by GOSUMDB=off": "unset GOSUMDB",
		"go: download go1.13.8: golang.org/toolchain@v0.0.1-go1.13.8.linux-amd64: reading " +
			"https://proxy.golang.org/golang.org/toolchain/@v/v0.0.1-go1.13.8.linux-amd64.zip: " +
			"404 Not Found": "go1.13.1, go1.13.15",
		`go: download go1.24.5: golang.org/toolchain@v0.0.1-go1.24.5.linux-amd64: ` +
			`Get "https://proxy.golang.org/…": dial tcp: lookup proxy.golang.org on 127.0.0.1:53: server misbehaving`: "no network?",
		"go: writing stat cache: mkdir /root/go/pkg/mod/cache/download/golang.org/toolchain: " +
			"permission denied": "module cache " + s.modCache,
	} {
		failure := errors.New("it failed")
		err := s.explain(failure, stderr, "go1.13.8", known)
		if !errors.Is(err, failure) || !strings.Contains(err.Error(), "\nhint: ") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n%v\nit should say %q", stderr, err, want)
		}
	}
	if err := s.explain(context.Canceled, "something else", "go1.13.8", known); err != context.Canceled {
		t.Errorf("a hint out of nothing: %v", err)
	}
}

func TestParseVersion(t *testing.T) {
	for name, want := range map[string]struct {
		v      string
		series bool
	}{
		"1.25.4": {"go1.25.4", false}, "go1.25.4": {"go1.25.4", false}, "1.25": {"go1.25", true},
		"go1.13": {"go1.13", true},
		"1.13.0": {"go1.13", false}, "1.21.0": {"go1.21.0", false}, "1.26rc1": {"go1.26rc1", false},
	} {
		if v, series, err := parseVersion(name); err != nil || v != want.v || series != want.series {
			t.Errorf("%s is %s, series %v, %v; want %+v", name, v, series, err, want)
		}
	}
	for _, name := range []string{"", "1", "go", "1.2.3.4", "v1.25.4", "go1.25-bigcorp", "gogo1.25", "1.25.x"} {
		if v, _, err := parseVersion(name); err == nil && name != "1" {
			t.Errorf("%q passes for %s", name, v)
		}
	}
}

func TestLastPatch(t *testing.T) {
	known := []string{"go1.13", "go1.13.1", "go1.13.15", "go1.13.9", "go1.25.4", "go1.25.10", "go1.25rc2", "go1.26rc1",
		"go1.26rc2", "go1.27-devel_12"}
	for series, want := range map[string]string{"go1.13": "go1.13.15", "go1.25": "go1.25.10", "go1.26": "go1.26rc2",
		"go1.27": "", "go1.24": ""} {
		if got := LastPatch(known, series); got != want {
			t.Errorf("the last patch of %s is %q, want %q", series, got, want)
		}
	}
}

// needs finds a toolchain, or skips the test if it must be downloaded first:
// MEMCOST_LONG=1 downloads it.
func needs(t *testing.T, v string) Toolchain {
	t.Helper()
	f := finder(t, goEnvFile(t))
	if os.Getenv("MEMCOST_LONG") != "1" {
		f.Env = append(f.Env, "GOPROXY=off")
	}
	tc, err := f.Find(t.Context(), v)
	if err != nil && os.Getenv("MEMCOST_LONG") != "1" {
		t.Skipf("%s is not in the module cache: run with MEMCOST_LONG=1 to download it (%.200v)", v, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return tc
}

func TestFind(t *testing.T) {
	tc := needs(t, "1.25.4")
	if tc.Version != "go1.25.4" || !strings.Contains(tc.GOROOT, "go1.25.4") || tc.Local {
		t.Errorf("got %+v", tc)
	}
}
