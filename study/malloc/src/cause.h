// Why a call was slow: the process's own counters, read beside the call and never
// inside its timed window.
//
// Reading them around each call would cost 2 us per call. They are read only after
// an interval (a call, or the gap between two calls) that was long enough to hold
// the cheapest event they count: a shorter one cannot have moved them, so that the
// last reading is always the state before the next long call, and what moved
// belongs to that call and no other. The cheapest event is measured here, on this
// machine (CounterReader::cheapest_event_ns).
#pragma once

#include <cstdint>

#include "latency_timer.h"

namespace malloc_bench {

// One reading of the counters. A field that the platform does not report stays 0.
struct Counters {
  std::int64_t minor_faults = 0, major_faults = 0;
  std::int64_t voluntary = 0, involuntary = 0;  // context switches of this thread
  std::int64_t brk = 0;                         // the break as sbrk(0) returns it
  std::int64_t vm = 0, resident = 0, data = 0;  // pages: mapped, resident, private and writable
  std::int64_t wall_ns = 0, cpu_ns = 0;         // the clock and this thread's processor time

  Counters operator-(const Counters& before) const noexcept;
};

// The cause of one call's time, the strongest first: the first that applies is named,
// the counters beside it show what else happened.
enum class Cause : std::uint8_t {
  kPreempted,   // an involuntary context switch
  kBlocked,     // a voluntary one: a lock, or sleep
  kMajorFault,  // a page read from storage
  kBrk,         // the break moved
  kMmap,        // more memory is mapped
  kMunmap,      // less is
  kProtect,     // as much, but more or less of it writable (mprotect: glibc's other arenas)
  kMadvise,     // as much, but pages were given back
  kMinorFault,  // a page made resident
  kTick,        // the kernel's timer interrupt fell into the call
  kStolen,    // the thread had no processor time for half of it: interrupts or a hypervisor, where the kernel accounts
              // them
  kOrdinary,  // not slow, so that there is nothing to explain: too short for any event, or within twice the median
  kOwn,       // none of the counters moved, and the replayed call was as slow: the call's own code, cache, TLB misses
  // None of the counters moved, and the replayed call took less than half. Then:
  kMisses,   // shorter than the cheapest event at its best: what is left is the processor's waiting for caches and TLB
  kCold,     // the thread had been stopped just before it (see cold_explains): other threads had emptied the caches
  kHost,     // as often and as long an empty loop on this machine is stopped with nothing in this system moving
             // (background.h). Nobody saw this: the hypervisor or the firmware, by elimination
  kStopped,  // the same, but for some of the loop's stops it was interrupts: which it was for a call is unknown
  kOutside,  // unknown
  kUnknown,
};
inline constexpr int kCauses = 19;

// What a counter saw. A thread that moves to another processor is switched out for it:
// "preempted".
constexpr bool by_counter(Cause cause) noexcept { return cause < Cause::kOrdinary; }

// Reports whether a cause is found by a control, for calls together and not for a single
// one: how many of them come directly after a stop, or how an empty loop is stopped.
constexpr bool by_control(Cause cause) noexcept {
  return cause == Cause::kCold || cause == Cause::kHost || cause == Cause::kStopped;
}

// Whose doing a call's time is: the allocator's (or the kernel's, for what it asked of
// it), or the machine's. A lock that another thread holds is the allocator's, too.
constexpr bool by_allocator(Cause cause) noexcept {
  switch (cause) {
    case Cause::kPreempted:
    case Cause::kTick:
    case Cause::kStolen:
    case Cause::kCold:
    case Cause::kHost:
    case Cause::kStopped:
    case Cause::kMisses:
    case Cause::kOutside:
    case Cause::kUnknown: return false;
    default: return true;
  }
}

// What neither a counter, nor the replay, nor a control shows.
constexpr bool unexplained(Cause cause) noexcept { return cause == Cause::kOutside || cause == Cause::kUnknown; }

// "preempted", "minor-fault" and so on, as in all output.
const char* cause_name(Cause) noexcept;

// One call, as input of the classifier.
struct Call {
  double ns = 0;
  bool read = false;    // the counters were read after it
  Counters moved;       // by how much, when read
  bool ticked = false;  // the kernel's tick moved during it
};

struct Typical {
  double cheapest_event_ns = 0;
  double median_ns = 0;  // of its kind of call
};

// Not slow: too short to hold any event, or within twice the median of its kind.
bool ordinary(double ns, const Typical&) noexcept;

// Returns the cause as far as the counters show it, of an ordinary call as well.
// kUnknown may be settled by a replay.
Cause classify(const Call&, const Typical&) noexcept;

// What a replay of the same call, from the same state with the same seed, adds.
struct Replay {
  bool ran = false;
  bool disturbed = false;  // a counter or the tick moved in the replay
  double ns = 0;
};
Cause settle(Cause, double ns, const Replay&, const Typical&) noexcept;

// The probability of k or more of n, each with probability p.
double binomial_tail(std::uint64_t k, std::uint64_t n, double p) noexcept;

// Whether it is because they were the first of their kind behind a stop of the thread
// that calls from outside were slow: of n `slow` are, and of all `calls` of the kind
// `all` are. So many or more have a probability below 0.001 otherwise. (Where each call
// is long enough for an event, all are behind a stop, and it says nothing.)
bool cold_explains(std::uint64_t slow, std::uint64_t n, std::uint64_t all, std::uint64_t calls) noexcept;

// Reads the counters. One per thread, because faults and switches are the thread's
// own; break and mapped pages are the process's.
class CounterReader {
 public:
  CounterReader() noexcept;
  ~CounterReader();
  CounterReader(const CounterReader&) = delete;
  CounterReader& operator=(const CounterReader&) = delete;

  void read(Counters&) noexcept;

  // Returns the kernel's tick as a number that changes with each, for a few nanoseconds;
  // 0 where the system does not report it.
  static std::uint64_t tick() noexcept;

  // Half of what the cheapest of {page fault, mmap, munmap, madvise, brk} takes
  // here at its best. Touches memory of its own only; takes about 1 ms. 0 (read
  // after every call) where it cannot be measured.
  static double cheapest_event_ns(const Timer&);

  // Returns what this platform does not report, for the reports; empty when nothing is
  // missing.
  static const char* missing() noexcept;

 private:
  int statm_ = -1;
};

}  // namespace malloc_bench
