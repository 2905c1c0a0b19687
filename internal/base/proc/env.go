package proc

import (
	"runtime"
	"slices"
	"strings"
)

// settings lists the variables that change what a Go build or a Go program does. One
// inherited from the user's shell would change the measured configuration without being
// part of the plan.
var settings = map[string]bool{
	"GOFLAGS": true, "GOTOOLCHAIN": true, "GOROOT": true, "GOEXPERIMENT": true,
	"GODEBUG": true, "GOGC": true, "GOMEMLIMIT": true, "GOMAXPROCS": true,
}

// CleanEnv returns base (in the form of os.Environ) without the settings of a Go build
// and of the Go runtime: GOFLAGS, GOTOOLCHAIN, GOROOT, GOEXPERIMENT, GODEBUG, GOGC,
// GOMEMLIMIT and GOMAXPROCS. Then set is applied: "K=V" sets K, a bare "K" removes it,
// and a later entry wins. No name occurs twice in the result.
//
// Every other variable is kept: PATH, HOME, proxies, GOPROXY, GOSUMDB, GOPATH,
// GOMODCACHE and GOCACHE. GOENV is kept because it names the file of `go env -w`, which
// may hold the user's GOPROXY. That file can also hold GOFLAGS and others of the list: a
// caller that runs the go command must set them, or GOENV=off, in set.
func CleanEnv(base []string, set ...string) []string {
	kept := slices.DeleteFunc(slices.Clone(base), func(kv string) bool {
		k, _, ok := cutEnv(kv)
		return !ok || settings[foldKey(k)]
	})
	return lastOf(append(kept, set...))
}

// lastOf returns an environment in which each variable stands once, with its last value, as os/exec
// gives it: of several values a C program reads the first. A name without a value is left out.
func lastOf(env []string) []string {
	at := make(map[string]int, len(env))
	out := make([]string, 0, len(env))
	for _, kv := range env {
		name, _, ok := cutEnv(kv)
		if !ok {
			name, kv = kv, ""
		}
		if i, there := at[foldKey(name)]; there {
			out[i] = kv
			continue
		}
		at[foldKey(name)] = len(out)
		out = append(out, kv)
	}
	return slices.DeleteFunc(out, func(kv string) bool { return kv == "" })
}

// cutEnv splits "K=V". Windows keeps variables like "=C:=C:\dir", whose name
// begins with the sign.
func cutEnv(kv string) (key, value string, ok bool) {
	if kv == "" {
		return "", "", false
	}
	i := strings.IndexByte(kv[1:], '=')
	if i < 0 {
		return "", "", false
	}
	return kv[:i+1], kv[i+2:], true
}

// foldKey returns the form in which names of variables are compared: Windows ignores
// case.
func foldKey(k string) string {
	if runtime.GOOS == "windows" {
		return strings.ToUpper(k)
	}
	return k
}
