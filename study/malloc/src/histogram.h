// A histogram of 64-bit values for per-call latencies: log-linear buckets as in
// HdrHistogram (Gil Tene, hdrhistogram.org), 64 to each power of two.
#pragma once

#include <cstddef>
#include <cstdint>

namespace malloc_bench {

// Histogram counts values of any unit. It is one fixed object of 30 KiB without
// pointers: it allocates nothing, may be zeroed memory, and records in a few
// nanoseconds. Values below 128 are kept exactly; above that a bucket is at most
// 1/64 of its lower bound wide, so that a bound is wrong by at most 1.6% and a
// quantile, which is the middle of its bucket, by 0.8%. Count, smallest, largest
// and sum are exact (the sum up to 2^64).
class Histogram {
 public:
  static constexpr int kSubBits = 6;
  static constexpr std::size_t kSub = std::size_t{1} << kSubBits;
  static constexpr std::size_t kBuckets = (64 - kSubBits + 1) * kSub;

  void record(std::uint64_t value) noexcept {
    ++counts_[index(value)];
    if (count_ == 0 || value < min_) min_ = value;
    if (value > max_) max_ = value;
    sum_ += value;
    ++count_;
  }

  // Adds what another one counted, as if all values had been recorded here.
  void merge(const Histogram& other) noexcept;

  std::uint64_t count() const noexcept { return count_; }
  std::uint64_t min() const noexcept { return min_; }  // 0 when empty
  std::uint64_t max() const noexcept { return max_; }
  double mean() const noexcept { return count_ ? static_cast<double>(sum_) / static_cast<double>(count_) : 0; }

  // The quantile by nearest rank: the smallest value with at least per100k of
  // 100,000 values at or below it (50,000 is the median, 99,999 is p99.999).
  // 0 when empty. 100,000 is the exact maximum.
  std::uint64_t quantile(std::uint32_t per100k) const noexcept;

  // How many values lie in buckets that begin above `value`'s own.
  std::uint64_t above(std::uint64_t value) const noexcept;

  // Calls f(lower bound, count) for each bucket that is not empty, ascending.
  template <typename F>
  void each(F f) const {
    for (std::size_t i = 0; i < kBuckets; ++i)
      if (counts_[i] != 0) f(lower(i), counts_[i]);
  }

  static std::size_t index(std::uint64_t value) noexcept {
    if (value < kSub) return static_cast<std::size_t>(value);
    const int exponent = 63 - __builtin_clzll(value);  // >= kSubBits
    const int shift = exponent - kSubBits;
    return (static_cast<std::size_t>(shift) << kSubBits) + static_cast<std::size_t>(value >> shift);
  }
  // The smallest and the largest value of a bucket.
  static std::uint64_t lower(std::size_t index) noexcept;
  static std::uint64_t upper(std::size_t index) noexcept;

 private:
  std::uint64_t count_ = 0, min_ = 0, max_ = 0, sum_ = 0;
  std::uint64_t counts_[kBuckets] = {};
};

// One quantile of the set every report shows.
struct Percentile {
  std::uint32_t per100k;
  const char* name;  // "p50" ... "p99.999"
};
inline constexpr Percentile kPercentiles[] = {
    {50'000, "p50"}, {90'000, "p90"}, {99'000, "p99"}, {99'900, "p99.9"}, {99'990, "p99.99"}, {99'999, "p99.999"},
};

}  // namespace malloc_bench
