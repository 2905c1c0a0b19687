#include "latency_cell.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "platform.h"
#include "random.h"
#include "team.h"

namespace malloc_bench {
namespace {

struct Slot {
  void* block;
  std::uint64_t size;
};

struct Worker {
  const CellPlan& plan;
  Recorder& recorder;
  Slot* slots;
  std::size_t page;
  Random random;

  void allocate(std::uint64_t i, std::uint64_t size, Slot& slot) noexcept {
    void* p;
    recorder.time<Kind::kMalloc>(
        i, size, [&] { used(p = std::malloc(size)); }, [&] { return p != nullptr; });
    slot = {p, size};
    if (p == nullptr) return recorder.null(i, size);
    char* const bytes = static_cast<char*>(p);
    recorder.time<Kind::kTouch>(i, size, [&] {
      for (std::size_t at = 0; at < size; at += page) static_cast<volatile char*>(bytes)[at] = 1;
    });
  }

  void release(std::uint64_t i, Slot& slot) noexcept {
    if (slot.block == nullptr) return;
    recorder.time<Kind::kFree>(i, slot.size, [&] { std::free(slot.block); });
    slot.block = nullptr;
  }

  void run(std::uint64_t operations) noexcept {
    const bool pairs = plan.pattern == Pattern::kPairs;
    for (std::uint64_t i = 0; i < operations; ++i) {
      recorder.time<Kind::kEmpty>(i, 0, [] {});
      if (pairs) {
        allocate(i, plan.size, slots[0]);
        release(i, slots[0]);
        continue;
      }
      Slot& slot = slots[random.below(plan.slots)];
      release(i, slot);
      allocate(i, plan.size - random.below(plan.size / 2 + 1), slot);
    }
  }
};

struct Shared {
  const CellPlan& plan;
  const Timer& timer;
  double event_ns;
  Recorder* recorders;
  Slot* slots;
  StartLine line;
  Watched *watched_from, *watched_to;
};

void work(void* context, unsigned thread) {
  Shared& s = *static_cast<Shared*>(context);
  const auto fresh = [&]() -> Recorder& {
    return *new (s.recorders + thread) Recorder(s.timer, s.event_ns, s.plan.rt_ns, static_cast<std::uint16_t>(thread));
  };
  Slot* const slots = s.slots + thread * s.plan.slots;
  const std::size_t page = platform::page_bytes();
  Worker warm{s.plan, fresh(), slots, page, Random{s.plan.seed + thread}};
  // First without the malloc under test, so that the program's own pages are there
  // when its first call is timed, whatever the warm-up asked for.
  warm.recorder.start();
  for (std::uint64_t i = 0; i < 2000; ++i) warm.recorder.time<Kind::kEmpty>(i, 0, [] {});
  warm.run(s.plan.warmup);
  warm.recorder.~Recorder();
  Worker worker{s.plan, fresh(), slots, page, warm.random};
  worker.recorder.watch(s.watched_from, s.watched_to);
  s.line.wait();
  worker.recorder.start();
  worker.run(s.plan.operations);
  for (std::size_t i = 0; i < s.plan.slots; ++i) std::free(slots[i].block);
}

// The cause of each slow call and of the violations, now that the medians are
// known.
void explain(Cell& cell, const Timer& timer, double event_ns) {
  const auto classified = [&](SlowCall& call) {
    const Typical typical{event_ns, timer.ns(cell.track(call.kind).histogram.quantile(50'000))};
    call.cause = classify({timer.ns(call.ticks), call.read, call.moved, call.ticked}, typical);
  };
  for (Track& track : cell.tracks) {
    track.slow.sort();
    for (SlowCall& call : track.slow) classified(call);
  }
  Verdict& v = cell.verdict;
  for (std::size_t i = 0; i < v.n_open; ++i) classified(v.open[i]);
  for (Verdict::Violation* violation : {&v.first, &v.first_own, &v.beyond})
    if (violation->call.ticks > 0) classified(violation->call);  // NULL has no cause
}

}  // namespace

std::size_t live_slots(std::size_t size, std::size_t live, unsigned threads) noexcept {
  if (live > 0) return std::max<std::size_t>(live / std::max<std::size_t>(size, 1) / std::max(threads, 1u), 2);
  return std::clamp<std::size_t>((std::size_t{64} << 20) / std::max<std::size_t>(size, 1), 2, 4096);
}

void run_cell(Cell& cell, const Timer& timer, double event_ns, Watched* watched_from, Watched* watched_to) {
  const CellPlan& plan = cell.plan;
  auto* const recorders = static_cast<Recorder*>(own_alloc(plan.threads * sizeof(Recorder)));
  auto* const slots = static_cast<Slot*>(own_alloc(plan.threads * plan.slots * sizeof(Slot)));
  std::fill_n(slots, plan.threads * plan.slots, Slot{nullptr, 0});
  Shared shared{plan, timer, event_ns, recorders, slots,
      StartLine(plan.threads, plan.threads > usable_cpus(plan.pin_anew)), watched_from, watched_to};
  const std::uint64_t from = now_ns();
  const TeamReport report = run_team(plan.threads, plan.pin_anew, work, &shared);
  cell.seconds = static_cast<double>(now_ns() - from) / 1e9;
  cell.pinned = report.pinned;
  if (report.error != 0) cell.skipped = std::strerror(report.error);
  for (unsigned t = 0; t < plan.threads && report.error == 0; ++t) {
    Recorder& r = recorders[t];
    for (int k = 0; k < kKinds; ++k) cell.tracks[k].merge(r.track(static_cast<Kind>(k)));
    cell.verdict.merge(r.verdict());
    cell.nulls += r.nulls();
    cell.faults_outside += r.faults_outside();
    r.~Recorder();
  }
  explain(cell, timer, event_ns);
  own_free(recorders);
  own_free(slots);
}

}  // namespace malloc_bench
