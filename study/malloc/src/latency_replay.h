// A second run of the same program with the same seed, which times once more the
// calls that no counter explained. A call that is as slow again did the work
// itself; one that is not was disturbed from outside, by what no counter of a
// process shows: a device's interrupt, the host of a virtual machine (on one that
// we measured half of the long calls no counter explained came every 10 ms, in the
// empty pair as well), or caches that another process had emptied. Which of these,
// controls may tell (cold_explains in cause.h, and background.h).
#pragma once

#include <cstddef>

#include "latency_record.h"

namespace malloc_bench {

// The list handed to this process by the one that started it as its replay;
// {nullptr, 0} in a process that is no replay. What is written there arrives.
struct WatchedList {
  Watched* calls = nullptr;
  std::size_t n = 0;
};
WatchedList replay_of_parent() noexcept;

// Runs the replay and copies its results into the list, which must ascend by cell and
// index. Returns 0 or the errno of what failed; ENOSYS where a process cannot find out
// how it was started. Takes as long as the measurement took.
int run_replay(WatchedList) noexcept;

}  // namespace malloc_bench
