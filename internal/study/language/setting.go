package language

import (
	"cmp"
	"errors"
	"fmt"
	goversion "go/version"
	"slices"
	"strconv"
	"strings"
	"time"
)

func (b *builder) oldestGo(d Directive) error {
	if !goversion.IsValid("go" + d.Text) {
		return fmt.Errorf("%q is not a Go version", d.Text)
	}
	if err := onlyOnce(&b.versions, d); err != nil {
		return err
	}
	b.study.OldestGo = d.Text
	return nil
}

func (b *builder) full(d Directive) error {
	l := &lexer{s: d.Text}
	sel, err := l.newSelector(d.Scope)
	if err != nil {
		return err
	}
	if _, _, err := l.finish(); err != nil {
		return err
	}
	b.study.Full = append(b.study.Full, sel)
	return nil
}

const loadForm = "//memcost:load [SELECTOR] LOAD ..., such as //memcost:load 0 1 all or //memcost:load size:4096 0 1"

// loads reads "SELECTOR LOAD LOAD". Without a selector it is about every case of its
// benchmark, or of the study.
func loads(b *builder, d Directive) error {
	l := &lexer{s: d.Text}
	text := cmp.Or(l.selector(), "*")
	sel, err := newSelector(text, d.Scope)
	if err != nil {
		return err
	}
	load := Load{Sel: sel, Pos: d.Pos}
	for w := l.word(); w != "" && w != "#"; w = l.word() {
		n, err := strconv.Atoi(w)
		switch {
		case w != "all" && (err != nil || n < 0 || strconv.Itoa(n) != w):
			return fmt.Errorf("%q is neither a number of busy cores nor all", w)
		case slices.Contains(load.Busy, w):
			return fmt.Errorf("%s stands twice", w)
		}
		load.Busy = append(load.Busy, w)
	}
	if len(load.Busy) == 0 {
		return errors.New("the load is missing")
	}
	b.study.Loads = append(b.study.Loads, load)
	return nil
}

func (b *builder) floor(d Directive) error {
	switch {
	case d.Text != "" && !strings.HasPrefix(d.Text, "#"):
		return fmt.Errorf("unexpected %q after the verb", d.Text)
	case d.Scope == "":
		return errors.New("it does not stand in the doc comment of a benchmark")
	}
	if err := onlyOnce(&b.floors, d); err != nil {
		return err
	}
	b.study.Floor = d.Scope
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
