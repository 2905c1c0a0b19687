// What the forms of a latency report share.
#pragma once

#include "latency.h"

namespace malloc_bench {

inline constexpr Kind kAllKinds[] = {Kind::kEmpty, Kind::kMalloc, Kind::kTouch, Kind::kFree};

inline const char* pattern_name(Pattern p) { return p == Pattern::kPairs ? "pairs" : "live"; }

// How many of the slow calls have a cause, and what causes.
struct Tally {
  std::uint64_t kept = 0, explained = 0;
  std::uint64_t longer = 0;  // than the cheapest event
  std::uint64_t longer_explained = 0, longer_by_counter = 0;
  std::uint64_t by[kCauses] = {};

  Tally(const Track& track, const LatencyReport& report) {
    for (const SlowCall& call : track.slow) {
      const bool is_long = report.timer.ns(call.ticks) > report.cheapest_event_ns,
                 known = call.cause != Cause::kUnknown;
      ++kept, ++by[static_cast<int>(call.cause)];
      explained += known, longer += is_long, longer_explained += is_long && known;
      longer_by_counter += is_long && call.cause < Cause::kOwn;
    }
  }
};

void print_latency_json(const LatencyReport&, Out&);

}  // namespace malloc_bench
