#include "latency.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>

#include "latency_print.h"
#include "out.h"
#include "platform.h"
#include "prefault.h"
#include "team.h"

namespace malloc_bench {
namespace {

// How long an empty loop is watched: before the cells, and after them when there are
// calls to compare with it. Some 60 to 270 uncounted stops a second were measured on one
// virtual machine.
constexpr double kWatchBefore = 0.1, kWatchAfter = 0.2;

// Calls f for each call of a cell that has this cause.
template <typename F>
void each(Cell& cell, Cause cause, F f) {
  for (Track& track : cell.tracks)
    for (SlowCall& call : track.slow)
      if (call.cause == cause) f(call);
  Verdict& v = cell.verdict;
  for (std::size_t i = 0; i < v.n_open; ++i)
    if (v.open[i].cause == cause) f(v.open[i]);
  for (Verdict::Violation* violation : {&v.first, &v.first_own, &v.beyond})
    if (violation->call.ticks > 0 && violation->call.cause == cause) f(violation->call);
}

template <typename F>
void each(LatencyReport& report, Cause cause, F f) {
  for (std::size_t c = 0; c < report.n_cells; ++c) each(*report.cells[c], cause, f);
}

bool before(const Watched& a, const Watched& b) {
  return a.cell != b.cell ? a.cell < b.cell : a.index != b.index ? a.index < b.index : a.kind < b.kind;
}

// Times the unexplained calls once more. Returns 0, or the errno of what failed.
int replay_once(LatencyReport& report, std::size_t n_unknown) {
  WatchedList list{static_cast<Watched*>(own_alloc(n_unknown * sizeof(Watched))), 0};
  for (std::size_t c = 0; c < report.n_cells; ++c)
    each(*report.cells[c], Cause::kUnknown, [&](SlowCall& call) {
      list.calls[list.n++] = {static_cast<std::uint32_t>(c), call.kind, call.index, {}};
    });
  std::sort(list.calls, list.calls + list.n, before);
  const int error = run_replay(list);
  for (std::size_t c = 0; c < report.n_cells && error == 0; ++c)
    each(*report.cells[c], Cause::kUnknown, [&](SlowCall& call) {
      const Watched key{static_cast<std::uint32_t>(c), call.kind, call.index, {}};
      call.replay = std::lower_bound(list.calls, list.calls + list.n, key, before)->replay;
      call.cause = settle(call.cause, report.timer.ns(call.ticks), call.replay, {report.cheapest_event_ns, 0});
    });
  own_free(list.calls);
  return error;
}

// Names the causes that the counters did not show. Returns the result for the report.
const char* explain_by_replay(LatencyReport& report) {
  // A replay may itself be interrupted at the same calls: then it is repeated once.
  for (int tries = 0; tries < 2; ++tries) {
    std::size_t n = 0;
    each(report, Cause::kUnknown, [&](SlowCall&) { ++n; });
    if (n == 0) return tries == 0 ? "not needed" : "done";
    if (report.options.threads > 1) return "none: threads do not repeat";
    if (!report.options.replay) return "off";
    if (const int error = replay_once(report, n); error != 0) return std::strerror(error);
  }
  return "done";
}

// Names the calls from outside that came directly after a stop, if that is what they
// have in common.
void settle_cold(Cell& cell, Kind kind) {
  const Track& track = cell.track(kind);
  std::uint64_t n = 0, cold = 0;
  for (const SlowCall& call : track.slow)
    if (call.cause == Cause::kOutside) ++n, cold += call.cold;
  if (!cold_explains(cold, n, track.cold, track.histogram.count())) return;
  each(cell, Cause::kOutside, [&](SlowCall& call) {
    if (call.kind == kind && call.cold) call.cause = Cause::kCold;
  });
}

// Names the calls from outside that are stopped as an empty loop is.
void settle_by_background(Cell& cell, Kind kind, const LatencyReport& report) {
  const Background& b = report.background;
  const Timer& timer = report.timer;
  const Track& track = cell.track(kind);
  double lengths[SlowList::kMost];
  std::size_t n = 0;
  double seconds = static_cast<double>(track.histogram.count()) * track.histogram.mean() * timer.ns_per_tick / 1e9;
  for (const SlowCall& call : track.slow) {  // the slowest first
    const double ns = timer.ns(call.ticks);
    if (call.cause != Cause::kOutside || !like_background(b, ns)) continue;
    lengths[n++] = ns;
    seconds -= ns / 1e9;
  }
  const Cause cause = background_cause(b, lengths, n, seconds);
  const std::uint64_t least = track.slow.size() < SlowList::kMost ? 0 : (track.slow.end() - 1)->ticks;
  each(cell, Cause::kOutside, [&](SlowCall& call) {
    // A call of the verdict's that is shorter than the slowest kept ones was not
    // counted.
    const bool counted = call.ticks >= least;
    if (call.kind == kind && counted && like_background(b, timer.ns(call.ticks))) call.cause = cause;
  });
}

// Holds what is slow from outside against controls: all calls of the same kind, and an
// empty loop on the same machine.
void explain_by_controls(LatencyReport& report) {
  for (std::size_t c = 0; c < report.n_cells; ++c)
    for (Kind k : kAllKinds) settle_cold(*report.cells[c], k);
  std::size_t n = 0;
  each(report, Cause::kOutside, [&](SlowCall&) { ++n; });
  if (n == 0) return;
  watch_background(report.background, report.timer, report.cheapest_event_ns, kWatchAfter);
  for (std::size_t c = 0; c < report.n_cells; ++c)
    for (Kind k : kAllKinds) settle_by_background(*report.cells[c], k, report);
}

// Returns the part of a replay's list that belongs to cell c.
WatchedList part(WatchedList all, std::size_t c) {
  const auto from = std::lower_bound(all.calls, all.calls + all.n,
                                     Watched{static_cast<std::uint32_t>(c), Kind::kEmpty, 0, {}}, before);
  const auto to = std::lower_bound(from, all.calls + all.n,
                                   Watched{static_cast<std::uint32_t>(c + 1), Kind::kEmpty, 0, {}}, before);
  return {from, static_cast<std::size_t>(to - from)};
}

Cell* new_cell(const LatencyOptions& options, std::size_t size) {
  Cell& cell = *new (own_alloc(sizeof(Cell))) Cell;
  const std::size_t slots = options.pattern == Pattern::kLive ? live_slots(size, options.live, options.threads) : 1;
  cell.plan = {size,
               options.operations,
               options.warmup_chosen ? options.warmup : std::min(options.warmup, options.operations / 10),
               options.seed,
               slots,
               options.threads,
               options.pattern,
               options.rt_ns,
               options.pin_anew};
  // What all blocks take when touched, and a quarter more for the allocator.
  const double needed = 1.25 * static_cast<double>(size) * static_cast<double>(slots) * options.threads;
  if (needed > static_cast<double>(platform::memory_room().bytes)) cell.skipped = "not enough memory available";
  return &cell;
}

}  // namespace

int measure_latency(const LatencyOptions& options, Out& out) {
  LatencyReport report{.options = options, .timer = calibrate_timer()};
  report.cheapest_event_ns = CounterReader::cheapest_event_ns(report.timer);
  // With a timer too coarse for the event, the counters are read after every call.
  if (report.timer.resolution_ns > report.cheapest_event_ns) report.cheapest_event_ns = 0;
  report.cells = static_cast<Cell**>(own_alloc(options.n_sizes * sizeof(Cell*)));
  const WatchedList again = replay_of_parent();
  if (again.calls == nullptr && options.replay && options.threads == 1)
    watch_background(report.background, report.timer, report.cheapest_event_ns, kWatchBefore);
  if (!prefault(options.prefault)) Out(2).print("malloc_bench --latency: prefault: malloc returned NULL\n");
  bool broken = false, measured = false;
  for (; report.n_cells < options.n_sizes; ++report.n_cells) {
    Cell* const cell = new_cell(options, options.sizes[report.n_cells]);
    report.cells[report.n_cells] = cell;
    const WatchedList watched = part(again, report.n_cells);
    if (cell->skipped == nullptr)
      run_cell(*cell, report.timer, report.cheapest_event_ns, watched.calls, watched.calls + watched.n);
    measured = measured || cell->skipped == nullptr;
    broken = broken || !cell->verdict.passed();
  }
  if (again.calls != nullptr) return 0;  // a replay: its parent reads the list
  report.replay = explain_by_replay(report);
  explain_by_controls(report);
  for (std::size_t c = 0; c < report.n_cells; ++c) report.cells[c]->verdict.settle();
  print_latency(report, out);
  if (!measured) return 1;
  return options.rt_ns > 0 && broken ? 3 : 0;
}

int run_latency(const Options& options) {
  static constexpr std::size_t kSizes[] = {64, 1024, 16 * 1024, 256 * 1024, 1024 * 1024};
  Words words;
  if (!read_words(options, "--latency", words)) return 2;
  LatencyOptions o;
  if (words.pattern == "live") {
    o.pattern = Pattern::kLive;
  } else if (!words.pattern.empty() && words.pattern != "pairs") {
    Out(2).print(
        "malloc_bench --latency: no pattern \"%.*s\"\nhint: pairs (each block is freed at once) or live (random "
        "lifetimes)\n",
        static_cast<int>(words.pattern.size()), words.pattern.data());
    return 2;
  }
  if (options.threads > static_cast<int>(kMostThreads)) {
    Out(2).print("malloc_bench --latency: --threads=%d: at most %u\n", options.threads, kMostThreads);
    return 2;
  }
  o.sizes = options.sizes.empty() ? kSizes : options.sizes.data();
  o.n_sizes = options.sizes.empty() ? std::size(kSizes) : options.sizes.size();
  if (options.operations > 0) o.operations = static_cast<std::uint64_t>(options.operations);
  if (words.warmup >= 0) o.warmup = static_cast<std::uint64_t>(words.warmup), o.warmup_chosen = true;
  o.live = words.live;
  o.seed = words.seed;
  o.prefault = words.prefault;
  o.threads = options.threads > 0 ? static_cast<unsigned>(options.threads) : 1;
  o.rt_ns = options.rt_seconds * 1e9;
  o.replay = words.replay;
  o.pin_anew = options.cpu >= 0;
  o.format = words.format;

  const bool replay = replay_of_parent().calls != nullptr;  // it must not touch its parent's answer
  const int fd = replay ? STDOUT_FILENO : open_answer(options);
  if (fd < 0) return 1;
  Out out(fd);
  const int status = measure_latency(o, out);
  return close_answer(options, out, fd) ? status : 1;
}

}  // namespace malloc_bench
