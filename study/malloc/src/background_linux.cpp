// The empty loop on Linux.
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>

#include "background.h"

namespace malloc_bench {
namespace {

// Everything that is read after a stop. /proc/interrupts takes the kernel some 100 us.
class Look {
 public:
  Look() noexcept : interrupts_(open("/proc/interrupts", O_RDONLY | O_CLOEXEC)) {
    for (int i = 0; i < 5; ++i) {
      const std::uint64_t from = ticks_begin();
      read();
      usual_ = std::min(usual_, ticks_end() - from);
    }
    usual_ *= 2;
  }
  ~Look() {
    if (interrupts_ >= 0) close(interrupts_);
  }
  Look(const Look&) = delete;
  Look& operator=(const Look&) = delete;

  // After a stop: what moved since the loop went on.
  void after() noexcept {
    const Counters before = counters;
    const std::uint64_t rows = sum_;
    read();
    moved = counters - before;
    interrupted = sum_ != rows;
  }

  // Must be called before the loop goes on. A stop during a reading would be counted for
  // the next one, so that a reading that took longer than usual is repeated.
  void before() noexcept {
    for (int tries = 0; tries < 5; ++tries) {
      const std::uint64_t from = ticks_begin();
      read();
      if (ticks_end() - from <= usual_) return;
    }
  }

  Counters counters, moved;
  bool told = false, interrupted = false;

 private:
  void read() noexcept {
    reader_.read(counters);
    InterruptSum sum(sched_getcpu());  // after the counters: a move to another processor is a switch
    ssize_t n;
    off_t at = 0;
    for (; interrupts_ >= 0 && (n = pread(interrupts_, text_, sizeof text_, at)) > 0; at += n)
      sum.feed(text_, static_cast<std::size_t>(n));
    told = sum.sum(sum_);
  }

  CounterReader reader_;
  int interrupts_;
  std::uint64_t sum_ = 0, usual_ = UINT64_MAX;
  char text_[16 * 1024];
};

}  // namespace

void watch_background(Background& b, const Timer& timer, double cheapest_event_ns, double seconds) noexcept {
  if (cheapest_event_ns <= 0) return;
  Look look;
  const std::uint64_t event = std::max<std::uint64_t>(1, timer.ticks(cheapest_event_ns));
  const std::uint64_t wanted = timer.ticks(seconds * 1e9), deadline = ticks_end() + 3 * wanted;
  std::uint64_t watched = 0;
  bool told = look.told && (b.interrupts_read || b.seconds == 0);
  while (watched < wanted && ticks_end() < deadline && std::max(b.unseen.n, b.interrupted.n) < Stops::kMost) {
    look.before();
    // Two ticks back: an interrupt may fall between the reading of the timer, after
    // which it is in the next gap, and that of the tick.
    std::uint64_t tick = CounterReader::tick(), previous = tick;
    const std::uint64_t from = ticks_end();
    std::uint64_t last = from, now;
    for (;;) {
      now = ticks_end();
      const std::uint64_t at = CounterReader::tick();
      const bool ticked = at != tick || at != previous;
      if (now - last >= event) {
        const double ns = timer.ns(now - last);
        look.after();
        told = told && look.told;
        if (by_counter(classify({ns, true, look.moved, ticked}, {cheapest_event_ns, 0})))
          ++b.counted;
        else if (look.interrupted)
          b.interrupted.add(ns);
        else
          b.unseen.add(ns);
        break;
      }
      last = now;
      previous = tick;
      tick = at;
      if (watched + (last - from) >= wanted) break;
    }
    watched += last - from;
  }
  for (Stops* stops : {&b.unseen, &b.interrupted}) std::sort(stops->ns, stops->ns + stops->n);
  b.seconds += timer.ns(watched) / 1e9;
  b.interrupts_read = told;
}

}  // namespace malloc_bench
