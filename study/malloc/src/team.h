// Threads that begin together, without std::thread: its state would come from the
// malloc under test.
#pragma once

#include <atomic>
#include <cstdint>

namespace malloc_bench {

inline constexpr unsigned kMostThreads = 1024;

// A starting line: everyone is let go by the same store. It spins and, with more
// threads than processors (`crowded`), gives its processor away when it does not soon
// succeed. Otherwise it does not: it would wait out a time slice of another program's.
class StartLine {
 public:
  StartLine(unsigned threads, bool crowded) noexcept : missing_(threads), crowded_(crowded) {}
  // Returns when all threads of the team have called it.
  void wait() noexcept;

 private:
  std::atomic<unsigned> missing_;
  const bool crowded_;
};

// How a team ran.
struct TeamReport {
  int error = 0;        // errno of a thread that could not be started; then nothing ran
  bool pinned = false;  // each thread had one processor, of its own
};

// Runs work(context, thread) on threads 0 .. threads-1 and waits for all of them.
// A team of one is the caller itself, as it is. With at least as many processors
// as threads each is pinned to one of its own; otherwise none is. The work begins
// when all threads exist; a StartLine makes them begin together.
TeamReport run_team(unsigned threads, bool pin_anew, void (*work)(void* context, unsigned thread), void* context);

// Processors that a team can be given: those this process may use, or, with
// pin_anew, all that the machine and the cgroup allow, also when the process has
// pinned itself to one.
unsigned usable_cpus(bool pin_anew);

}  // namespace malloc_bench
