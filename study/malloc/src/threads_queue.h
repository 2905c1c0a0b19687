// How the threads of the threads mode hand blocks over, and when they stop.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "platform.h"

namespace malloc_bench {

inline constexpr std::size_t kCacheLine = 64;

// When a thread has to stop.
class Deadline {
 public:
  explicit Deadline(double seconds) noexcept
      : from_(now_ns()), to_(from_ + static_cast<std::uint64_t>(seconds * 1e9)) {}
  bool over() const noexcept { return now_ns() >= to_; }
  double elapsed() const noexcept { return static_cast<double>(now_ns() - from_) / 1e9; }

 private:
  std::uint64_t from_, to_;
};

// A queue from one thread to one other. Each side keeps what it last saw of the
// other's index, so that a line of cache moves once per lap and not per item.
class Queue {
 public:
  static constexpr std::size_t kLength = 1024;

  bool push(void* item) noexcept {
    if (head_ - seen_tail_ == kLength) {
      seen_tail_ = tail_shared_.load(std::memory_order_acquire);
      if (head_ - seen_tail_ == kLength) return false;
    }
    items_[head_++ % kLength] = item;
    head_shared_.store(head_, std::memory_order_release);
    return true;
  }
  bool pop(void*& item) noexcept {
    if (tail_ == seen_head_) {
      seen_head_ = head_shared_.load(std::memory_order_acquire);
      if (tail_ == seen_head_) return false;
    }
    item = items_[tail_++ % kLength];
    tail_shared_.store(tail_, std::memory_order_release);
    return true;
  }

 private:
  alignas(kCacheLine) std::uint64_t head_ = 0;
  std::uint64_t seen_tail_ = 0;
  alignas(kCacheLine) std::uint64_t tail_ = 0;
  std::uint64_t seen_head_ = 0;
  alignas(kCacheLine) std::atomic<std::uint64_t> head_shared_{0};
  alignas(kCacheLine) std::atomic<std::uint64_t> tail_shared_{0};
  alignas(kCacheLine) void* items_[kLength];
};

// Tries until it succeeds or the time is over. With fewer processors than threads
// (`crowded`) it gives the processor away after a while, for the other side may be
// waiting for it. A thread with a processor of its own must not: another program that
// wants the processor takes it for a whole time slice, at each handover, and both sides
// get next to nothing done (1% of their throughput beside two busy loops).
template <typename Try>
bool insist(const Deadline& deadline, bool crowded, Try&& attempt) noexcept {
  for (unsigned spins = 1; !attempt(); ++spins) {
    if (spins % 64 != 0) continue;
    if (deadline.over()) return false;
    if (crowded) sched_yield();
  }
  return true;
}

}  // namespace malloc_bench
