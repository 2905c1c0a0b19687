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

// compareMethods measures what memcost, benchstat, tango's rule and Wilcoxon's test find of
// known changes in the same seconds. It goes on where it was; the time it may take is
// that of -minutes, over all its calls.
func compareMethods(b *bench, ctx context.Context) error {
	x := &comparer{sampler: sampler{b}, span: math.Max(math.Round(fullSpan*b.scale), 6)}
	if err := x.prepare(ctx); err != nil {
		return err
	}
	for pass := 0; ; pass++ {
		for _, group := range passSteps(pass) {
			if x.steps.expected(group, x.span+preparationGuess) > 60*b.minutes-x.steps.spent() {
				return x.show(ctx)
			}
			for _, s := range group {
				if _, done := x.steps.done[s.name()]; done {
					continue
				}
				if err := x.take(ctx, s); err != nil {
					return fmt.Errorf("step %s: %w (the same command goes on from here)", s.name(), err)
				}
				left := time.Duration(math.Max(60*b.minutes-x.steps.spent(), 0)) * time.Second
				x.logf("methods: %s of a true change of %d%% is done, %v left at most", s.Take, s.Rate, left)
			}
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
	return draw(x.bench, r)
}

// drawAgain prints the tables and draws the picture of the figures that methods kept,
// without measuring.
func drawAgain(b *bench, _ context.Context) error {
	data, err := os.ReadFile(filepath.Join(b.dir, "methods.json"))
	if err != nil {
		return fmt.Errorf("reading the figures: %w (the part methods takes them)", err)
	}
	r := &judged{}
	if err := json.Unmarshal(data, r); err != nil {
		return fmt.Errorf("reading %s: %w", filepath.Join(b.dir, "methods.json"), err)
	}
	return draw(b, r)
}

// draw prints the tables of the figures and writes their picture.
func draw(b *bench, r *judged) error {
	b.printf("%s", r.text())
	path := filepath.Join(b.dir, "methods.svg")
	if err := os.WriteFile(path, []byte(methods.Picture(r.Figures, r.headline())), 0o666); err != nil {
		return err
	}
	b.logf("methods: the picture is %s, the figures are %s", path, filepath.Join(b.dir, "methods.json"))
	return nil
}
