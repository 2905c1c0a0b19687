package page

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"memcost/internal/measure/history"
	"memcost/internal/measure/plan"
	"memcost/internal/report/figures"
)

// searched is the report of a small search, with a hostile subject.
func searched() *history.Report {
	figure := func(v float64) figures.Figure {
		return figures.Figure{Value: figures.Number(v), Lo: figures.Number(v * 0.98), Hi: figures.Number(v * 1.02),
			N: 9}
	}
	r := &history.Report{Format: history.Format, Kind: history.Commits, Margin: 0.01, Alpha: 0.05, Steps: 2, Built: 3,
		Stretch: 2}
	for i, name := range []string{"aaaaaaa", "bbbbbbb", "ccccccc", "ddddddd"} {
		r.Points = append(r.Points, history.State{Measured: i != 1, Point: history.Point{Name: name,
			Source: &plan.Source{Commit: name, Subject: "<script>alert(1)</script>\x1b[31m",
				Date: time.Date(2026, 11, 2+i, 0, 0, 0, 0, time.UTC)}}})
	}
	id := history.ID{Benchmark: history.Benchmark{Package: "p", Name: "Decode-2"}, Unit: "sec/op"}
	infinite := figures.Figure{Value: figures.Number(math.Inf(1)), Lo: figures.Number(math.NaN()),
		Hi: figures.Number(math.Inf(1))}
	r.Series = []history.Series{
		{ID: id, Changes: []history.Change{
			{Stretch: history.Stretch{From: 2, To: 3, Ratio: figure(1.31)}},
			{Stretch: history.Stretch{From: 0, To: 2, Ratio: figure(0.9)}, Why: history.Unbuildable},
		}, Levels: []history.Level{{At: 0, Cost: figure(1)}, {At: 2, Cost: figure(0.9)}, {At: 3, Cost: figure(1.18)}}},
		{ID: history.ID{Benchmark: history.Benchmark{Package: "p", Name: "Empty"}, Unit: "allocs/op"},
			Changes: []history.Change{{Stretch: history.Stretch{From: 2, To: 3, Ratio: infinite}}},
			Levels: []history.Level{{At: 0, Cost: figure(1)}, {At: 2, Cost: figure(1)},
				{At: 3, Cost: figure(1), Apart: true}}},
	}
	return r
}

// The page says each change, draws each metric, is well-formed, and lets nothing of what comes from
// outside act in it.
func TestHistoryPage(t *testing.T) {
	var b bytes.Buffer
	if err := WriteHistory(&b, "memcost: 4 commits", searched()); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{
		"Decode-2 takes 1.31× [1.28, 1.34] as long from there on",
		"one of the 2 commits after aaaaaaa up to ccccccc: Decode-2 takes",
		"(bbbbbbb could not be measured)", "Empty has allocs/op that it did not have from there on",
		"2026-11-05", "changes that cancel each other within 2 commits", "default-src &#39;none&#39;",
	} {
		if !strings.Contains(page, want) && !strings.Contains(page, strings.ReplaceAll(want, "&#39;", "'")) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if n := strings.Count(page, "<svg"); n != 2 {
		t.Errorf("%d pictures", n)
	}
	if strings.Contains(page, "<script") || strings.Contains(page, "\x1b") {
		t.Error("what comes from outside is not escaped")
	}
	for _, bad := range []string{"NaN", "Inf"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %s", bad)
		}
	}
	for _, picture := range strings.Split(page, "<svg")[1:] {
		d := xml.NewDecoder(strings.NewReader("<svg" + picture[:strings.Index(picture, "</svg>")] + "</svg>"))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("a picture is not well-formed: %v", err)
			}
		}
	}
}
