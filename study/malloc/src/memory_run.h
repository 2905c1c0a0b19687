// One run of the memory mode: blocks are allocated and freed, and the resident set is
// read.
#pragma once

#include <cstddef>
#include <cstdint>

namespace malloc_bench {

struct MemoryPlan {
  const char* pattern = "";  // of kMemoryPatterns
  std::size_t size = 64;
  std::int64_t live = 0;  // bytes
  double idle_seconds = 0;
  std::uint64_t seed = 1;
};
inline constexpr const char* kMemoryPatterns[] = {"grow", "fragment", "churn"};

struct MemoryPoint {
  const char* phase;
  double at;                    // seconds since the start
  std::int64_t live, resident;  // bytes; resident above the baseline
};

// What a run saw. It is filled in by a child, in memory shared with it.
struct MemorySeries {
  static constexpr std::size_t kMost = 512;
  bool done = false;
  std::uint64_t nulls = 0;
  std::int64_t baseline = -1;  // bytes resident before the first block; -1: unknown
  std::size_t n = 0;
  MemoryPoint points[kMost];
};

// Runs the plan in this process and leaves its traces in the heap.
void run_memory_plan(const MemoryPlan&, MemorySeries&);

struct MemorySummary {
  std::int64_t peak_live = 0, peak_resident = 0, live_at_peak = 0;
  std::int64_t freed = 0, idle = 0;  // resident after the last free, and after the idle time
  double ratio = 0;                  // peak live / peak resident
  double worst = 0;                  // the least live / resident while at least half of the peak was alive
};
MemorySummary summarize(const MemorySeries&);

}  // namespace malloc_bench
