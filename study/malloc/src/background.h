// The control for slow calls that no counter explains: a loop that allocates nothing
// and only reads the timer and the tick, on the same processor in the same process. It
// is stopped, too. Some of its stops move no counter of the thread and fall on no tick:
// calls that are stopped so cannot be told why. But the loop can wait until
// /proc/interrupts is read. Of its stops that are in no row there for this processor,
// nothing in this system knows: what is left is what holds the processor itself, the
// hypervisor under a virtual machine or the firmware, by elimination.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cause.h"

namespace malloc_bench {

// Lengths of stops in ns, ascending once the watching has ended.
struct Stops {
  static constexpr std::size_t kMost = 4096;

  std::size_t n = 0;
  double ns[kMost];

  void add(double length) noexcept { ns[n++] = length; }
  std::size_t from(double length) const noexcept;  // so many are at least as long
  double shortest() const noexcept { return ns[0]; }  // these three only when there are some
  double median() const noexcept { return ns[n / 2]; }
  double longest() const noexcept { return ns[n - 1]; }
};

// What an empty loop went through.
struct Background {
  double seconds = 0;            // in the loop, without the stops and without looking them up; 0: not watched
  bool interrupts_read = false;  // /proc/interrupts showed this processor's: else there is no conclusion
  std::uint64_t counted = 0;     // stops in which a counter or the tick moved, as in calls
  Stops interrupted;             // in which only a row of /proc/interrupts did
  Stops unseen;                  // in which no counter moved

  std::size_t uncounted() const noexcept { return interrupted.n + unseen.n; }
};

// Adds about so many seconds of watching: stops longer than cheapest_event_ns, which
// is what calls are looked up for. Takes up to three times as long on a machine with
// many interrupts, which must be looked up. Nothing is watched where the system tells
// no interrupts at all, or the timer sees no such stop (cheapest_event_ns is 0).
void watch_background(Background&, const Timer&, double cheapest_event_ns, double seconds) noexcept;

// Whether a call of so many ns may have been stopped so: up to twice the longest
// uncounted stop, and from half of the shortest.
bool like_background(const Background&, double ns) noexcept;

// What calls that nothing explains were held up by: kHost or kStopped when they are no
// more and no longer than the uncounted stops of the empty loop, else kOutside. `calls`
// are the lengths of all of one kind that are like_background, descending; `seconds`
// the time that was spent inside all calls of the kind, without these.
//
// For each call those that are at least as long are set against the stops of at least
// half its length. Were their rates the same, the calls' part of both together would be
// binomial, with the share of the time (the conditional test of two Poisson rates:
// Przyborowski and Wilenski, Biometrika 31, 1940, 313-323), so that the uncertainty of
// both counts is in it. When so many or more have a probability below kUnlikely
// anywhere, something else slows calls, too: which ones cannot be told, and all stay
// kOutside. The host is named when at least kHostShare of the stops are unseen.
inline constexpr double kUnlikely = 0.001, kHostShare = 0.9;
Cause background_cause(const Background&, const double* calls, std::size_t n, double seconds) noexcept;

// Sums up one processor's column of /proc/interrupts, which comes in pieces. Rows with
// fewer figures than processors (ERR and MIS, which are the whole machine's) count nothing.
class InterruptSum {
 public:
  explicit InterruptSum(int cpu) noexcept : cpu_(cpu) {}
  void feed(const char* text, std::size_t n) noexcept;
  // Of all rows, modulo 2^64. False when there was no such column.
  bool sum(std::uint64_t& total) const noexcept;

 private:
  void word() noexcept;
  void line() noexcept;

  const int cpu_;
  int column_ = -1, columns_ = 0;  // of the processor, from 0; offline processors have none
  bool head_ = true;               // still in the first line, which names the processors
  bool named_ = false;             // the row's name was read
  int figures_ = 0;                // of this row so far; -1: its words have begun
  std::uint64_t total_ = 0, mine_ = 0;
  char word_[24] = {};
  std::size_t n_ = 0;
  bool any_ = false;
};

}  // namespace malloc_bench
