#include "histogram.h"

namespace malloc_bench {

void Histogram::merge(const Histogram& other) noexcept {
  if (other.count_ == 0) return;
  if (count_ == 0 || other.min_ < min_) min_ = other.min_;
  if (other.max_ > max_) max_ = other.max_;
  count_ += other.count_;
  sum_ += other.sum_;
  for (std::size_t i = 0; i < kBuckets; ++i) counts_[i] += other.counts_[i];
}

std::uint64_t Histogram::quantile(std::uint32_t per100k) const noexcept {
  if (count_ == 0) return 0;
  if (per100k >= 100'000) return max_;
  // The rank is computed in integers, so that p99.999 of 10^7 values is not moved by
  // rounding; split so that count * per100k cannot overflow.
  std::uint64_t rank = count_ / 100'000 * per100k + (count_ % 100'000 * per100k + 99'999) / 100'000;
  if (rank == 0) rank = 1;
  if (rank >= count_) return max_;
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    seen += counts_[i];
    if (seen < rank) continue;
    const std::uint64_t middle = lower(i) + (upper(i) - lower(i)) / 2;
    return middle < min_ ? min_ : middle > max_ ? max_ : middle;
  }
  return max_;
}

std::uint64_t Histogram::above(std::uint64_t value) const noexcept {
  std::uint64_t n = 0;
  for (std::size_t i = index(value) + 1; i < kBuckets; ++i) n += counts_[i];
  return n;
}

std::uint64_t Histogram::lower(std::size_t index) noexcept {
  if (index < 2 * kSub) return index;
  const std::size_t shift = (index >> kSubBits) - 1;
  return static_cast<std::uint64_t>(kSub + (index & (kSub - 1))) << shift;
}

std::uint64_t Histogram::upper(std::size_t index) noexcept {
  return index + 1 < kBuckets ? lower(index + 1) - 1 : UINT64_MAX;
}

}  // namespace malloc_bench
