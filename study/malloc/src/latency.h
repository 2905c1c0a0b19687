// The latency mode: what each single call of malloc, the first touch and free
// takes, and why the slowest took so long.
//
//   malloc_bench --latency --sizes=64,4KiB --operations=10000000 [--threads=T]
//                [--rt=20us] [--pattern=pairs|live[,WORD...]]
// with the words of mode_words.h.
//
// Exit status: 0; 3 when --rt was given and a cell broke it; 1 when nothing
// could be measured or the answer not written; 2 for a pattern it does not know.
//
// The answer is one JSON document. All times are nanoseconds, all sizes bytes, and an
// operation's index counts from 0.
//
//   {"mode": "latency", "schema": 2, "seed": S,
//    "timer": {"name", "ns_per_tick", "resolution_ns", "steady"},
//    "cheapest_event_ns": N,       a call shorter than this can have moved no counter (0: the
//                                  timer does not see so little; they were read after each call)
//    "counters_missing": "",       what this system does not report, if anything
//    "replay": "done" | "not needed" | "off" | why there was none,
//    "background": {               what an empty loop was stopped by, before and after the cells (background.h)
//      "seconds",                  in the loop; 0: not watched (no replay is made, or this system tells no interrupts)
//      "interrupts_read",          false: /proc/interrupts cannot be read, so that no call is said to be the host's
//      "counted", "interrupted", "unseen":   stops in which a counter moved as in calls; only a row of
//                                  /proc/interrupts; nothing that this system tells
//      "unseen_per_sec", "unseen_shortest", "unseen_median", "unseen_longest"},    absent when there is none
//    "cells": [{
//      "size", "pattern": "pairs"|"live", "threads", "pinned",
//      "oversubscribed": more threads than processors, "slots" (blocks alive
//      per thread), "operations" (per thread), "warmup", "skipped": why, or absent,
//      "nulls", "invalid": why, or absent,
//      "faults_outside": faults of the program itself between the calls,
//      "calls": [{
//        "call": "empty"|"malloc"|"touch"|"free",   empty: the timer alone, the floor
//        "count", "min", "mean", "p50" ... "p99.999", "max",
//        "minor_faults", "major_faults",   in all calls of the kind
//        "behind_stop",                    calls that are the first of their kind since the thread was stopped
//        "events": {cause: calls},         calls in which a counter moved, all of them
//        "slow": {"kept",                  the slowest, at most 1,000
//                 "ordinary",              of those within twice the median, or too short for any event
//                 "slow": kept - ordinary, = explained + own + misses + outside + unknown
//                 "explained": by_counter + cold + host + stopped
//                 "explained_share": explained / slow, null when none is slow
//                 "by_counter",            a counter moved in them
//                 "usual",                 of these, by what moves in most calls of the kind:
//                                          it does not report them apart from the others
//                                          In the next five no counter moved, and the call was not slow in the replay:
//                 "misses",                shorter than the cheapest event at its best: the processor's own waiting,
//                                          for caches and the TLB, by elimination
//                 "cold",                  right behind a stop, as too many of them are for chance (cold_explains)
//                 "host",                  no more of them and no longer than an empty loop here is stopped with
//                                          nothing in this system moving: nobody saw it; by elimination, the
//                                          hypervisor or the firmware
//                 "stopped",               the same, but more than one in ten of the loop's stops were interrupts:
//                                          which of the two it was for a call is unknown
//                 "outside",               none of these is shown
//                 "own",                   no counter moved; as slow again in the replay
//                 "unknown",               no counter moved, and no replay settled it
//                 "causes": {cause: calls}, of all kept ("ordinary": no counter moved either)
//                 "calls": [{"index", "thread", "at", "ns", "size", "cause",
//                            "ticked", "behind_stop", "replay_ns" (absent without a replay),
//                            and what moved: "minor_faults", "major_faults",
//                            "voluntary", "involuntary", "brk", "vm_pages",
//                            "resident_pages" (each absent when 0)}]},
//        "histogram": [[lower bound, count], ...]}],
//      "rt": {"limit", "passed",        no fault, no call too long, no NULL
//             "passed_allocator",       none that is the allocator's own: no fault, no NULL, late_own is 0
//             "faults", "late", "nulls", operations (of malloc, touch and free), each counted once
//             "late_own", "late_machine", "late_unexplained": late, by whose doing (by_allocator in cause.h; Verdict in
//             latency_record.h); where the last is not 0, "passed_allocator" does not say that the allocator is fit
//             "what": "fault"|"latency"|"null", "first": the first violation, a call as above with "what" and
//             "call", "first_own": the first that is the allocator's, or absent, "first_unexplained": likewise}}]}
//
// The figures include the timer's own time, which the empty calls show; nothing is
// subtracted. A histogram's bound is within 1.6% of its values, max is exact. The
// maximum is what was seen in so many operations, no bound on what can happen.
// Causes are described at `enum class Cause` in cause.h. With more than one thread
// the break and the mapped pages are those of all threads together, and there is
// no replay.
//
// form=gobench writes Go benchmark lines, one per size and kind of call:
//   BenchmarkLatency/call=malloc/size=64/pattern=pairs/threads=1 N 12.3 mean-ns 11 p50-ns … 900 max-ns 0 nulls …
#pragma once

#include <cstddef>
#include <cstdint>

#include "background.h"
#include "latency_cell.h"
#include "latency_replay.h"
#include "mode_words.h"

namespace malloc_bench {

struct LatencyOptions {
  const std::size_t* sizes = nullptr;
  std::size_t n_sizes = 0;
  std::uint64_t operations = 1'000'000;
  std::uint64_t warmup = 1'000;  // per thread, at most a tenth of the operations unless the user chose it
  bool warmup_chosen = false;
  std::size_t live = 0;      // bytes of all threads' blocks alive at a time, for kLive; 0: as live_slots chooses
  std::uint64_t seed = 1;
  std::size_t prefault = 0;  // allocated, touched and freed before the first cell
  unsigned threads = 1;
  Pattern pattern = Pattern::kPairs;
  double rt_ns = 0;  // 0: no verdict
  bool replay = true;
  bool pin_anew = false;  // threads may leave the processor that the process is pinned to
  Format format = Format::kJson;
};

struct LatencyReport {
  const LatencyOptions& options;
  Timer timer;
  double cheapest_event_ns = 0;
  const char* replay = "off";
  Background background{};
  Cell** cells = nullptr;
  std::size_t n_cells = 0;
};

int measure_latency(const LatencyOptions&, Out&);
void print_latency(const LatencyReport&, Out&);

}  // namespace malloc_bench
