#include "background.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace malloc_bench {

std::size_t Stops::from(double length) const noexcept {
  return static_cast<std::size_t>(ns + n - std::lower_bound(ns, ns + n, length));
}

bool like_background(const Background& b, double ns) noexcept {
  if (!b.interrupts_read || b.unseen.n == 0) return false;
  const bool both = b.interrupted.n > 0;
  const double longest = both ? std::max(b.unseen.longest(), b.interrupted.longest()) : b.unseen.longest();
  const double shortest = both ? std::min(b.unseen.shortest(), b.interrupted.shortest()) : b.unseen.shortest();
  return ns <= 2 * longest && ns >= shortest / 2;
}

Cause background_cause(const Background& b, const double* calls, std::size_t n, double seconds) noexcept {
  if (n == 0 || !b.interrupts_read || b.unseen.n == 0 || !(b.seconds > 0) || !(seconds > 0)) return Cause::kOutside;
  const double share = seconds / (seconds + b.seconds);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t stops = b.unseen.from(calls[i] / 2) + b.interrupted.from(calls[i] / 2);
    if (stops == 0 || binomial_tail(i + 1, i + 1 + stops, share) < kUnlikely) return Cause::kOutside;
  }
  const bool host = static_cast<double>(b.unseen.n) >= kHostShare * static_cast<double>(b.uncounted());
  return host ? Cause::kHost : Cause::kStopped;
}

void InterruptSum::feed(const char* text, std::size_t n) noexcept {
  for (const char* const end = text + n; text != end; ++text) {
    if (*text != ' ' && *text != '\t' && *text != '\n') {
      if (n_ + 1 < sizeof word_) word_[n_++] = *text;
      continue;
    }
    if (n_ > 0) word();
    if (*text == '\n') line();
  }
}

void InterruptSum::word() noexcept {
  word_[n_] = 0;
  n_ = 0;
  if (head_) {
    if (std::strncmp(word_, "CPU", 3) != 0) return;
    if (std::atoi(word_ + 3) == cpu_) column_ = columns_;
    ++columns_;
  } else if (!named_) {
    named_ = true;  // "36:"
  } else if (figures_ >= 0 && figures_ < columns_) {
    char* end;
    const std::uint64_t figure = std::strtoull(word_, &end, 10);
    if (figures_ == column_) mine_ = figure;
    figures_ = *end == 0 ? figures_ + 1 : -1;
  }
}

void InterruptSum::line() noexcept {
  if (column_ >= 0 && figures_ == columns_) total_ += mine_, any_ = true;
  head_ = named_ = false;
  figures_ = 0;
}

bool InterruptSum::sum(std::uint64_t& total) const noexcept {
  total = total_;
  return any_;
}

}  // namespace malloc_bench
