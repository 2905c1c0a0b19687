// Records each call: its time in a histogram, and the slowest 1,000 of each kind with
// the counters that moved during them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cause.h"
#include "histogram.h"
#include "latency_timer.h"

namespace malloc_bench {

// The timed calls. kEmpty is two timer readings with nothing between: the floor.
enum class Kind : std::uint8_t { kEmpty, kMalloc, kTouch, kFree };
inline constexpr int kKinds = 4;
const char* kind_name(Kind) noexcept;

struct SlowCall {
  std::uint64_t ticks = 0;
  std::uint64_t index = 0;  // the operation, from 0, of its thread
  std::uint64_t at = 0;     // ticks since the cell began
  std::uint64_t size = 0;   // bytes asked for
  Counters moved;
  Replay replay;
  std::uint16_t thread = 0;
  Kind kind = Kind::kEmpty;
  Cause cause = Cause::kUnknown;
  bool read = false, ticked = false;
  // the first of its kind since the thread was stopped: by itself, by others, or to read the
  // counters
  bool cold = false;
};

// The slowest calls seen so far, as a heap whose first is the least slow.
class SlowList {
 public:
  static constexpr std::size_t kMost = 1000;

  // Calls of at most this many ticks are not taken any more.
  std::uint64_t limit() const noexcept { return n_ < kMost ? 0 : calls_[0].ticks; }
  void add(const SlowCall&) noexcept;
  void sort() noexcept;  // slowest first; nothing can be added after it

  SlowCall* begin() noexcept { return calls_; }
  SlowCall* end() noexcept { return calls_ + n_; }
  const SlowCall* begin() const noexcept { return calls_; }
  const SlowCall* end() const noexcept { return calls_ + n_; }
  std::size_t size() const noexcept { return n_; }

 private:
  std::size_t n_ = 0;
  SlowCall calls_[kMost];
};

// All that is known of one kind of call.
struct Track {
  Histogram histogram;
  SlowList slow;
  std::uint64_t reads = 0;               // calls after which the counters were read
  std::uint64_t by_cause[kCauses] = {};  // of those, by the counter that moved; kUnknown: none
  std::uint64_t minor_faults = 0, major_faults = 0;
  std::uint64_t cold = 0;  // calls as SlowCall::cold

  void merge(const Track&) noexcept;
};

// The real-time verdict. An operation (malloc, first touch, free) breaks it with a page
// fault in any of its calls, with a malloc or free longer than the limit (it is late
// then), or with NULL. Of the late ones those that the machine delayed can be told from
// the allocator's own: by the counters at once, else by the replay, for which the first
// kMostOpen such calls are kept.
struct Verdict {
  enum class What : std::uint8_t { kNone, kFault, kLatency, kNull };
  // Whose doing a late operation is; the higher decides. kOpen is what a replay may
  // settle, kNobody what it did not: an allocator that stalls at random looks so.
  enum Blame : std::uint8_t { kMachine, kNobody, kOpen, kAllocator, kBlames };
  struct Violation {
    What what = What::kNone;
    SlowCall call;
    bool before(const Violation& other) const noexcept {
      return what != What::kNone && (other.what == What::kNone || call.at < other.call.at);
    }
  };
  static constexpr std::size_t kMostOpen = 1024;

  Violation first, first_own, first_nobodys;      // of all, of the allocator's, and of those without a cause
  std::uint64_t faults = 0, late = 0, nulls = 0;  // operations
  std::uint64_t blamed[kBlames] = {};             // the late operations; settle() leaves none open
  std::size_t n_open = 0;
  SlowCall open[kMostOpen];  // late calls that no counter explains
  Violation beyond;          // the first that did not fit

  bool passed() const noexcept { return first.what == What::kNone; }
  bool passed_allocator() const noexcept { return faults + nulls + blamed[kAllocator] == 0; }
  void merge(const Verdict&) noexcept;  // keeps the earlier first ones
  // Assigns the open operations to the causes of their calls, which are known now. Those
  // that were not kept are assigned to the allocator: there is no sign of another cause.
  void settle() noexcept;
};
const char* what_name(Verdict::What) noexcept;

// A call that the main process could not explain, for its replay to time.
struct Watched {
  std::uint32_t cell = 0;
  Kind kind = Kind::kEmpty;
  std::uint64_t index = 0;
  Replay replay;
};

struct AlwaysGood {
  constexpr bool operator()() const noexcept { return true; }
};

// The records of one thread. It is large (about 1 MiB): place it in the program's own
// memory, touched before the measurement.
class Recorder {
 public:
  Recorder(const Timer&, double cheapest_event_ns, double rt_ns, std::uint16_t thread) noexcept;

  // To be called just before the first timed call.
  void start() noexcept;

  // Times f as a call of kind K for operation `index`. A call for which good()
  // is false afterwards (NULL is no fast success) is not recorded.
  // The test for a long gap lies inside the window, in the empty pair's too: with
  // it outside, each call would need one more reading of the timer.
  template <Kind K, typename F, typename Good = AlwaysGood>
  void time(std::uint64_t index, std::uint64_t size, F&& f, Good&& good = {}) noexcept {
    std::uint64_t from = ticks_begin();
    if (from - last_ >= event_ticks_) [[unlikely]] {
      refresh();
      from = ticks_begin();
    }
    f();
    const std::uint64_t to = ticks_end();
    const std::uint64_t tick = CounterReader::tick();
    const bool ticked = tick != tick_;
    tick_ = tick;
    last_ = to;
    if (!good()) [[unlikely]]
      return;
    Track& track = tracks_[static_cast<int>(K)];
    const std::uint64_t took = to - from;
    track.histogram.record(took);
    constexpr unsigned kBit = 1u << static_cast<int>(K);
    const bool cold = (cold_ & kBit) != 0;
    if (cold) [[unlikely]] {
      cold_ &= ~kBit;
      ++track.cold;
    }
    if (took > track.slow.limit() || took >= trip_ticks_ || index >= watch_index_) [[unlikely]]
      keep(track, K, index, size, from, took, ticked, cold);
  }

  // A malloc that returned NULL; it is in no histogram.
  void null(std::uint64_t index, std::uint64_t size) noexcept;

  void watch(Watched* from, Watched* to) noexcept;  // ascending by index; for a replay

  Track& track(Kind k) noexcept { return tracks_[static_cast<int>(k)]; }
  const Verdict& verdict() const noexcept { return verdict_; }
  std::uint64_t nulls() const noexcept { return nulls_; }
  std::uint64_t faults_outside() const noexcept { return faults_outside_; }

 private:
  void keep(Track&, Kind, std::uint64_t index, std::uint64_t size, std::uint64_t from, std::uint64_t took,
            bool ticked, bool cold) noexcept;
  void judge(const SlowCall&) noexcept;
  void late(const SlowCall&) noexcept;
  void watched(const SlowCall&) noexcept;
  void read(Counters&) noexcept;
  void refresh() noexcept;

  std::uint64_t last_ = 0;  // when the last interval that was accounted for ended
  std::uint64_t tick_ = 0;
  unsigned cold_ = 0;              // kinds, as bits, of which there was no call yet since the thread was stopped
  std::uint64_t event_ticks_ = 0;  // an interval shorter than this moved no counter
  std::uint64_t trip_ticks_ = 0;   // the lower of that and the real-time limit
  std::uint64_t watch_index_ = UINT64_MAX;
  Track tracks_[kKinds];

  const Timer timer_;
  const double event_ns_;
  const std::uint64_t rt_ticks_;  // 0: no verdict asked for
  const std::uint16_t thread_;
  CounterReader reader_;
  std::uint64_t read_ticks_ = UINT64_MAX;  // a reading that took longer was disturbed
  Counters before_;
  std::uint64_t start_ = 0;
  std::uint64_t nulls_ = 0, faults_outside_ = 0;
  Verdict verdict_;
  std::uint64_t fault_op_ = UINT64_MAX, late_op_ = UINT64_MAX;  // the last operations of each
  Verdict::Blame blame_ = Verdict::kMachine;                    // for late_op_
  Watched *next_ = nullptr, *end_ = nullptr;
};

}  // namespace malloc_bench
