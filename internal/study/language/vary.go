package language

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
)

var (
	assignment = regexp.MustCompile(`^[A-Z_][A-Z0-9_]*=`)
	keyValue   = regexp.MustCompile(`^[a-z][a-z0-9_]*=[^\s/=]+$`)
)

const programForm = "//memcost:program CASE: FOLDER ARGUMENT ..., with {trace} or {cpuprofile} for a file that it " +
	"writes, and {n} for the number of operations"

const varyForm = "//memcost:vary KEY=VALUE [KEY=VALUE ...]: [NAME=VALUE ...] [ARGUMENT ...] " +
	"[preset:NAME] [# how to get what it needs]"

// vary reads "KEY=VALUE KEY=VALUE: NAME=VALUE ARGUMENT # hint".
func (b *builder) vary(d Directive) error {
	keys, remainder, ok := strings.Cut(d.Text, ":")
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
	remainder, v.Hint, _ = strings.Cut(" "+remainder, " # ")
	v.Hint = strings.TrimSpace(v.Hint)
	for _, w := range strings.Fields(remainder) {
		if preset, ok := strings.CutPrefix(w, "preset:"); ok {
			v.Preset = preset
		} else if assignment.MatchString(w) {
			v.Env = append(v.Env, w)
		} else {
			v.Args = append(v.Args, w)
		}
	}
	b.study.Variants = append(b.study.Variants, v)
	return nil
}

// program reads "CASE: FOLDER ARGUMENT ...".
func (b *builder) program(d Directive) error {
	name, remainder, ok := strings.Cut(d.Text, ": ")
	words := strings.Fields(remainder)
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
	b.study.Programs = append(b.study.Programs, Program{Case: name, Dir: path.Clean(words[0]), Args: words[1:],
		Pos: d.Pos})
	return nil
}
