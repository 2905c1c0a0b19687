package proc

import (
	"runtime"
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
	env := make([]string, 0, len(base)+len(set))
	at := make(map[string]int, len(base)+len(set))
	put := func(key, kv string) {
		if i, ok := at[key]; ok {
			env[i] = kv
			return
		}
		at[key] = len(env)
		env = append(env, kv)
	}
	for _, kv := range base {
		if k, _, ok := cutEnv(kv); ok && !settings[foldKey(k)] {
			put(foldKey(k), kv)
		}
	}
	for _, kv := range set {
		if k, _, ok := cutEnv(kv); ok {
			put(foldKey(k), kv)
		} else {
			put(foldKey(kv), "")
		}
	}
	kept := env[:0]
	for _, kv := range env {
		if kv != "" {
			kept = append(kept, kv)
		}
	}
	return kept
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
