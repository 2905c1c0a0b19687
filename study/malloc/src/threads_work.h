// The work of the threads mode: three ways in which threads use one allocator.
//
//   private            each thread frees what it allocated
//   producer-consumer  even threads allocate, the next odd one frees
//   bleeding           sets of blocks wander from thread to thread, and each frees
//                      what others allocated (after the server simulation of
//                      Larson and Krishnan, ISMM 1998)
//
// An operation is one malloc, one byte written, and one free.
#pragma once

#include <cstddef>
#include <cstdint>

namespace malloc_bench {

enum class Sharing : std::uint8_t { kPrivate, kProducerConsumer, kBleeding };
inline constexpr Sharing kSharings[] = {Sharing::kPrivate, Sharing::kProducerConsumer, Sharing::kBleeding};
const char* sharing_name(Sharing) noexcept;

struct ThreadsPlan {
  Sharing sharing = Sharing::kPrivate;
  std::size_t size = 64;
  unsigned threads = 1;
  double seconds = 0.1;
  std::uint64_t seed = 1;
  bool floor = false;     // with an allocator that does nothing, in place of malloc
  bool pin_anew = false;  // as run_team's
};

// One thread's part.
struct ThreadsShare {
  std::uint64_t operations = 0;
  std::uint64_t nulls = 0;
  std::uint64_t began = 0, ended = 0;  // now_ns
  double seconds = 0;
  double waited = 0;  // of these seconds, for a neighbour that did not run: bleeding, each thread with a processor
};

struct ThreadsResult {
  ThreadsPlan plan;
  const char* skipped = nullptr;  // why nothing was measured
  bool pinned = false;
  std::uint64_t operations = 0, nulls = 0;
  double per_second = 0;            // operations of all threads together
  double slowest = 0, fastest = 0;  // operations per second of one thread; a pair counts as one
  double waited = 0;                // the part of the threads' time that was taken off as waiting
};

// Blocks that one thread of a plan holds at most.
std::size_t blocks_alive(const ThreadsPlan&) noexcept;

// Runs the plan for its time. All threads start together; each stops itself.
ThreadsResult run_threads_plan(const ThreadsPlan&);

}  // namespace malloc_bench
