// One cell of the latency mode: one block size, timed call by call.
#pragma once

#include <cstddef>
#include <cstdint>

#include "latency_record.h"

namespace malloc_bench {

enum class Pattern : std::uint8_t {
  kPairs,  // each block is freed at once
  kLive,   // a set of blocks, each replaced at a random time by one of another size
};

struct CellPlan {
  std::size_t size = 0;  // bytes; for kLive the largest, the smallest is half of it
  std::uint64_t operations = 0, warmup = 0, seed = 0;
  std::size_t slots = 1;  // blocks alive, per thread
  unsigned threads = 1;
  Pattern pattern = Pattern::kPairs;
  double rt_ns = 0;
  bool pin_anew = false;  // as run_team's
};

struct Cell {
  CellPlan plan;
  const char* skipped = nullptr;  // why nothing was measured
  bool pinned = false;
  std::uint64_t nulls = 0;
  std::uint64_t faults_outside = 0;  // in the program itself, between the calls
  double seconds = 0;
  Verdict verdict;
  Track tracks[kKinds];

  const Track& track(Kind k) const noexcept { return tracks[static_cast<int>(k)]; }
  Track& track(Kind k) noexcept { return tracks[static_cast<int>(k)]; }
};

// Blocks alive at once of each thread: as many as fit into its part of the live bytes, at
// least two; of 0 bytes as many as fit into 64 MiB, at most 4,096.
std::size_t live_slots(std::size_t size, std::size_t live, unsigned threads) noexcept;

// Runs the cell and sums up over its threads. `watched` (may be empty) holds the calls
// that a replay times; their results are written into them.
void run_cell(Cell&, const Timer&, double cheapest_event_ns, Watched* watched_from, Watched* watched_to);

}  // namespace malloc_bench
