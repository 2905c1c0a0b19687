#include "cause.h"

#include <algorithm>
#include <cmath>

namespace malloc_bench {

Counters Counters::operator-(const Counters& before) const noexcept {
  Counters d;
  d.minor_faults = minor_faults - before.minor_faults;
  d.major_faults = major_faults - before.major_faults;
  d.voluntary = voluntary - before.voluntary;
  d.involuntary = involuntary - before.involuntary;
  d.brk = brk - before.brk;
  d.vm = vm - before.vm;
  d.resident = resident - before.resident;
  d.data = data - before.data;
  d.wall_ns = wall_ns - before.wall_ns;
  d.cpu_ns = cpu_ns - before.cpu_ns;
  return d;
}

const char* cause_name(Cause cause) noexcept {
  static constexpr const char* kNames[kCauses] = {"preempted", "blocked",  "major-fault", "brk",         "mmap",
                                                  "munmap",    "mprotect", "madvise",     "minor-fault", "tick",
                                                  "stolen",    "ordinary", "own",         "misses",      "cold",
                                                  "host",      "stopped",  "outside",     "unknown"};
  return kNames[static_cast<int>(cause)];
}

bool ordinary(double ns, const Typical& typical) noexcept {
  return ns < typical.cheapest_event_ns || ns <= 2 * typical.median_ns;
}

Cause classify(const Call& call, const Typical& typical) noexcept {
  if (call.read) {
    const Counters& m = call.moved;
    if (m.involuntary > 0) return Cause::kPreempted;
    if (m.voluntary > 0) return Cause::kBlocked;
    if (m.major_faults > 0) return Cause::kMajorFault;
    if (m.brk != 0) return Cause::kBrk;
    if (m.vm > 0) return Cause::kMmap;
    if (m.vm < 0) return Cause::kMunmap;
    if (m.data != 0) return Cause::kProtect;
    if (m.resident < 0) return Cause::kMadvise;
    if (m.minor_faults > 0) return Cause::kMinorFault;
  }
  if (call.ticked) return Cause::kTick;
  if (call.read && static_cast<double>(call.moved.wall_ns - call.moved.cpu_ns) > call.ns / 2) return Cause::kStolen;
  return !call.read || ordinary(call.ns, typical) ? Cause::kOrdinary : Cause::kUnknown;
}

Cause settle(Cause cause, double ns, const Replay& replay, const Typical& typical) noexcept {
  if (cause != Cause::kUnknown || !replay.ran) return cause;
  // cheapest_event_ns is half of what the cheapest takes at its best.
  if (replay.ns < ns / 2) return ns < 2 * typical.cheapest_event_ns ? Cause::kMisses : Cause::kOutside;
  return replay.disturbed ? Cause::kUnknown : Cause::kOwn;
}

double binomial_tail(std::uint64_t k, std::uint64_t n, double p) noexcept {
  if (k == 0) return 1;
  if (k > n || p <= 0) return 0;
  if (p >= 1) return 1;
  // Each term is computed from the one before it, by logarithms: the first may be too
  // small for a number where the next are not.
  const double all = static_cast<double>(n), first = static_cast<double>(k), odds = std::log(p) - std::log1p(-p);
  double term = std::lgamma(all + 1) - std::lgamma(first + 1) - std::lgamma(all - first + 1) + first * std::log(p) +
                (all - first) * std::log1p(-p);
  double sum = 0;
  for (double i = first; i <= all; ++i) {
    sum += std::exp(term);
    term += std::log((all - i) / (i + 1)) + odds;
  }
  return std::min(sum, 1.0);
}

bool cold_explains(std::uint64_t slow, std::uint64_t n, std::uint64_t all, std::uint64_t calls) noexcept {
  return calls > 0 && binomial_tail(slow, n, static_cast<double>(all) / static_cast<double>(calls)) < 0.001;
}

}  // namespace malloc_bench
