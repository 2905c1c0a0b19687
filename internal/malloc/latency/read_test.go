package latency

import (
	"strconv"
	"strings"
	"testing"

	"memcost/internal/measure/plan"
	"memcost/internal/study/language"
)

// latencyAnswer is what malloc_bench --latency prints, with one cell of 64 B.
const latencyAnswer = `{"mode": "latency", "schema": 2, "replay": "done",
 "background": BACKGROUND,
 "cells": [{"size": 64, "operations": 1000, "nulls": 0, "calls": [
  {"call": "malloc", "count": 1000, "p50": 20, "p90": 30, "p99": 30, "p99.9": 40, "p99.99": 16000, "p99.999": 16000, "max": 16000,
   "minor_faults": 0, "major_faults": 0, "behind_stop": 3,
   "slow": {"kept": 1000, "ordinary": 980, "slow": 20, "explained": 18, "explained_share": 0.9, "by_counter": 8, "usual": 0,
    "cold": 3, "host": 7, "stopped": 0, "own": 0, "misses": 1, "outside": 1, "unknown": 0,
    "causes": {"ordinary": 980, "preempted": 8, "cold": 3, "host": 7, "misses": 1, "outside": 1}}},
  {"call": "touch", "count": 1000, "p50": 20, "p90": 30, "p99": 30, "p99.9": 40, "p99.99": 40, "p99.999": 40, "max": 40,
   "slow": {"kept": 1000, "ordinary": 1000, "slow": 0, "explained": 0, "explained_share": null, "by_counter": 0, "causes": {"ordinary": 1000}}}],
  "rt": {"limit": 10000, "passed": false, "passed_allocator": true, "faults": 0, "late": 2, "late_own": 0, "late_machine": 2, "late_unexplained": NOBODY, "nulls": 0,
   "what": "latency", "first": {"what": "latency", "call": "malloc", "index": 7, "ns": 16000, "cause": "host"}}}]}`

func answered(loop string, unexplained int) []byte {
	return []byte(strings.NewReplacer("BACKGROUND", loop, "NOBODY", strconv.Itoa(unexplained)).Replace(latencyAnswer))
}

// What nothing explains leaves it open whether a setting is fit; a fault does not.
func TestRealTimeVerdict(t *testing.T) {
	const setting = "allocator=glibc/setting=default"
	sizes := []int64{64, 4096, 262144, 33554432}
	for _, tt := range []struct {
		unexplained int
		answer      func(string) string
		want        string
		violations  int64
		died        int64 // at a size
	}{
		{0, func(s string) string { return s }, "fit", 0, 0},
		{0, func(s string) string { return s }, "undecided", 0, 64},
		{3, func(s string) string { return s }, "undecided", 0, 0},
		{3, func(s string) string {
			return strings.Replace(s, `"passed_allocator": true, "faults": 0`, `"passed_allocator": false, "faults": 7`,
				1)
		}, "not fit", 7, 0},
		{0, func(s string) string {
			return strings.NewReplacer(`"passed_allocator": true`, `"passed_allocator": false`, `"nulls": 0, "calls"`,
				`"nulls": 4, "calls"`).Replace(s)
		}, "not fit", 4, 0},
	} {
		j := NewJudge(0, []language.Variant{{Keys: setting}}, plan.Search{Sizes: sizes})
		for i, size := range sizes {
			text := string(answered(`{"seconds": 0}`, 0))
			if i == 1 {
				text = tt.answer(string(answered(`{"seconds": 0}`, tt.unexplained)))
			}
			records, err := callRecords(language.Variant{Keys: setting},
				[]byte(strings.Replace(text, `"size": 64`, `"size": `+strconv.FormatInt(size, 10), 1)))
			if err != nil {
				t.Fatal(err)
			}
			if size == tt.died {
				continue
			}
			for _, r := range records {
				j.Add(r)
			}
		}
		got := j.Verdict().Settings
		if len(got) != 1 || got[0].Verdict() != tt.want || got[0].Violations != tt.violations ||
			got[0].Unexplained != int64(tt.unexplained) {
			t.Errorf("%d unexplained: %+v, want %s", tt.unexplained, got, tt.want)
		}
	}
}

func TestLatencyRecords(t *testing.T) {
	const loop = `{"seconds": 0.3, "interrupts_read": true, "counted": 80, "interrupted": 4, "unseen": 69, "unseen_per_sec": 230, "unseen_longest": 38067}`
	records, err := callRecords(language.Variant{Keys: "allocator=glibc/setting=default"}, answered(loop, 0))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]map[string]float64{}
	how := map[string]string{}
	note := ""
	for _, r := range records {
		name := string(r.Name)
		got[name], how[name] = map[string]float64{}, r.GetConfig("how")
		for _, v := range r.Values {
			got[name][v.Unit] = v.Value
		}
		note += r.GetConfig(noteKey)
	}
	const malloc, touch = "Longest/allocator=glibc/setting=default/call=malloc/size=64",
		"Longest/allocator=glibc/setting=default/call=touch/size=64"
	for unit, want := range map[string]float64{"slow-calls": 20, "explained-share": 0.9, "caused-share": 0.95,
		"counted-share": 0.4} {
		if got[malloc][unit] != want {
			t.Errorf("%s: %s is %v, want %v", malloc, unit, got[malloc][unit], want)
		}
		if all := "SlowCalls/allocator=glibc/setting=default/size=64"; got[all][unit] != want {
			t.Errorf("%s: %s is %v, want %v", all, unit, got[all][unit], want)
		}
		if v, ok := got[touch][unit]; ok {
			t.Errorf("%s: %s is %v, where no call is slow", touch, unit, v)
		}
	}
	for _, part := range []string{"host 7", "cold 3", "outside 1", "misses 1",
		"69 by nothing that this system saw (up to 38.067µs)", "4 by other interrupts"} {
		if !strings.Contains(how[malloc], part) {
			t.Errorf("how %q does not say %q", how[malloc], part)
		}
	}
	rt := got["RealTime/allocator=glibc/setting=default/size=64"]
	if rt["late-machine"] != 2 || rt["late-own"] != 0 || rt["rt-allocator"] != 1 || rt["rt-passed"] != 0 ||
		!strings.Contains(note, "16µs, host") {
		t.Errorf("what is late by the host: %v, %q", rt, note)
	}
}

// Nothing is said of a loop that was not watched, or whose interrupts could not be read.
func TestLatencyNoBackground(t *testing.T) {
	for _, loop := range []string{
		`{"seconds": 0, "interrupts_read": false, "counted": 0, "interrupted": 0, "unseen": 0}`,
		`{"seconds": 0.3, "interrupts_read": false, "counted": 80, "interrupted": 0, "unseen": 80, "unseen_longest": 5000}`,
	} {
		records, err := callRecords(language.Variant{Keys: "allocator=glibc/setting=default"}, answered(loop, 0))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			if how := r.GetConfig("how"); strings.Contains(how, "empty loop") {
				t.Errorf("%s: %q, by %s", r.Name, how, loop)
			}
		}
	}
}
