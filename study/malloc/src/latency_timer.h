// The timer around one call: the processor's own counter where there is a usable
// one, the system's clock elsewhere.
#pragma once

#include <cstdint>
#include <ctime>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace malloc_bench {

// ticks_begin and ticks_end bracket a call. The fences keep the call's own
// instructions between the two readings (Intel, "How to Benchmark Code Execution
// Times", 2010, with lfence in place of cpuid, which leaves a virtual machine).
#if defined(__x86_64__)
inline constexpr const char* kTimerName = "rdtsc+lfence";
inline std::uint64_t ticks_begin() noexcept {
  _mm_lfence();
  const std::uint64_t t = __rdtsc();
  _mm_lfence();
  return t;
}
inline std::uint64_t ticks_end() noexcept {
  unsigned cpu;
  const std::uint64_t t = __rdtscp(&cpu);
  _mm_lfence();
  return t;
}
#elif defined(__aarch64__)
inline constexpr const char* kTimerName = "cntvct_el0+isb";
inline std::uint64_t ticks_begin() noexcept {
  std::uint64_t t;
  asm volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(t)::"memory");
  return t;
}
inline std::uint64_t ticks_end() noexcept { return ticks_begin(); }
#else
inline constexpr const char* kTimerName = "clock_gettime(CLOCK_MONOTONIC)";
inline std::uint64_t ticks_begin() noexcept {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
}
inline std::uint64_t ticks_end() noexcept { return ticks_begin(); }
#endif

// What one tick is worth.
struct Timer {
  double ns_per_tick = 1;
  double resolution_ns = 1;  // the step in which readings advance
  bool steady = true;        // false: the counter may change speed with the clock (no invariant TSC)

  double ns(std::uint64_t ticks) const noexcept { return static_cast<double>(ticks) * ns_per_tick; }
  std::uint64_t ticks(double nanoseconds) const noexcept {
    return static_cast<std::uint64_t>(nanoseconds / ns_per_tick);
  }
};

// Compares the counter with the system's raw monotonic clock for about 4 ms.
Timer calibrate_timer();

// The environment variable that names ns_per_tick where another process measured it: most of
// the start of a short process is this measurement.
inline constexpr const char* kTickVariable = "MEMCOST_TICK_NS";

// Returns the timer of kTickVariable, else a calibrated one. What is no positive number, and
// a counter that is not steady, is calibrated.
Timer known_timer();

}  // namespace malloc_bench
