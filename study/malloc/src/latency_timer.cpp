#include "latency_timer.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace malloc_bench {
namespace {

// The raw clock is not slewed by NTP, as the counter is not.
#if defined(CLOCK_MONOTONIC_RAW)
constexpr clockid_t kReference = CLOCK_MONOTONIC_RAW;
#else
constexpr clockid_t kReference = CLOCK_MONOTONIC;
#endif

struct Moment {
  std::uint64_t ticks;
  std::uint64_t ns;
};

// The pair of readings that were closest together out of 64: an interrupt between
// the two would tilt the rate.
Moment moment() {
  Moment best{};
  std::uint64_t closest = UINT64_MAX;
  for (int i = 0; i < 64; ++i) {
    timespec t;
    const std::uint64_t before = ticks_begin();
    clock_gettime(kReference, &t);
    const std::uint64_t after = ticks_end();
    if (after - before >= closest) continue;
    closest = after - before;
    best.ticks = before + closest / 2;
    best.ns = static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
  }
  return best;
}

bool steady_counter() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;  // invariant TSC: CPUID 80000007h, EDX bit 8
  return __get_cpuid(0x80000007u, &a, &b, &c, &d) != 0 && (d & (1u << 8)) != 0;
#else
  return true;
#endif
}

}  // namespace

Timer calibrate_timer() {
  Timer timer;
  timer.steady = steady_counter();
  const Moment from = moment();
  Moment to;
  do to = moment();
  while (to.ns - from.ns < 4'000'000);  // two readings some 30 ns wide: a rate to 1 in 10,000
  timer.ns_per_tick = static_cast<double>(to.ns - from.ns) / static_cast<double>(to.ticks - from.ticks);

  // The two shortest times between readings differ by one step, unless a step is
  // longer than a reading; then most readings are equal, and the shortest is one.
  bool stood = false;
  std::uint64_t shortest = UINT64_MAX, next = UINT64_MAX;
  std::uint64_t last = ticks_begin();
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t t = ticks_end(), d = t - last;
    last = t;
    stood = stood || d == 0;
    if (d == 0 || d == shortest) continue;
    if (d < shortest)
      next = shortest, shortest = d;
    else if (d < next)
      next = d;
  }
  timer.resolution_ns = timer.ns(stood || next == UINT64_MAX ? shortest : std::min(shortest, next - shortest));
  return timer;
}

Timer known_timer() {
  Timer timer;
  timer.steady = steady_counter();
  const char* const text = std::getenv(kTickVariable);
  if (text == nullptr || !timer.steady) return calibrate_timer();
  char* end;
  timer.ns_per_tick = std::strtod(text, &end);
  if (end == text || *end != 0 || !std::isfinite(timer.ns_per_tick) || timer.ns_per_tick <= 0) return calibrate_timer();
  timer.resolution_ns = timer.ns_per_tick;
  return timer;
}

}  // namespace malloc_bench
