package cli

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"

	"memcost/internal/base/hint"
	"memcost/internal/fleet"
	"memcost/internal/fleet/jobs"
)

// A program is the memcost of an architecture, with where it is here.
type program struct {
	jobs.Program
	path string
}

// programs returns this memcost and those that were named. Every architecture of the plan needs one.
func programs(f *fleet.File, named []string) ([]program, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program, which is shipped to where it runs: %w", err)
	}
	var out []program
	for _, file := range append(slices.Clone(named), self) {
		p, err := programIn(file)
		if err != nil {
			return nil, err
		}
		same := func(x program) bool { return x.Name() == p.Name() }
		if file != self && slices.ContainsFunc(out, same) {
			return nil, hint.Usage("name one for each architecture", "--binary %s: there is another for %s/%s", file,
				p.OS, p.Arch)
		}
		if !slices.ContainsFunc(out, same) {
			out = append(out, p)
		}
	}
	for _, k := range f.Kinds {
		m := k.Question.Machine
		if !slices.ContainsFunc(out, func(x program) bool { return x.OS == m.OS && x.Arch == m.Arch }) {
			file := jobs.Program{OS: m.OS, Arch: m.Arch}.Name()
			return nil, hint.Usage(fmt.Sprintf("--binary %s; GOOS=%s GOARCH=%s go build -o %s ./cmd/memcost makes it",
				file, m.OS, m.Arch, file),
				"the plan has machines of %s/%s (%s), and there is no memcost for them", m.OS, m.Arch, k.Machine)
		}
	}
	return out, nil
}

// programIn reads for which machines a program was built, and its hash.
func programIn(file string) (program, error) {
	fail := func(err error) (program, error) {
		return program{}, fmt.Errorf("reading the program %s: %w", file, err)
	}
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return fail(hint.With("it has to be a memcost that Go built", err))
	}
	p := program{jobs.Program{OS: runtime.GOOS, Arch: runtime.GOARCH}, file}
	for _, s := range info.Settings {
		switch s.Key {
		case "GOOS":
			p.OS = s.Value
		case "GOARCH":
			p.Arch = s.Value
		}
	}
	f, err := os.Open(file)
	if err != nil {
		return fail(err)
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return fail(err)
	}
	p.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return p, nil
}

// shipped is what jobs knows of programs.
func shipped(all []program) []jobs.Program {
	var out []jobs.Program
	for _, p := range all {
		out = append(out, p.Program)
	}
	return out
}
