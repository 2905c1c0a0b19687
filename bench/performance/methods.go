package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"memcost/bench/methods"
)

// methods measures what memcost, benchstat, tango's rule and Wilcoxon's test find of
// known changes in the same seconds. It goes on where it was; the time it may take is
// that of -minutes, over all its calls.
func (b *bench) methods(ctx context.Context) error {
	x := &comparer{bench: b, span: math.Max(math.Round(fullSpan*b.scale), 6)}
	if err := x.prepare(ctx); err != nil {
		return err
	}
	for pass := 0; ; pass++ {
		for _, s := range passSteps(pass) {
			if _, done := x.steps.done[s.name()]; done {
				continue
			}
			spent, each := x.steps.spent(s.Take, x.span+preparationGuess)
			if left := 60*b.minutes - spent; each > left {
				return x.show(ctx)
			}
			if err := x.take(ctx, s); err != nil {
				return fmt.Errorf("step %s: %w (the same command goes on from here)", s.name(), err)
			}
			spent, _ = x.steps.spent(s.Take, 0)
			x.logf("methods: %s done (%d%%), about %s left", s.name(), s.Rate,
				(time.Duration(max(60*b.minutes-spent, 0)) * time.Second).String())
		}
	}
}

// show judges what is done, keeps the figures and the picture, and prints the tables.
func (x *comparer) show(ctx context.Context) error {
	if len(x.steps.done) == 0 {
		return fmt.Errorf("nothing is measured yet, and %v minutes are too few for a step (-minutes)", x.minutes)
	}
	x.logf("methods: asking memcost what it would have said after each round")
	r, err := x.judge(ctx)
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(x.dir, "methods.json"), append(data, '\n'), 0o666); err != nil {
		return err
	}
	return x.draw(r)
}

// drawAgain prints the tables and draws the picture of the figures that methods kept,
// without measuring.
func (b *bench) drawAgain(context.Context) error {
	data, err := os.ReadFile(filepath.Join(b.dir, "methods.json"))
	if err != nil {
		return fmt.Errorf("reading the figures: %w (the part methods takes them)", err)
	}
	r := &judged{}
	if err := json.Unmarshal(data, r); err != nil {
		return fmt.Errorf("reading %s: %w", filepath.Join(b.dir, "methods.json"), err)
	}
	return b.draw(r)
}

// draw prints the tables of the figures and writes their picture.
func (b *bench) draw(r *judged) error {
	b.printf("%s", r.text())
	path := filepath.Join(b.dir, "methods.svg")
	if err := os.WriteFile(path, []byte(methods.Picture(r.Figures, r.headline())), 0o666); err != nil {
		return err
	}
	b.logf("methods: the picture is %s, the figures are %s", path, filepath.Join(b.dir, "methods.json"))
	return nil
}
