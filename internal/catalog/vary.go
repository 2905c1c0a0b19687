package catalog

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
	"time"
)

// A Variant is a way to run the program of a C++ study. Every benchmark of the
// program becomes a case for each variant, which bears the variant's keys.
type Variant struct {
	Keys string   `json:"keys"`           // "allocator=glibc/setting=trim0"; "" for none
	Env  []string `json:"env,omitempty"`  // NAME=VALUE
	Args []string `json:"args,omitempty"` // of the program
	Hint string   `json:"hint,omitempty"` // how to get what it needs
	Pos  Pos      `json:"pos"`
}

var (
	assignment = regexp.MustCompile(`^[A-Z_][A-Z0-9_]*=`)
	keyValue   = regexp.MustCompile(`^[a-z][a-z0-9_]*=[^\s/=]+$`)
)

const varyForm = "//memcost:vary KEY=VALUE [KEY=VALUE ...]: [NAME=VALUE ...] [ARGUMENT ...] [# how to get what it needs]"

// vary reads "KEY=VALUE KEY=VALUE: NAME=VALUE ARGUMENT # hint".
func (b *builder) vary(d Directive) error {
	keys, rest, ok := strings.Cut(d.Text, ":")
	if !ok {
		return errors.New(`":" is missing after the keys`)
	}
	v := Variant{Pos: d.Pos}
	words := strings.Fields(keys)
	if len(words) == 0 {
		return errors.New("the keys are missing")
	}
	for _, w := range words {
		if !keyValue.MatchString(w) {
			return fmt.Errorf("%q is not KEY=VALUE, a part of a benchmark's name", w)
		}
	}
	v.Keys = strings.Join(words, "/")
	for _, other := range b.study.Variants {
		if other.Keys == v.Keys {
			return fmt.Errorf("%s stands already at %s", v.Keys, other.Pos)
		}
	}
	rest, v.Hint, _ = strings.Cut(" "+rest, " # ")
	v.Hint = strings.TrimSpace(v.Hint)
	for _, w := range strings.Fields(rest) {
		if assignment.MatchString(w) {
			v.Env = append(v.Env, w)
		} else {
			v.Args = append(v.Args, w)
		}
	}
	b.study.Variants = append(b.study.Variants, v)
	return nil
}

// sample reads how long a sample of the quick profile takes at least.
func (b *builder) sample(d Directive) error {
	if err := onlyOnce(&b.samples, d); err != nil {
		return err
	}
	t, err := time.ParseDuration(d.Text)
	if err != nil || t < time.Millisecond || t > time.Minute {
		return fmt.Errorf("%q is not a time from 1ms to 1m", d.Text)
	}
	b.study.Sample = t
	return nil
}

// build reads the settings of the go command that builds the study.
func (b *builder) build(d Directive) error {
	if err := onlyOnce(&b.builds, d); err != nil {
		return err
	}
	words := strings.Fields(d.Text)
	if len(words) == 0 {
		return errors.New("the settings are missing")
	}
	for _, w := range words {
		if !assignment.MatchString(w) {
			return fmt.Errorf("%q is not NAME=VALUE", w)
		}
	}
	b.study.Build = words
	return nil
}

// A Program is a main package below the study's folder, which prints one line in the Go
// benchmark format. {trace} and {cpuprofile} in its arguments stand for files that it
// writes; what they say is added to the case's figures.
type Program struct {
	Case string   `json:"case"` // "Traced/by=copy"
	Dir  string   `json:"dir"`  // "programs/create"
	Args []string `json:"args,omitempty"`
	Pos  Pos      `json:"pos"`
}

// program reads "CASE: FOLDER ARGUMENT ...".
func (b *builder) program(d Directive) error {
	name, rest, ok := strings.Cut(d.Text, ": ")
	words := strings.Fields(rest)
	switch {
	case !ok:
		return errors.New(`": " is missing after the case`)
	case name == "" || strings.ContainsAny(name, " \t"):
		return fmt.Errorf("%q is not the name of a case", name)
	case len(words) == 0:
		return errors.New("the program's folder is missing")
	case path.IsAbs(words[0]) || strings.HasPrefix(path.Clean(words[0]), ".."):
		return fmt.Errorf("%s is not below the study's folder", words[0])
	}
	for _, other := range b.study.Programs {
		if other.Case == name {
			return fmt.Errorf("the case %s stands already at %s", name, other.Pos)
		}
	}
	b.study.Programs = append(b.study.Programs, Program{Case: name, Dir: path.Clean(words[0]), Args: words[1:], Pos: d.Pos})
	return nil
}
