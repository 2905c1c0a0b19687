// What the forms of a latency report share.
#pragma once

#include "latency.h"

namespace malloc_bench {

inline constexpr Kind kAllKinds[] = {Kind::kEmpty, Kind::kMalloc, Kind::kTouch, Kind::kFree};

inline const char* pattern_name(Pattern p) { return p == Pattern::kPairs ? "pairs" : "live"; }

// What is known of the slowest calls of a kind. Of `kept` calls `ordinary` are not slow
// at all, however few they are; the others are explained (by a counter or by a
// control), own, misses, outside or unknown.
struct Tally {
  std::uint64_t kept = 0, ordinary = 0;
  std::uint64_t slow = 0;       // kept - ordinary
  std::uint64_t by_counter = 0;  // a counter moved
  std::uint64_t usual = 0;       // of those, by what moves in more than half of all calls of the kind: this
                                 // call was slower all the same
  std::uint64_t cold = 0, host = 0, stopped = 0;  // by a control
  std::uint64_t own = 0, misses = 0, outside = 0, unknown = 0;
  std::uint64_t by[kCauses] = {};  // all that were kept

  Tally(const Track& track, const Timer& timer, double cheapest_event_ns) {
    const Typical typical{cheapest_event_ns, timer.ns(track.histogram.quantile(50'000))};
    for (const SlowCall& call : track.slow) {
      const int cause = static_cast<int>(call.cause);
      ++kept, ++by[cause];
      if (malloc_bench::ordinary(timer.ns(call.ticks), typical)) {
        ++ordinary;
        continue;
      }
      ++slow;
      by_counter += malloc_bench::by_counter(call.cause);
      usual += malloc_bench::by_counter(call.cause) && track.by_cause[cause] > track.histogram.count() / 2;
      own += call.cause == Cause::kOwn;
      misses += call.cause == Cause::kMisses;
      outside += call.cause == Cause::kOutside;
      cold += call.cause == Cause::kCold;
      host += call.cause == Cause::kHost;
      stopped += call.cause == Cause::kStopped;
      unknown += call.cause == Cause::kUnknown;
    }
  }
  std::uint64_t explained() const noexcept { return by_counter + cold + host + stopped; }
  // Of the slow calls; no number when there are none.
  double explained_share() const noexcept { return static_cast<double>(explained()) / static_cast<double>(slow); }
};

void print_latency_json(const LatencyReport&, Out&);

}  // namespace malloc_bench
